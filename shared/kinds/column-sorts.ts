// Orders of lists by the columns of a kind, and the sort values of an object for them. Pure.
// The console's first screen loads this: it imports no schema.
import { valueAtPath } from '../json.ts';

/** A column, as far as orders follow from it. */
interface SortedColumn {
  readonly path: string;
  readonly sort?: boolean;
}

/** Indexed fields that every object with such a column has. Each has few values: a list reads one range for each of them. */
const INDEXED = ['status.phase', 'spec.system'];

/** Whether lists are sorted by a column: by default by those of the spec, and by indexed fields. */
function isSorted({ path, sort = path.startsWith('spec.') || isIndexedOrder(path) }: SortedColumn): boolean {
  return sort && path !== 'metadata.createdAt';
}

/** Whether the order reads an indexed field: objects of one value are the newest first. */
export function isIndexedOrder(path: string): boolean {
  return INDEXED.includes(path);
}

/** Paths of the columns that lists are sorted by; each is the name of its order. */
export function sortedPaths(columns: readonly SortedColumn[]): string[] {
  return columns.filter(isSorted).map(({ path }) => path);
}

/** Such a value fits into the cursor of a page, however it is encoded. */
const TEXT_MAX_CHARS = 80;
const ITEMS_MAX = 20;
const NUMBER_CHARS = 26;
const DECIMALS = 9;
/** Below every value. */
const ABSENT = '0';
const PRESENT = '1';

/** Text whose bytewise order is that of the values, as tables show them: letters of both cases alike, numbers by size, absent ones first. */
function sortText(value: unknown): string {
  if (typeof value === 'number' && value >= 0)
    return PRESENT + Math.min(value, Number.MAX_SAFE_INTEGER).toFixed(DECIMALS).padStart(NUMBER_CHARS, '0');
  if (typeof value === 'boolean') return PRESENT + String(value);
  const text = Array.isArray(value) ? value.slice(0, ITEMS_MAX).filter(isText).join(', ') : isText(value) ? value : '';
  if (text === '') return ABSENT;
  // No part of a pair of surrogates and no zero: a database refuses them.
  return (
    PRESENT +
    text
      .slice(0, TEXT_MAX_CHARS)
      .toLowerCase()
      .replaceAll(/[\p{Cs}\p{Cc}]/gu, ' ')
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Sort values of an object for the columns that have no index of their own. */
export function columnSortValues(columns: readonly SortedColumn[], object: object): Readonly<Record<string, string>> {
  const paths = sortedPaths(columns).filter((path) => !isIndexedOrder(path));
  return Object.fromEntries(paths.map((path) => [path, sortText(valueAtPath(object, path))]));
}

/** Orders of a kind without others; see `ListSorts`. */
export function columnSorts(columns: readonly SortedColumn[]) {
  const paths = sortedPaths(columns);
  return {
    fields: Object.fromEntries(paths.filter(isIndexedOrder).map((path) => [path, path])),
    values: paths.filter((path) => !isIndexedOrder(path)),
    valuesOf: (object: object) => columnSortValues(columns, object),
  };
}
