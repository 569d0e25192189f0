// How a list is read from index ranges, page by page, whatever the engine: what it filters out, what it loads, and where a page ends.
import { FEW_ROWS, isFew, planBySize } from './list-driver.ts';
import { filterOf } from './list-plan.ts';
import type { FilteredRow, ListPlan } from './list-plan.ts';
import { compareRows, fetchStretch, isMerged, rangesOf, valuePosition } from './list-ranges.ts';
import type { ListRange, ListRow, PlaceSource, Position, RangeSource } from './list-ranges.ts';
import type { ListCursor, ValueOrder } from './list-order.ts';
import type { PageQuery, ObjectPage, StoredObject } from './store.ts';
import type { Terms } from './terms.ts';
import { parseObject } from './parse-object.ts';

/** The body of the row that ends a sized read: it no longer fits. The first row always does. */
export const NO_ROOM = '';

export interface LoadedObjects {
  readonly objects: ReadonlyMap<number, StoredObject>;
  /** Characters or bytes of their JSON together. */
  readonly size: number;
  /** An object did not fit. */
  readonly full: boolean;
}

type MaybePromise<T> = T | Promise<T>;

/** An engine's statements, as a list needs them. */
export interface ListSource extends RangeSource, PlaceSource {
  /** The objects of these rows that still exist, in this order while they fit; the first one whatever its size. */
  readonly load: (ids: readonly number[], bytesMax: number) => MaybePromise<LoadedObjects>;
  /** Rows of a term's range, counted up to a limit. Values come in this order: kind, term, value, namespace, the place in the order of creation, limit. */
  readonly count: (shape: CountShape, values: (string | number)[]) => MaybePromise<number>;
  /** Awaited between stretches of a filtered list, so that a long one does not hold up the process. */
  readonly pause: () => Promise<void>;
}

/** Inputs that select the statement of a count. */
export interface CountShape {
  readonly byTerm: boolean;
  readonly inNamespace: boolean;
  /** Counts the objects after a place in the order of creation. */
  readonly positioned: boolean;
}

/** Rows examined between two pauses of a filtered list. */
const SCAN_ROWS = 256;
/** Names searched for one page of a list by a part of the name. */
export const NAMES_PER_PAGE = 20 * SCAN_ROWS;

/** One page, of up to `bytesMax` of stored JSON. Throws `invalid` for a field without an index, and `gone` when the cursor's place in the order is no longer known. */
export async function readList(source: ListSource, query: PageQuery, bytesMax?: number): Promise<ObjectPage> {
  const { order } = query;
  if (order !== undefined && typeof order !== 'string') return readByValue(source, { ...query, order }, bytesMax);
  const plan = await planBySize(source, query);
  return readRanges(source, { query, plan, bytesMax });
}

interface RangeRead {
  readonly query: PageQuery;
  readonly plan: ListPlan;
  readonly bytesMax: number | undefined;
}

async function readRanges(source: ListSource, { query, plan, bytesMax }: RangeRead): Promise<ObjectPage> {
  const objects: StoredObject[] = [];
  const byName = query.namePart !== undefined;
  let room = bytesMax;
  let examined = 0;
  for await (const { range, from } of rangesOf(source, query, plan.driver)) {
    for (let position = from; objects.length < query.limit;) {
      const wanted = plan.filter ? SCAN_ROWS : query.limit;
      const stretch = {
        range,
        filtered: plan.filter !== undefined,
        position,
        limit: wanted,
        ...(room !== undefined && { bytesMax: room }),
      };
      const rows = await fetchStretch(source, stretch);
      const found = await matches(source, plan, { range, rows, limit: query.limit - objects.length, room, first: objects.length === 0 });
      objects.push(...found.objects);
      if (found.full) return { objects, full: true };
      if (room !== undefined) room -= found.size;
      const last = rows.at(-1);
      examined += rows.length;
      position = last;
      if (rows.length < wanted) break;
      if (byName && last && examined >= NAMES_PER_PAGE && objects.length < query.limit)
        return { objects, full: false, examined, reached: cursorAt(last) };
      if (objects.length < query.limit) await source.pause();
    }
    if (objects.length >= query.limit) break;
  }
  return { objects, full: false, ...(byName && { examined }) };
}

const cursorAt = ({ namespace, name, created_at }: ListRow): ListCursor => ({ namespace, name, createdAt: created_at });

interface FoundRows {
  readonly range: ListRange;
  readonly rows: readonly ListRow[];
  readonly limit: number;
  /** Absent: objects of any size. */
  readonly room: number | undefined;
  /** No object has been found yet: one is taken whatever its size. */
  readonly first: boolean;
}

interface Matches extends ObjectPage {
  readonly size: number;
}

const idOf = ({ id }: ListRow): number => id;

async function matches(source: ListSource, { filter }: ListPlan, found: FoundRows): Promise<Matches> {
  const { range, rows, limit, room } = found;
  if (filter || (room !== undefined && isMerged(range))) {
    const chosen = filter ? rows.filter((row) => isCurrent(range, row) && filter(row)) : rows;
    return loadAll(source, chosen.map(idOf), found);
  }
  const last = rows.at(-1);
  const full = last?.body === NO_ROOM && last.object === undefined;
  const fitting = full ? rows.slice(0, -1) : rows.slice(0, limit);
  return { objects: fitting.map(({ body, object }) => object ?? parseObject(body)), size: 0, full };
}

const termsOf = (row: FilteredRow): Terms => JSON.parse(row.body) as Terms;

/** A row of a sort value that a server of another version left behind does not belong to the object. */
function isCurrent({ field }: ListRange, row: ListRow): boolean {
  if (field === undefined) return true;
  const { sortValues } = termsOf(row);
  return sortValues !== undefined && (field === '' ? Object.keys(sortValues).length === 0 : sortValues[field] === row.value);
}

async function loadAll(
  source: ListSource,
  ids: readonly number[],
  { limit, room = Infinity, first }: Omit<FoundRows, 'range' | 'rows'>,
): Promise<Matches> {
  const objects: StoredObject[] = [];
  let size = 0;
  // More than once only when one of them was deleted since its row was read.
  for (let at = 0; at < ids.length && objects.length < limit;) {
    const wanted = ids.slice(at, at + limit - objects.length);
    const loaded = await source.load(wanted, room - size);
    const alone = first && objects.length === 0;
    if (size + loaded.size > room && !alone) return { objects, size, full: true };
    objects.push(...wanted.flatMap((id) => loaded.objects.get(id) ?? []));
    size += loaded.size;
    if (loaded.full) return { objects, size, full: true };
    at += wanted.length;
  }
  return { objects, size, full: false };
}

type ByValue = PageQuery & { readonly order: ValueOrder };

const ANY = () => true;

async function readByValue(source: ListSource, query: ByValue, bytesMax: number | undefined): Promise<ObjectPage> {
  const byTerms = filterOf(query);
  const filter: ListPlan['filter'] = byTerms && ((row) => byTerms(termsOf(row)));
  const { driver } = await planBySize(source, query);
  if (driver && filter && (await isFew(source, query, driver))) {
    const rows = await selectSorted(source, query, { driver, filter });
    const { objects, full } = await loadAll(source, rows.map(idOf), { limit: query.limit, room: bytesMax, first: true });
    return { objects, full };
  }
  return readRanges(source, { query, plan: { filter: filter ?? ANY }, bytesMax });
}

/** All matching rows of a small selection behind the cursor, in the order of their values. */
async function selectSorted(source: ListSource, query: ByValue, { driver, filter = ANY }: ListPlan): Promise<ListRow[]> {
  const { kind, namespace, order, after } = query;
  const range: ListRange = { kind, namespace, order: 'name', ...(driver && { driver }) };
  const rows = await fetchStretch(source, { range, filtered: true, position: undefined, limit: 2 * FEW_ROWS });
  const compare = comparePlaces(order);
  const start = after && valuePosition(after);
  return rows
    .flatMap((row) => {
      const terms = termsOf(row);
      const value = order.by === 'field' ? terms.fields[order.path] : terms.sortValues && (terms.sortValues[order.path] ?? '');
      return value !== undefined && filter(row) ? [{ ...row, value }] : [];
    })
    .filter((row) => !start || compare(row, start) > 0)
    .sort(compare);
}

/** The order of the ranges that a larger selection reads. */
function comparePlaces({ by, descending }: ValueOrder): (a: Position, b: Position) => number {
  const byValue = compareRows(descending ? '-value' : 'value');
  if (by === 'sortValue') return byValue;
  const newestFirst = compareRows('-createdAt');
  const sameKey = { namespace: '', name: '', created_at: '' };
  return (a, b) => byValue({ ...sameKey, value: a.value ?? '' }, { ...sameKey, value: b.value ?? '' }) || newestFirst(a, b);
}
