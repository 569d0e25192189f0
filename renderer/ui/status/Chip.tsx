// A removable value: a filter, a label, a chosen item.
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from '../cn.ts';

export interface ChipProps {
  readonly icon?: ReactNode;
  readonly mono?: boolean;
  /** Names the chip for the button that removes it. Needed with onRemove. */
  readonly removeLabel?: string;
  readonly onRemove?: (() => void) | undefined;
  readonly children: ReactNode;
}

export function Chip({ icon, mono, removeLabel, onRemove, children }: ChipProps) {
  return (
    <span
      className={cn(
        'inline-flex h-6 max-w-full items-center gap-1 rounded-sm border border-border bg-surface px-1.5 text-sm text-text [&_svg]:size-3',
        mono && 'font-mono text-xs',
        onRemove && 'pr-0',
      )}
    >
      {icon}
      <span className="truncate">{children}</span>
      {onRemove && (
        <button
          type="button"
          aria-label={removeLabel ?? 'Remove'}
          onClick={onRemove}
          className="flex size-5.5 shrink-0 items-center justify-center rounded-r-sm text-faint hover:bg-hover hover:text-text"
        >
          <X aria-hidden />
        </button>
      )}
    </span>
  );
}
