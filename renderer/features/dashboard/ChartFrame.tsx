// Frame of a chart of hours: its name and value, the lines of the axis, the hours below.
import type { ReactNode } from 'react';
import { cn } from '../../ui/cn.ts';
import { FILL, type Tone } from '../../ui/status/tone.ts';

/** A label further to the right would be cut off by the edge. */
const LABEL_MAX = 0.85;

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
  readonly children: ReactNode;
}

export function ChartFrame({ title, headline, note, legend = [], topText, labels, className, children }: ChartFrameProps) {
  return (
    <section
      aria-label={title}
      className={cn('flex min-w-0 flex-col rounded-lg border border-border bg-surface p-4 shadow-raised', className)}
    >
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <h3 className="text-sm text-muted">{title}</h3>
        {legend.length > 0 && (
          <ul className="flex flex-wrap gap-x-3 text-xs text-muted">
            {legend.map(({ label, tone, dashed }) => (
              <li key={label} className="flex items-center gap-1.5">
                <span aria-hidden className={cn('size-2 rounded-xs forced-color-adjust-none', dashed ? 'h-0.5 w-3' : '', FILL[tone])} />
                {label}
              </li>
            ))}
          </ul>
        )}
      </div>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-xl font-semibold tracking-tight tabular-nums">{headline}</span>
        {note != null && <span className="text-sm text-muted">{note}</span>}
      </p>
      <div className="relative mt-auto pt-4">
        <div className="relative h-16">
          <div aria-hidden className="absolute inset-0 flex flex-col justify-between">
            {[topText, '', ''].map((text, index) => (
              <span key={index} className={cn('block h-0 border-t border-border', index < 2 && 'border-dashed')}>
                {text !== '' && <span className="relative -top-4 float-right text-xs text-faint tabular-nums">{text}</span>}
              </span>
            ))}
          </div>
          {children}
        </div>
      </div>
      <div aria-hidden className="@container relative mt-1.5 h-4 overflow-hidden text-xs text-faint tabular-nums">
        {labels.map(
          ({ at, text }, index) =>
            at <= LABEL_MAX && (
              <span
                key={at}
                className={cn('absolute whitespace-nowrap', index % 2 === 1 && '@max-[11rem]:hidden')}
                style={{ left: `${at * 100}%` }}
              >
                {text}
              </span>
            ),
        )}
      </div>
    </section>
  );
}
