// One number that matters, with its trend.
import type { ReactNode } from 'react';
import { cn } from '../cn.ts';
import { Link } from '../link/Link.tsx';
import { INK, type Tone } from './tone.ts';

export interface StatTileProps {
  readonly label: string;
  readonly value: ReactNode;
  /** Beside the value: the unit, the change. */
  readonly note?: ReactNode;
  readonly tone?: Tone;
  readonly chart?: ReactNode;
  /** Link to the details of the number. */
  readonly href?: string;
  readonly className?: string;
}

export function StatTile({ label, value, note, tone, chart, href, className }: StatTileProps) {
  const body = (
    <>
      <span className="text-sm text-muted">{label}</span>
      <span className="flex items-baseline gap-2">
        <span className={cn('text-2xl font-semibold tracking-tight tabular-nums', tone ? INK[tone] : 'text-text')}>{value}</span>
        {note != null && <span className="text-sm text-muted">{note}</span>}
      </span>
      {chart != null && <span className="mt-1 block">{chart}</span>}
    </>
  );
  const frame = cn('flex min-w-0 flex-col gap-0.5 rounded-lg border border-border bg-surface px-4 py-3 shadow-raised', className);
  if (href === undefined) return <div className={frame}>{body}</div>;
  return (
    <Link href={href} look="bare" className={cn(frame, 'rounded-lg transition-colors hover:border-border-strong')}>
      {body}
    </Link>
  );
}
