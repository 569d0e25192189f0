// Props of DataTable, and the pure rules of moving and selecting in it.
import type { ReactNode } from 'react';
import { formatDateTime } from '../status/format.ts';
import type { TimeMode } from '../status/time-mode.ts';

export interface DataColumn<Row> {
  readonly id: string;
  readonly title: string;
  /** The title is for screen readers only. */
  readonly titleHidden?: boolean;
  readonly cell: (row: Row) => ReactNode;
  /** Minimum width in px at the usual size of text, with which it grows; 120 when absent. */
  readonly width?: number;
  /** Holds times: in the absolute formats it is at least as wide as one. */
  readonly time?: boolean;
  /** Its share of the remaining width; 0 keeps the width. 1 when absent. */
  readonly grow?: number;
  readonly align?: 'start' | 'end';
  /** Whether the caller can sort by it; `descending`: a first click puts the largest on top. */
  readonly sort?: boolean | 'descending';
  /** Cannot be hidden: the name of the row. */
  readonly pinned?: boolean;
}

export interface TableSort {
  readonly column: string;
  readonly direction: 'asc' | 'desc';
}

export interface TableSelection {
  readonly selected: ReadonlySet<string>;
  readonly onChange: (selected: ReadonlySet<string>) => void;
}

const WIDTH = 120;
const SELECT_WIDTH = 36;
/** Padding of a row, both sides together. */
const PADDING = 24;

/** Width for the dates of English, such as `Nov 28, 2026, 16:48:44`. */
const ENGLISH_TIME_WIDTH = 184;
const ENGLISH_TIME_LENGTH = 22;
const CHARACTER_WIDTH = 7;

/** Width in px for an absolute time in the format of the locale, by default the browser's: some write 28 characters. */
export function absoluteTimeWidth(locale?: string): number {
  const lengths = Array.from({ length: 12 }, (_, month) => formatDateTime(Date.UTC(2026, month, 28), 'UTC', locale).length);
  return ENGLISH_TIME_WIDTH + Math.max(0, Math.max(...lengths) - ENGLISH_TIME_LENGTH) * CHARACTER_WIDTH;
}

export function withRoomForTimes<Column extends Pick<DataColumn<never>, 'width' | 'time'>>(
  columns: readonly Column[],
  mode: TimeMode,
): readonly Column[] {
  if (mode === 'relative') return columns;
  const least = absoluteTimeWidth();
  return columns.map((column) => (column.time === true ? { ...column, width: Math.max(column.width ?? WIDTH, least) } : column));
}

/** Widths follow the browser's size of text: a state of a row is whole at each. */
const rem = (px: number) => `${px / 16}rem`;

/** The grid's columns, equal for the head and each row. */
export function gridTemplate(columns: readonly Pick<DataColumn<never>, 'width' | 'grow'>[], selectable: boolean): string {
  const tracks = columns.map(({ width = WIDTH, grow = 1 }) => (grow === 0 ? rem(width) : `minmax(${rem(width)}, ${grow}fr)`));
  return [...(selectable ? [rem(SELECT_WIDTH)] : []), ...tracks].join(' ');
}

export function leastWidth(columns: readonly Pick<DataColumn<never>, 'width'>[], selectable: boolean): string {
  return rem(columns.reduce((sum, { width = WIDTH }) => sum + width, PADDING + (selectable ? SELECT_WIDTH : 0)));
}

/** Target row of a key; undefined for keys that do not move. */
export function rowAfterKey(key: string, at: number, bounds: { readonly count: number; readonly page: number }): number | undefined {
  const last = bounds.count - 1;
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    j: at + 1,
    ArrowUp: at - 1,
    k: at - 1,
    Home: 0,
    End: last,
    PageDown: at + bounds.page,
    l: at + bounds.page,
    PageUp: at - bounds.page,
    h: at - bounds.page,
  };
  const to = Object.hasOwn(moves, key) ? moves[key] : undefined;
  return to === undefined || last < 0 ? undefined : Math.min(last, Math.max(0, to));
}

/** Toggles one row, or with an anchor sets the whole range between them to the anchor's state. */
export function selectRows(
  selected: ReadonlySet<string>,
  keys: readonly string[],
  { at, anchor }: { readonly at: number; readonly anchor?: number | undefined },
): Set<string> {
  const next = new Set(selected);
  const key = keys[at];
  if (key === undefined) return next;
  const anchorKey = anchor === undefined ? undefined : keys[anchor];
  if (anchor === undefined || anchorKey === undefined || anchor === at) {
    if (!next.delete(key)) next.add(key);
    return next;
  }
  const on = selected.has(anchorKey);
  for (const each of keys.slice(Math.min(at, anchor), Math.max(at, anchor) + 1)) {
    if (on) next.add(each);
    else next.delete(each);
  }
  return next;
}

/** Header click: ascending, descending, then reversed again. */
export function nextSort(sort: TableSort | undefined, column: Pick<DataColumn<never>, 'id' | 'sort'>): TableSort {
  const [first, second] = column.sort === 'descending' ? (['desc', 'asc'] as const) : (['asc', 'desc'] as const);
  return { column: column.id, direction: sort?.column === column.id && sort.direction === first ? second : first };
}
