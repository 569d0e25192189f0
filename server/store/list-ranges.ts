// Index ranges that a list reads, one after the other: their columns, positions in them, and the merge of several ranges of one order.
// Its only SQL is the columns of an order; each engine brings the statements.
import { invariant, ServiceError } from '@svc/shared/errors';
import { describeKey } from '@svc/shared/resource';
import type { ResourceKey } from '@svc/shared/resource';
import type { ListPlan } from './list-plan.ts';
import type { KeyOrder, ListCursor, ValueOrder } from './list-order.ts';
import type { ListQuery, StoredObject } from './store.ts';
import { fieldTerm, WITHOUT_SORT_VALUES } from './terms.ts';

export interface ListRow {
  id: number;
  namespace: string;
  name: string;
  created_at: string;
  /** Present in orders by value. */
  value?: string;
  /** The object's JSON, or its terms when the list has a filter. */
  body: string;
  /** In place of a body, where the engine has the object at hand. */
  object?: StoredObject;
}

/** Order of one range. `value` is the order of the sort values of one field. */
export type RangeOrder = KeyOrder | 'value' | '-value';

/** Inputs that select the statement of a list: its WHERE and ORDER BY follow one index from left to right. */
export interface ListShape {
  readonly byTerm: boolean;
  readonly inNamespace: boolean;
  readonly order: RangeOrder;
  readonly positioned: boolean;
  readonly filtered: boolean;
  /** The statement takes one more value, the bytes that the bodies may have together. */
  readonly sized: boolean;
}

type MaybePromise<T> = T | Promise<T>;

/** An engine's statements that find rows. */
export interface RangeSource {
  /**
   * Runs the statement of a shape. Values come in this order: kind, term and value (by term) or field (by sort value), namespace, the order
   * columns of the position, limit, bytes (sized).
   */
  readonly fetch: (shape: ListShape, values: (string | number)[]) => MaybePromise<ListRow[]>;
}

/** An engine's statements that decide which ranges are read. */
export interface PlaceSource {
  /** The value of a term that follows `value` in the order, whatever the namespace. */
  readonly nextValue: (
    term: { readonly kind: string; readonly term: string },
    value: string,
    descending: boolean,
  ) => MaybePromise<string | undefined>;
  /** The object, or the last state the change log holds of it. */
  readonly lastKnown: (key: ResourceKey) => MaybePromise<StoredObject | undefined>;
}

/** A place in the order: strictly after it. */
export type Position = Readonly<Pick<ListRow, 'namespace' | 'name' | 'created_at' | 'value'>>;

/** Rows of one index in its order, or of several ranges of one index, merged. */
export interface ListRange {
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly order: RangeOrder;
  readonly driver?: ListPlan['driver'];
  /** For the orders by value: the field whose sort values they are. */
  readonly field?: string;
}

/** One read of a range: up to `limit` rows after `position`. */
export interface Stretch {
  readonly range: ListRange;
  /** Rows come with their terms in place of their objects. */
  readonly filtered: boolean;
  readonly position: Position | undefined;
  readonly limit: number;
  /** Absent: bodies of any size. */
  readonly bytesMax?: number;
}

/** Above every name in bytewise order (names are ASCII), and above every value. */
const AFTER_ALL = '\u{10ffff}';

export function isDescending(order: RangeOrder): boolean {
  return order.startsWith('-');
}

/** Columns that order a list of this shape, after those fixed by its WHERE. */
export function orderColumns({
  inNamespace,
  order,
}: Pick<ListShape, 'inNamespace' | 'order'>): ('value' | 'created_at' | 'namespace' | 'name')[] {
  const key = inNamespace ? (['name'] as const) : (['namespace', 'name'] as const);
  if (order === 'name' || order === '-name') return [...key];
  return [order === 'createdAt' || order === '-createdAt' ? 'created_at' : 'value', ...key];
}

function compareBytes(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Orders rows of several ranges as the index orders one. */
export function compareRows(order: RangeOrder): (a: Position, b: Position) => number {
  const columns = orderColumns({ inNamespace: false, order });
  const sign = isDescending(order) ? -1 : 1;
  return (a, b) => {
    for (const column of columns) {
      const difference = compareBytes(a[column] ?? '', b[column] ?? '');
      if (difference !== 0) return sign * difference;
    }
    return 0;
  };
}

/** The name bound of a position within one namespace: a position of another namespace lies before or after all of its names. */
function nameBound(position: Position, namespace: string): string {
  const order = compareBytes(position.namespace, namespace);
  if (order === 0) return position.name;
  return order < 0 ? '' : AFTER_ALL;
}

/** A position as the values of the order's columns. */
export function positionValues({ namespace, order }: Pick<ListRange, 'namespace' | 'order'>, position: Position): string[] {
  return orderColumns({ inNamespace: namespace !== undefined, order }).map((column) =>
    column === 'name' && namespace !== undefined ? nameBound(position, namespace) : (position[column] ?? ''),
  );
}

/** Several ranges are read and merged. Their bodies are loaded after that: each range could fill a page by itself. */
export function isMerged({ driver }: Pick<ListRange, 'driver'>): boolean {
  return (driver?.values.length ?? 0) > 1;
}

export async function fetchStretch(source: RangeSource, stretch: Stretch): Promise<ListRow[]> {
  const { range, filtered, position, limit, bytesMax } = stretch;
  const { kind, namespace, order, driver, field } = range;
  const shape: ListShape = {
    byTerm: driver !== undefined,
    inNamespace: namespace !== undefined,
    order,
    positioned: position !== undefined,
    filtered: filtered || (bytesMax !== undefined && isMerged(range)),
    sized: bytesMax !== undefined && !filtered && !isMerged(range),
  };
  const size = shape.sized && bytesMax !== undefined ? [bytesMax] : [];
  const tail = [...(namespace === undefined ? [] : [namespace]), ...(position ? positionValues(range, position) : []), limit, ...size];
  if (!driver) return source.fetch(shape, [kind, ...(field === undefined ? [] : [field]), ...tail]);
  const ranges: ListRow[][] = [];
  for (const value of driver.values) ranges.push(await source.fetch(shape, [kind, driver.term, value, ...tail]));
  if (ranges.length === 1) return ranges[0] ?? [];
  // An object has one value per label and field, so the ranges are disjoint, and the first `limit` of all are among the first `limit` of each.
  return ranges.flat().sort(compareRows(order)).slice(0, limit);
}

/** A range, and the place in it where the list begins. */
interface RangeStart {
  readonly range: ListRange;
  readonly from: Position | undefined;
}

type Ranges = AsyncGenerator<RangeStart>;

/** The ranges of a list in its order. Throws `gone` when the cursor's place in the order is no longer known. */
export async function* rangesOf(source: PlaceSource, query: ListQuery, driver: ListPlan['driver']): Ranges {
  const { kind, namespace, order = 'name', after } = query;
  if (typeof order !== 'string') {
    const ranges = order.by === 'field' ? fieldRanges(source, query, order) : sortValueRanges(query, order);
    yield* ranges;
    return;
  }
  const from = after && { namespace: after.namespace, name: after.name, created_at: await createdAtOf(source, query, after) };
  yield { range: { kind, namespace, order, ...(driver && { driver }) }, from };
}

async function createdAtOf(source: PlaceSource, { kind, order = 'name' }: ListQuery, cursor: ListCursor): Promise<string> {
  if (order === 'name' || order === '-name') return '';
  if (cursor.createdAt !== undefined) return cursor.createdAt;
  const key = { kind, namespace: cursor.namespace, name: cursor.name };
  // The cursor's item may be gone by now: its creation time is then read from the change log.
  const createdAt = (await source.lastKnown(key))?.createdAt;
  if (createdAt !== undefined) return createdAt;
  throw new ServiceError('gone', `the list cannot continue after ${describeKey(key)}, which no longer exists; start the list again`);
}

/** The place of a cursor among values. */
export function valuePosition({ namespace, name, createdAt, value }: ListCursor): Position & { readonly value: string } {
  invariant(value !== undefined, 'a cursor of an order by value has its value');
  return { namespace, name, created_at: createdAt ?? '', value };
}

/** One range for each value of the field, from one value to the next: the cost is their number. */
async function* fieldRanges(source: PlaceSource, { kind, namespace, fields = [], after }: ListQuery, order: ValueOrder): Ranges {
  const term = fieldTerm(order.path);
  const only = fields.find(({ op, path }) => op === 'eq' && path === order.path)?.value;
  const next = (value: string) => source.nextValue({ kind, term }, value, order.descending);
  const start = after && valuePosition(after);
  let from: Position | undefined = start;
  let value: string | undefined = only ?? start?.value ?? (await next(order.descending ? AFTER_ALL : ''));
  while (value !== undefined) {
    yield { range: { kind, namespace, order: '-createdAt', driver: { term, values: [value] } }, from };
    from = undefined;
    value = only === undefined ? await next(value) : undefined;
  }
}

/** The objects with the value, and those without any, which are below them. */
async function* sortValueRanges({ kind, namespace, after }: ListQuery, { path, descending }: ValueOrder): Ranges {
  const fields = descending ? [path, WITHOUT_SORT_VALUES] : [WITHOUT_SORT_VALUES, path];
  const start = after && valuePosition(after);
  const first = start ? fields.indexOf(start.value === '' ? WITHOUT_SORT_VALUES : path) : 0;
  for (const [index, field] of fields.entries()) {
    if (index < first) continue;
    yield { range: { kind, namespace, order: descending ? '-value' : 'value', field }, from: index === first ? start : undefined };
  }
}
