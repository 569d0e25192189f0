// The console's mark and its name.
import { cn } from '../ui/cn.ts';

export interface WordmarkProps {
  /** Shows the mark only, for narrow places. */
  readonly markOnly?: boolean;
  readonly large?: boolean;
  readonly className?: string;
}

export function Wordmark({ markOnly = false, large = false, className }: WordmarkProps) {
  return (
    <span className={cn('inline-flex items-center gap-2', className)}>
      <svg viewBox="0 0 32 32" aria-hidden className={large ? 'size-9' : 'size-6'}>
        <rect width="32" height="32" rx="8" className="fill-accent" />
        <g className="fill-on-accent stroke-on-accent">
          <path
            d="M9.5 16h4.2m0 0 4.6-6.2m-4.6 6.2 4.6 6.2"
            fill="none"
            strokeWidth="2"
            strokeLinecap="round"
            strokeLinejoin="round"
            opacity=".7"
          />
          <circle cx="8.6" cy="16" r="3.1" stroke="none" />
          <circle cx="21.4" cy="9.2" r="3.1" stroke="none" />
          <circle cx="21.4" cy="22.8" r="3.1" stroke="none" />
        </g>
      </svg>
      {!markOnly && (
        <span className={cn('font-semibold tracking-tight text-text', large ? 'text-lg' : 'text-md')}>
          Orchestration<span className="sr-only"> console</span>
        </span>
      )}
    </span>
  );
}
