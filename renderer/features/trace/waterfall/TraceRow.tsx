// One row of the waterfall: name, bar, start, duration, cost.
import { ChevronRight, Pin } from 'lucide-react';
import { memo } from 'react';
import { Badge } from '../../../ui/status/Badge.tsx';
import { cn } from '../../../ui/cn.ts';
import { formatCompact, formatDuration } from '../../../ui/status/format.ts';
import { INK } from '../../../ui/status/tone.ts';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import type { Row } from './rows.ts';
import { SpanBar } from './SpanBar.tsx';
import { KINDS, STATES } from './span-look.ts';
import { standInLabel } from '../model/stand-in.ts';
import type { Span } from '../model/spans.ts';
import type { TimeScale } from './time-scale.ts';

/** Columns of the head and of each row. */
export const TRACE_COLUMNS =
  'grid-cols-[minmax(11rem,16rem)_minmax(12rem,1fr)_5rem_5rem_4.5rem] @max-[44rem]/trace:grid-cols-[minmax(10rem,15rem)_minmax(6rem,1fr)_5rem]';
/** Class of columns that are hidden where there is little room. */
export const WIDE_ONLY = '@max-[44rem]/trace:hidden';

export interface RowView {
  readonly scale: TimeScale;
  readonly now: number;
  readonly origin: number;
  /** Position of a replay. */
  readonly moment: number | undefined;
  readonly critical: ReadonlySet<Span> | undefined;
  /** Version of the trace: spans are changed in place. */
  readonly version: number;
}

export interface TraceRowProps {
  readonly row: Row;
  readonly index: number;
  readonly top: number;
  readonly height: number;
  readonly view: RowView;
  readonly active: boolean;
  readonly open: boolean;
  /** The event at the replay's position belongs to it. */
  readonly current: boolean;
  readonly onPick: (index: number) => void;
  readonly onToggle: (row: Row) => void;
  readonly onFocused: (index: number) => void;
}

const spansOf = (row: Row): readonly Span[] => (row.type === 'span' ? [row.span] : row.spans);

function startOf(row: Row): number {
  return row.type === 'span' ? row.span.start : Math.min(...row.spans.map(({ start }) => start));
}

/** Duration of a row; a lane counts from its first start to its last end. */
function durationOf(row: Row, now: number): number {
  if (row.type === 'span') return (row.span.end ?? now) - row.span.start;
  return Math.max(...row.spans.map(({ end }) => end ?? now)) - startOf(row);
}

function tokensOf(row: Row): number {
  return spansOf(row).reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
}

function isFaint(span: Span, { critical, moment }: RowView): boolean {
  return (critical !== undefined && !critical.has(span)) || (moment !== undefined && span.start > moment);
}

export const TraceRow = memo(function TraceRow(props: TraceRowProps) {
  const { row, index, top, height, view, active, open, current, onPick, onToggle, onFocused } = props;
  const tokens = tokensOf(row);
  return (
    <div
      role="row"
      data-index={index}
      tabIndex={active ? 0 : -1}
      aria-rowindex={index + 2}
      aria-level={row.level}
      aria-expanded={row.expandable ? row.expanded : undefined}
      aria-selected={open}
      onFocus={() => onFocused(index)}
      onClick={() => onPick(index)}
      style={{ transform: `translateY(${top}px)`, height }}
      className={cn(
        'absolute inset-x-0 top-0 grid cursor-default items-center border-b border-border/50 -outline-offset-2 hover:bg-hover',
        TRACE_COLUMNS,
        open && 'bg-selected hover:bg-selected',
        current && 'shadow-[inset_3px_0_0_var(--accent)]',
        row.dimmed && 'text-muted',
      )}
    >
      <NameCell row={row} onToggle={onToggle} />
      <div role="gridcell" className="relative h-full min-w-0 overflow-hidden border-x border-border/50">
        {spansOf(row)
          .slice(0, row.type === 'lane' ? LANE_BARS_MAX : 1)
          .map((span) => (
            <SpanBar
              key={span.id}
              span={span}
              scale={view.scale}
              now={view.now}
              faint={isFaint(span, view)}
              critical={view.critical?.has(span)}
            />
          ))}
      </div>
      <div role="gridcell" className={cn('truncate px-2 text-right text-sm text-muted tabular-nums', WIDE_ONLY)}>
        +{formatDuration(Math.max(0, startOf(row) - view.origin))}
      </div>
      <div role="gridcell" className="truncate px-2 text-right text-sm tabular-nums">
        {row.type === 'span' && row.span.kind === 'note' ? '' : formatDuration(Math.max(0, durationOf(row, view.now)))}
      </div>
      <div role="gridcell" className={cn('truncate px-2 text-right text-sm text-muted tabular-nums', WIDE_ONLY)}>
        {tokens > 0 ? formatCompact(tokens) : ''}
      </div>
    </div>
  );
});

/** Number of bars drawn in one lane; thousands on one line are one block anyway. */
const LANE_BARS_MAX = 60;
const INDENT_PX = 16;

function NameCell({ row, onToggle }: { readonly row: Row; readonly onToggle: (row: Row) => void }) {
  const span = row.type === 'span' ? row.span : undefined;
  const name = row.type === 'lane' ? row.name : row.span.name;
  const kind = span ? KINDS[span.kind] : KINDS.turn;
  const Icon = kind.icon;
  return (
    <div role="gridcell" className="flex min-w-0 items-center gap-1.5 pr-2" style={{ paddingLeft: 8 + (row.level - 1) * INDENT_PX }}>
      {row.expandable ? (
        <button
          type="button"
          tabIndex={-1}
          aria-label={`${row.expanded ? 'Fold' : 'Unfold'} ${name}`}
          onClick={(event) => {
            event.stopPropagation();
            onToggle(row);
          }}
          className="flex size-5 shrink-0 items-center justify-center rounded-sm text-faint hover:bg-hover hover:text-text"
        >
          <ChevronRight aria-hidden className={cn('size-3.5 transition-transform', row.expanded && 'rotate-90')} />
        </button>
      ) : (
        <span className="w-5 shrink-0" />
      )}
      <Icon aria-hidden className={cn('size-3.5 shrink-0', INK[kind.tone])} />
      <span className="sr-only">{kind.label}:</span>
      <span
        className={cn(
          'min-w-0 truncate',
          span?.kind === 'tool' || span?.kind === 'model' ? 'font-mono text-sm' : 'text-base',
          row.level <= 2 && 'font-medium',
        )}
      >
        <UntrustedText text={name} />
      </span>
      {span && span.tries > 1 && (
        <Badge tone="warn" title={`${span.tries} attempts`}>
          ×{span.tries}
        </Badge>
      )}
      {span?.pinned !== undefined && (
        <Badge tone="info" icon={<Pin aria-hidden />} title={`Output ${standInLabel(span.pinned)}`}>
          {span.pinned === 'spec' ? 'Pinned' : 'Reused'}
        </Badge>
      )}
      {row.type === 'lane' && <Badge>{row.spans.length}</Badge>}
      {span && <StateMark span={span} expanded={row.expanded} />}
    </div>
  );
}

/** Success is the default and has no icon; every other state is an icon and a word. */
function StateMark({ span, expanded }: { readonly span: Span; readonly expanded: boolean }) {
  const { label, icon: Icon, tone } = STATES[span.state];
  if (span.state === 'ok') {
    if (span.failedBelow === 0 || expanded) return <span className="sr-only">{label}</span>;
    return (
      <span className={cn('ml-auto inline-flex shrink-0 items-center gap-1 text-sm', INK.danger)}>
        <STATES.failed.icon aria-hidden className="size-3.5" /> {span.failedBelow}
        <span className="sr-only">failed below</span>
      </span>
    );
  }
  return (
    <span className={cn('ml-auto inline-flex shrink-0 items-center gap-1 text-sm', INK[tone])}>
      <Icon aria-hidden className="size-3.5" />
      <span className="max-lg:sr-only">{label}</span>
    </span>
  );
}
