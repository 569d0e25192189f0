// The table of the console: any number of rows, of which only the visible ones are rendered. One row has the focus; J, K and the arrows
// move it, Enter opens, Space peeks, X selects, Shift-X selects up to here. They work from the first press on a page (use-page-keys.ts).
import { useCallback, useEffect, useMemo, useRef, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import { cn } from '../cn.ts';
import { DataTableHead } from './DataTableHead.tsx';
import { DataTableRow } from './DataTableRow.tsx';
import { Skeleton } from '../feedback/Skeleton.tsx';
import { Spinner } from '../feedback/Spinner.tsx';
import { useTimeMode } from '../status/time-mode.ts';
import {
  gridTemplate,
  leastWidth,
  rowAfterKey,
  selectRows,
  withRoomForTimes,
  type DataColumn,
  type TableSelection,
  type TableSort,
} from './table-model.ts';
import { PRINTED_ROWS, PrintedPart } from './printing.tsx';
import { useActiveRow } from './use-active-row.ts';
import { PAGE_LIST, usePageKeys } from '../link/use-page-keys.ts';
import { useListBefore, useListMemory } from './use-list-memory.ts';
import { useRowHeight } from './use-row-height.ts';
import { useVirtualRows } from './use-virtual-rows.ts';

export interface DataTableProps<Row> {
  /** The table's name for screen readers. */
  readonly label: string;
  /** Keep the array's identity while its content is the same: a new array renders all rows again. */
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly columns: readonly DataColumn<Row>[];
  readonly hiddenColumns?: ReadonlySet<string>;
  /** Number of rows on the server; the loaded ones when absent. */
  readonly totalCount?: number | undefined;
  readonly onOpen?: (row: Row) => void;
  /** Shows the row in the inspector: Space on the focused row, or a click on the row's button for it. */
  readonly onPeek?: ((row: Row, by: 'key' | 'click') => void) | undefined;
  /** The key of the row whose details are open elsewhere. */
  readonly openKey?: string | undefined;
  /** Called when the focused row changes, for an inspector that follows. */
  readonly onActiveChange?: (row: Row) => void;
  readonly selection?: TableSelection | undefined;
  readonly sort?: TableSort | undefined;
  readonly onSort?: ((sort: TableSort) => void) | undefined;
  /** More can be loaded; called near the end. */
  readonly onLoadMore?: (() => void) | undefined;
  readonly loadingMore?: boolean;
  /** The first page is loading: shows placeholder rows. */
  readonly loading?: boolean;
  /** Replacement for rows when there are none: an EmptyState or ErrorCard. */
  readonly empty?: ReactNode;
  /** Names a row for its checkbox. */
  readonly rowLabel?: (row: Row) => string;
  /** More keys on the focused row; returns true when the key was used. */
  readonly onRowKey?: (event: KeyboardEvent, row: Row) => boolean;
  readonly className?: string;
}

/** In a low window, or at a zoom of 200 %, the page scrolls to the rows. */
const SCROLLER = 'relative min-h-0 flex-1 overflow-auto overscroll-contain -outline-offset-2 [@media(max-height:40rem)]:min-h-56';
const SKELETON_ROWS = 12;
const OVERSCAN = 12;
const HEAD_HEIGHT = 32;
const LOAD_AHEAD_ROWS = 30;

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, rowKey, columns: allColumns, hiddenColumns, selection, onLoadMore, loadingMore, loading = false, className } = props;
  const columns = useShownColumns(allColumns, hiddenColumns);
  const rowHeight = useRowHeight();
  const before = useListBefore(props.label);
  const [active, setActive] = useActiveRow(rows, rowKey, before?.place);
  const { scroller, items, height, focusRow } = useVirtualRows({
    count: rows.length,
    keyOf: useCallback((index: number) => rowKey(rows[index] as Row), [rows, rowKey]),
    rowHeight,
    active,
    overscan: OVERSCAN,
    // The head covers the top of the scroller.
    headHeight: HEAD_HEIGHT,
  });
  const row = rows[active];
  useListMemory({ label: props.label, scroller, place: row && { key: rowKey(row), index: active } }, before);
  useLoadAhead(props, items.at(-1)?.index ?? -1);
  const keyboard = useTableKeyboard(props, { active, setActive, focusRow, scroller, rowHeight });
  const selectable = selection !== undefined;
  const template = gridTemplate(columns, selectable);
  const total = props.totalCount ?? rows.length;
  const counted = !onLoadMore || props.totalCount !== undefined;
  const showsRows = rows.length > 0;
  return (
    <div
      {...PAGE_LIST}
      ref={scroller}
      role="grid"
      aria-label={props.label}
      aria-rowcount={counted ? total + 1 : -1}
      aria-colcount={columns.length + (selectable ? 1 : 0)}
      aria-multiselectable={selectable || undefined}
      aria-busy={loading || undefined}
      tabIndex={showsRows ? -1 : 0}
      onKeyDown={keyboard.onKeyDown}
      className={cn(SCROLLER, className)}
    >
      <div style={{ minWidth: leastWidth(columns, selectable) }} role="presentation">
        <DataTableHead {...props} columns={columns} template={template} />
        <div role="rowgroup" {...PRINTED_ROWS} className="relative" style={showsRows ? { height } : undefined}>
          {items.map((item) => (
            <DataTableRow
              key={item.key}
              table={props}
              columns={columns}
              template={template}
              row={rows[item.index] as Row}
              index={item.index}
              top={item.start}
              height={rowHeight}
              focusable={item.index === active}
              onFocused={setActive}
              onToggle={keyboard.toggle}
            />
          ))}
          {loading && !showsRows && <SkeletonRows template={template} columns={columns.length + (selectable ? 1 : 0)} />}
        </div>
      </div>
      <PrintedPart loaded={rows.length} total={counted ? total : undefined} />
      {loadingMore && <LoadingMore />}
      {!loading && !showsRows && (
        <div role="row" className="sticky left-0 p-6">
          <div role="gridcell">{props.empty}</div>
        </div>
      )}
    </div>
  );
}

/**
 * Requests more rows near the end: once for each end. Scrolling on during the request sends no other one, and a failure is not repeated for
 * ever.
 */
function useLoadAhead<Row>({ rows, onLoadMore, loadingMore = false }: DataTableProps<Row>, lastShown: number): void {
  const requestedFor = useRef<unknown>(undefined);
  useEffect(() => {
    const near = lastShown >= 0 && lastShown >= rows.length - LOAD_AHEAD_ROWS;
    if (!onLoadMore || loadingMore || !near || requestedFor.current === rows) return;
    requestedFor.current = rows;
    onLoadMore();
  }, [onLoadMore, loadingMore, lastShown, rows]);
}

function useShownColumns<Row>(all: readonly DataColumn<Row>[], hidden: ReadonlySet<string> | undefined): readonly DataColumn<Row>[] {
  const timeMode = useTimeMode();
  return useMemo(
    () =>
      withRoomForTimes(
        all.filter((column) => !hidden?.has(column.id)),
        timeMode,
      ),
    [all, hidden, timeMode],
  );
}

function LoadingMore() {
  return (
    <div className="sticky left-0 flex h-10 w-full items-center justify-center gap-2 text-sm text-muted">
      <Spinner /> Loading more
    </div>
  );
}

function SkeletonRows({ template, columns }: { readonly template: string; readonly columns: number }) {
  return Array.from({ length: SKELETON_ROWS }, (_, row) => (
    <div
      key={row}
      role="row"
      aria-hidden
      className="grid h-row items-center border-b border-border/60 px-3"
      style={{ gridTemplateColumns: template }}
    >
      {Array.from({ length: columns }, (_each, column) => (
        <span key={column} role="gridcell" className="px-3">
          <Skeleton className={cn((row + column) % 3 === 0 ? 'w-1/2' : (row + column) % 3 === 1 ? 'w-3/4' : 'w-2/3')} />
        </span>
      ))}
    </div>
  ));
}

/** Keys in text fields and on buttons inside a row belong to those. */
function isOwnKey(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return false;
  const target = event.target as HTMLElement;
  if (target.closest('input:not([type="checkbox"]), textarea, select, [contenteditable="true"]')) return false;
  return event.key !== 'Enter' || target.closest('a, button') === null;
}

/** Space on a button or a checkbox inside a row belongs to it. */
function isRow({ target }: KeyboardEvent): boolean {
  return (target as HTMLElement).role === 'row';
}

interface Focus {
  readonly active: number;
  readonly setActive: (index: number) => void;
  readonly focusRow: (index: number) => void;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly rowHeight: number;
}

/** Keyboard handling of the focused row. */
function useTableKeyboard<Row>(table: DataTableProps<Row>, { active, setActive, focusRow, scroller, rowHeight }: Focus) {
  const { rows, rowKey, selection, onOpen, onPeek, onActiveChange } = table;
  usePageKeys(scroller, active, focusRow);
  /** Key of the last selected row. */
  const anchor = useRef<string | undefined>(undefined);
  const move = (to: number) => {
    setActive(to);
    focusRow(to);
    const row = rows[to];
    if (row !== undefined) onActiveChange?.(row);
  };
  const toggle = (index: number, range: boolean) => {
    if (!selection) return;
    const keys = rows.map(rowKey);
    const from = range && anchor.current !== undefined ? keys.indexOf(anchor.current) : -1;
    selection.onChange(selectRows(selection.selected, keys, { at: index, anchor: from < 0 ? undefined : from }));
    anchor.current = keys[index];
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[active];
    if (row === undefined || !isOwnKey(event)) return;
    const page = Math.max(1, Math.floor(((scroller.current?.clientHeight ?? 0) - HEAD_HEIGHT) / rowHeight) - 1);
    const to = rowAfterKey(event.key, active, { count: rows.length, page });
    const act = (): boolean => {
      if (to !== undefined) move(to);
      else if (event.key.toLowerCase() === 'x' && selection) toggle(active, event.shiftKey);
      else if (event.key === 'Enter' && onOpen) onOpen(row);
      else if (event.key === ' ' && onPeek && isRow(event)) onPeek(row, 'key');
      else return table.onRowKey?.(event, row) ?? false;
      return true;
    };
    if (!act()) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { toggle, onKeyDown };
}
