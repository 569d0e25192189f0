// One number that matters.
import type { ReactNode } from 'react';

export interface StatTileProps {
  readonly label: string;
  readonly value: ReactNode;
  /** Beside the value: the unit, the change. */
  readonly note?: ReactNode;
}

export function StatTile({ label, value, note }: StatTileProps) {
  return (
    <div className="flex min-w-0 flex-col gap-0.5 rounded-lg border border-border bg-surface px-4 py-3 shadow-raised">
      <span className="text-sm text-muted">{label}</span>
      <span className="flex items-baseline gap-2">
        <span className="text-2xl font-semibold tracking-tight text-text tabular-nums">{value}</span>
        {note != null && <span className="text-sm text-muted">{note}</span>}
      </span>
    </div>
  );
}
