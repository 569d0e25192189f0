// The rows of the waterfall as a tree grid: only visible ones are rendered, and every row is reached by arrow keys.
import { useCallback, useEffect, useRef, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import { PRINTED_ROWS, PrintedPart } from '../../../ui/table/printing.tsx';
import { rowAfterKey } from '../../../ui/table/table-model.ts';
import { useRowHeight } from '../../../ui/table/use-row-height.ts';
import { PAGE_LIST, usePageKeys } from '../../../ui/link/use-page-keys.ts';
import { useVirtualRows } from '../../../ui/table/use-virtual-rows.ts';
import type { Row } from './rows.ts';
import type { Span } from '../model/spans.ts';
import { TraceRow, type RowView, TRACE_COLUMNS } from './TraceRow.tsx';
import type { TimeScale } from './time-scale.ts';
import { cn } from '../../../ui/cn.ts';

export interface TraceGridProps {
  readonly rows: readonly Row[];
  readonly view: RowView;
  /** Id of the row whose details are open; empty when none are. */
  readonly openId: string;
  /** Span of the event at the replay's position. */
  readonly current: Span | undefined;
  readonly active: number;
  readonly onActive: (index: number) => void;
  /** Opens the details of a row. */
  readonly onOpen: (row: Row) => void;
  readonly onClose: () => void;
  readonly onFold: (row: Row, folded: boolean) => void;
  /** Other keys; returns true when one was used. */
  readonly onOtherKey: (event: KeyboardEvent) => boolean;
  /** The pinned head. */
  readonly head: ReactNode;
  readonly busy: boolean;
  /** Replacement for rows. */
  readonly empty?: ReactNode;
}

const OVERSCAN = 10;
/** The pinned head is above the rows in the same scroller. */
const AXIS_HEIGHT = 40;

export function TraceGrid(props: TraceGridProps) {
  const { rows, view, openId, current, active, onActive, onOpen, onFold, head, busy, empty } = props;
  const rowHeight = useRowHeight();
  const { scroller, items, height, scrollTo, focusRow } = useVirtualRows({
    count: rows.length,
    keyOf: useCallback((index: number) => rows[index]?.id ?? index, [rows]),
    rowHeight,
    active,
    overscan: OVERSCAN,
    headHeight: AXIS_HEIGHT,
  });
  useReveal(rows, current?.id ?? openId, scrollTo);
  const onKeyDown = gridKeys(props, { scroller, rowHeight, focusRow });
  usePageKeys(scroller, active, focusRow);
  const pick = useCallback(
    (index: number) => {
      onActive(index);
      const row = rows[index];
      if (row) onOpen(row);
    },
    [rows, onActive, onOpen],
  );
  const toggle = useCallback((row: Row) => onFold(row, row.expanded), [onFold]);
  return (
    <div
      {...PAGE_LIST}
      ref={scroller}
      role="treegrid"
      aria-label="Trace"
      aria-rowcount={rows.length + 1}
      aria-busy={busy || undefined}
      tabIndex={rows.length === 0 ? 0 : -1}
      onKeyDown={onKeyDown}
      className="@container/trace relative min-h-0 min-w-0 flex-1 overflow-auto overscroll-contain bg-surface -outline-offset-2"
    >
      {head}
      <div role="rowgroup" {...PRINTED_ROWS} className="relative min-h-full print:min-h-0" style={{ height }}>
        {rows.length > 0 && <TimeMarks scale={view.scale} moment={view.moment} />}
        {items.map((item) => {
          const row = rows[item.index] as Row;
          return (
            <TraceRow
              key={item.key}
              row={row}
              index={item.index}
              top={item.start}
              height={rowHeight}
              view={view}
              active={item.index === active}
              open={row.id === openId}
              current={current !== undefined && row.id === current.id}
              onPick={pick}
              onToggle={toggle}
              onFocused={onActive}
            />
          );
        })}
        {rows.length === 0 && empty}
      </div>
      <PrintedPart loaded={rows.length} total={rows.length} />
    </div>
  );
}

/** Scrolls a row into view once when an address or a replay selects it. */
function useReveal(rows: readonly Row[], id: string, scrollTo: (index: number) => void): void {
  const shown = useRef('');
  useEffect(() => {
    if (id === '' || shown.current === id) return;
    const index = rows.findIndex((row) => row.id === id);
    if (index < 0) return;
    shown.current = id;
    scrollTo(index);
  });
}

interface Grid {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly rowHeight: number;
  readonly focusRow: (index: number) => void;
}

/** Keys of the grid: moving, folding, opening. Keys on buttons inside a row belong to those. */
function gridKeys(props: TraceGridProps, { scroller, rowHeight, focusRow }: Grid): (event: KeyboardEvent) => void {
  const { rows, openId, onActive, onOpen, onOtherKey } = props;
  const move = (to: number) => {
    onActive(to);
    focusRow(to);
    const row = rows[to];
    if (row && openId !== '') onOpen(row);
  };
  return (event) => {
    const foreign = event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey;
    if (foreign || (event.target as HTMLElement).tagName === 'BUTTON') return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2);
    if (!treeKey(event, { ...props, page, move }) && !onOtherKey(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
}

interface KeyContext extends TraceGridProps {
  readonly page: number;
  readonly move: (to: number) => void;
}

/** Whether the key belongs to trees. */
function treeKey(event: KeyboardEvent, context: KeyContext): boolean {
  const { rows, active, page, move, onFold, onOpen, onClose, openId } = context;
  const row = rows[active];
  if (!row) return false;
  const to = rowAfterKey(event.key, active, { count: rows.length, page });
  if (to !== undefined) move(to);
  else if (event.key === 'ArrowRight' && row.expandable && !row.expanded) onFold(row, false);
  else if (event.key === 'ArrowRight' && row.expanded) move(Math.min(active + 1, rows.length - 1));
  else if (event.key === 'ArrowLeft' && row.expanded) onFold(row, true);
  else if (event.key === 'ArrowLeft')
    move(
      Math.max(
        0,
        rows.findLastIndex((each, index) => index < active && each.level < row.level),
      ),
    );
  else if (event.key === 'Enter') onOpen(row);
  else if (event.key === 'Escape' && openId !== '') onClose();
  else return false;
  return true;
}

interface TimeMarksProps {
  readonly scale: TimeScale;
  readonly moment: number | undefined;
}

/** Closer ones would merge into a grey area. */
const BREAKS_MAX = 40;

function TimeMarks({ scale, moment }: TimeMarksProps) {
  const head = moment === undefined ? undefined : scale.place(moment);
  return (
    <div aria-hidden className={cn('pointer-events-none absolute inset-0 grid', TRACE_COLUMNS)}>
      <div />
      <div className="relative overflow-hidden">
        {scale.ticks.slice(1).map(({ place }) => (
          <span key={place} style={{ left: `${place * 100}%` }} className="absolute inset-y-0 border-l border-border/40" />
        ))}
        {scale.breaks.slice(0, BREAKS_MAX).map(({ at, start }) => (
          <span
            key={start}
            style={{ left: `${at * 100}%` }}
            className="absolute inset-y-0 w-2.5 -translate-x-1/2 border-x border-dashed border-border-strong/60 bg-sunken"
          />
        ))}
        {head !== undefined && head >= 0 && head <= 1 && (
          <span data-playhead style={{ left: `${head * 100}%` }} className="absolute inset-y-0 z-1 border-l-2 border-accent" />
        )}
      </div>
    </div>
  );
}
