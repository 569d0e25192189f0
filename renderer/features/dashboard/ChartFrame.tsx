// Frame of a chart of hours: its name and value, the lines of the axis, the hours below.
import type { ReactNode } from 'react';
import { cn } from '../../ui/cn.ts';
import { FILL, type Tone } from '../../ui/tone.ts';

export interface ChartFrameProps {
  readonly title: string;
  /** Value for the whole window. */
  readonly headline: ReactNode;
  readonly note?: ReactNode;
  readonly legend?: readonly { readonly label: string; readonly tone: Tone; readonly dashed?: boolean }[];
  /** The upper end of the axis in words. */
  readonly topText: string;
  readonly labels: readonly { readonly at: number; readonly text: string }[];
  readonly className?: string;
  readonly plotClassName?: string;
  readonly children: ReactNode;
}

export function ChartFrame({ title, headline, note, legend = [], topText, labels, className, plotClassName, children }: ChartFrameProps) {
  return (
    <section
      aria-label={title}
      className={cn('flex min-w-0 flex-col rounded-lg border border-border bg-surface p-4 shadow-raised', className)}
    >
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <div>
          <h3 className="text-sm text-muted">{title}</h3>
          <p className="flex items-baseline gap-2">
            <span className="text-2xl font-semibold tracking-tight tabular-nums">{headline}</span>
            {note != null && <span className="text-sm text-muted">{note}</span>}
          </p>
        </div>
        {legend.length > 0 && (
          <ul className="flex flex-wrap gap-x-3 gap-y-1 pt-0.5 text-sm text-muted">
            {legend.map(({ label, tone, dashed }) => (
              <li key={label} className="flex items-center gap-1.5">
                <span aria-hidden className={cn('size-2 rounded-xs forced-color-adjust-none', dashed ? 'h-0.5 w-3' : '', FILL[tone])} />
                {label}
              </li>
            ))}
          </ul>
        )}
      </div>
      <div className={cn('relative mt-4 flex-1', plotClassName)}>
        <div aria-hidden className="absolute inset-0 flex flex-col justify-between">
          {[topText, '', ''].map((text, index) => (
            <span key={index} className={cn('block h-0 border-t border-border', index < 2 && 'border-dashed')}>
              {text !== '' && <span className="relative -top-4 float-right text-xs text-faint tabular-nums">{text}</span>}
            </span>
          ))}
        </div>
        {children}
      </div>
      <div aria-hidden className="relative mt-1.5 h-4 overflow-hidden text-xs text-faint tabular-nums">
        {labels.map(({ at, text }) => (
          <span key={at} className="absolute whitespace-nowrap" style={{ left: `${at * 100}%` }}>
            {text}
          </span>
        ))}
      </div>
    </section>
  );
}
