// The bar of one span on its row's line: tone by state, ticks where a retry began, a growing end while it is open.
import { cn } from '../../../ui/cn.ts';
import { FILL } from '../../../ui/status/tone.ts';
import { barTone } from './span-look.ts';
import type { Span, SpanKind } from '../model/spans.ts';
import type { TimeScale } from './time-scale.ts';

export interface SpanBarProps {
  readonly span: Span;
  readonly scale: TimeScale;
  readonly now: number;
  /** Fainter: not on the critical path, or still in the future of a replay. */
  readonly faint?: boolean | undefined;
  readonly critical?: boolean | undefined;
}

const WAITS: ReadonlySet<SpanKind> = new Set<SpanKind>(['pause', 'join', 'approval', 'review', 'breakpoint']);

const percent = (share: number): string => `${(share * 100).toFixed(3)}%`;

export function SpanBar({ span, scale, now, faint, critical }: SpanBarProps) {
  const { kind, state } = span;
  const from = scale.place(span.start);
  const to = scale.place(span.end ?? now);
  if (to < 0 || from > 1) return null;
  const left = Math.max(0, from);
  const width = Math.min(1, to) - left;
  const tone = barTone(kind, state);
  const outer = kind === 'task' || kind === 'attempt' || kind === 'turn';
  const open = span.end === undefined;
  if (kind === 'note') {
    return (
      <span
        aria-hidden
        style={{ left: percent(left) }}
        className={cn(
          'absolute top-1/2 size-2 -translate-x-1/2 -translate-y-1/2 rotate-45 rounded-[1px]',
          FILL[tone],
          faint && 'opacity-30',
        )}
      />
    );
  }
  return (
    <span
      aria-hidden
      data-bar={state}
      style={{ left: percent(left), width: percent(width) }}
      className={cn(
        'absolute top-1/2 min-w-[3px] -translate-y-1/2 rounded-xs forced-colors:border forced-colors:border-[CanvasText]',
        outer ? 'h-1.5' : 'h-3',
        FILL[tone],
        WAITS.has(kind) && 'h-2 opacity-60',
        open && 'animate-pulse-dot rounded-r-none',
        faint && 'opacity-25',
        critical && 'ring-1 ring-text ring-offset-1 ring-offset-surface',
      )}
    >
      {span.ticks.map((at, index) => {
        const place = (scale.place(at) - left) / Math.max(width, Number.EPSILON);
        return place < 0 || place > 1 ? null : (
          <span key={index} style={{ left: percent(place) }} className="absolute -top-1 -bottom-1 w-0.5 bg-danger ring-1 ring-surface" />
        );
      })}
    </span>
  );
}
