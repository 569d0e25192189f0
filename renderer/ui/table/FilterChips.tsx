// Toggled filters, each with its count.
import type { ReactNode } from 'react';
import { cn } from '../cn.ts';
import { formatCompact } from '../status/format.ts';

export interface FilterChip {
  readonly id: string;
  readonly label: string;
  readonly icon?: ReactNode;
  readonly count?: number | undefined;
}

export interface FilterChipsProps {
  readonly label: string;
  readonly chips: readonly FilterChip[];
  readonly selected: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
  readonly className?: string;
}

export function FilterChips({ label, chips, selected, onToggle, className }: FilterChipsProps) {
  return (
    <div role="group" aria-label={label} className={cn('flex flex-wrap items-center gap-1', className)}>
      {chips.map((chip) => {
        const on = selected.has(chip.id);
        return (
          <button
            key={chip.id}
            type="button"
            aria-pressed={on}
            data-state={on ? 'on' : 'off'}
            onClick={() => onToggle(chip.id)}
            className={cn(
              'inline-flex h-6 shrink-0 items-center gap-1.5 rounded-full border px-2.5 text-sm font-medium transition-colors [&_svg]:size-3.5',
              on
                ? 'border-accent bg-accent-soft text-accent-text'
                : 'border-border bg-surface text-muted hover:border-border-strong hover:text-text',
            )}
          >
            {chip.icon}
            {chip.label}
            {chip.count !== undefined && <span className="tabular-nums opacity-90">{formatCompact(chip.count)}</span>}
          </button>
        );
      })}
    </div>
  );
}
