// How a list is read from index ranges, page by page, whatever the engine: where it begins, which ranges it merges, what it filters out.
// Its only SQL is the columns of an order; each engine brings the statements.
import { ServiceError } from '@svc/shared/errors';
import { describeKey } from '@svc/shared/resource';
import type { ResourceKey } from '@svc/shared/resource';
import { planList } from './list-plan.ts';
import type { ListPlan } from './list-plan.ts';
import type { ListCursor, ListOrder, ListQuery, ObjectPage, StoredObject } from './store.ts';
import type { Terms } from './terms.ts';
import { parseObject } from './parse-object.ts';

export interface ListRow {
  id: number;
  namespace: string;
  name: string;
  created_at: string;
  /** The object's JSON, or its terms when the list has a filter. */
  body: string;
}

/** Inputs that select the statement of a list: its WHERE and ORDER BY follow one index from left to right. */
export interface ListShape {
  readonly byTerm: boolean;
  readonly inNamespace: boolean;
  readonly order: ListOrder;
  readonly positioned: boolean;
  readonly filtered: boolean;
  /** The statement takes one more value, the bytes that the bodies may have together. */
  readonly sized: boolean;
}

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
export interface ListSource {
  /** Runs the statement of a shape. Values come in this order: kind, term and value (by term), namespace, the order columns of the position, limit, bytes (sized). */
  readonly fetch: (shape: ListShape, values: (string | number)[]) => MaybePromise<ListRow[]>;
  /** The objects of these rows that still exist, in this order while they fit; the first one whatever its size. */
  readonly load: (ids: readonly number[], bytesMax: number) => MaybePromise<LoadedObjects>;
  /** The object, or the last state the change log holds of it. */
  readonly lastKnown: (key: ResourceKey) => MaybePromise<StoredObject | undefined>;
  /** Awaited between stretches of a filtered list, so that a long one does not hold up the process. */
  readonly pause: () => Promise<void>;
}

/** A place in the order: strictly after it. */
type Position = Readonly<Pick<ListRow, 'namespace' | 'name' | 'created_at'>>;

/** One read of a list: up to `limit` rows after `position`. */
interface Stretch {
  readonly query: Pick<ListQuery, 'kind' | 'namespace' | 'order'>;
  readonly plan: ListPlan;
  readonly position: Position | undefined;
  readonly limit: number;
  /** Absent: bodies of any size. */
  readonly bytesMax?: number;
}

/** Rows examined between two pauses of a filtered list. */
const SCAN_ROWS = 256;
/** Above every name in bytewise order (names are ASCII). */
const AFTER_ALL_NAMES = '\u{10ffff}';

/** The columns a list of this shape is ordered by, after those its WHERE fixes. */
export function orderColumns(shape: Pick<ListShape, 'inNamespace' | 'order'>): string[] {
  const key = shape.inNamespace ? ['name'] : ['namespace', 'name'];
  return shape.order === 'name' ? key : ['created_at', ...key];
}

function compareBytes(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Orders rows of several ranges as the index orders one. */
function compareRows(order: ListOrder): (a: ListRow, b: ListRow) => number {
  const byKey = (a: ListRow, b: ListRow) => compareBytes(a.namespace, b.namespace) || compareBytes(a.name, b.name);
  if (order === 'name') return byKey;
  const byCreated = (a: ListRow, b: ListRow) => compareBytes(a.created_at, b.created_at) || byKey(a, b);
  return order === 'createdAt' ? byCreated : (a, b) => byCreated(b, a);
}

/** The name bound of a position within one namespace: a position of another namespace lies before or after all of its names. */
function nameBound(position: Position, namespace: string): string {
  const order = compareBytes(position.namespace, namespace);
  if (order === 0) return position.name;
  return order < 0 ? '' : AFTER_ALL_NAMES;
}

function positionValues(query: Stretch['query'], position: Position): string[] {
  const key = query.namespace === undefined ? [position.namespace, position.name] : [nameBound(position, query.namespace)];
  return query.order === undefined || query.order === 'name' ? key : [position.created_at, ...key];
}

/** The cursor's item may be gone by now: its creation time is then read from the change log. */
async function startOf(source: ListSource, query: ListQuery): Promise<Position | undefined> {
  const { after, kind, order = 'name' } = query;
  if (!after) return undefined;
  const { namespace, name } = after;
  return { namespace, name, created_at: order === 'name' ? '' : await createdAtOf(source, kind, after) };
}

async function createdAtOf(source: ListSource, kind: string, cursor: ListCursor): Promise<string> {
  if (cursor.createdAt !== undefined) return cursor.createdAt;
  const key = { kind, namespace: cursor.namespace, name: cursor.name };
  const createdAt = (await source.lastKnown(key))?.createdAt;
  if (createdAt !== undefined) return createdAt;
  throw new ServiceError('gone', `the list cannot go on after ${describeKey(key)}, which no longer exists; start the list again`);
}

export async function fetchStretch(
  source: Pick<ListSource, 'fetch'>,
  { query, plan, position, limit, bytesMax }: Stretch,
): Promise<ListRow[]> {
  const { driver } = plan;
  const { order = 'name', namespace } = query;
  const shape: ListShape = {
    byTerm: driver !== undefined,
    inNamespace: namespace !== undefined,
    order,
    positioned: position !== undefined,
    filtered: plan.filter !== undefined || (bytesMax !== undefined && isMerged(plan)),
    sized: bytesMax !== undefined && plan.filter === undefined && !isMerged(plan),
  };
  const size = shape.sized && bytesMax !== undefined ? [bytesMax] : [];
  const tail = [...(namespace === undefined ? [] : [namespace]), ...(position ? positionValues(query, position) : []), limit, ...size];
  if (!driver) return source.fetch(shape, [query.kind, ...tail]);
  const ranges: ListRow[][] = [];
  for (const value of driver.values) ranges.push(await source.fetch(shape, [query.kind, driver.term, value, ...tail]));
  if (ranges.length === 1) return ranges[0] ?? [];
  // An object has one value per label and field, so the ranges are disjoint, and the first `limit` of all are among the first `limit` of each.
  return ranges.flat().sort(compareRows(order)).slice(0, limit);
}

/** Several ranges are read and merged. Their bodies are loaded after that: each range could fill a page by itself. */
function isMerged({ driver }: ListPlan): boolean {
  return (driver?.values.length ?? 0) > 1;
}

/** One page, of up to `bytesMax` of stored JSON. Throws `invalid` for a field without an index, and `gone` when the cursor's place in the order is no longer known. */
export async function readList(source: ListSource, query: ListQuery, bytesMax?: number): Promise<ObjectPage> {
  const plan = planList(query);
  const objects: StoredObject[] = [];
  let position = await startOf(source, query);
  let room = bytesMax;
  while (objects.length < query.limit) {
    const wanted = plan.filter ? SCAN_ROWS : query.limit;
    const rows = await fetchStretch(source, { query, plan, position, limit: wanted, ...(room !== undefined && { bytesMax: room }) });
    const found = await matches(source, plan, { rows, limit: query.limit - objects.length, room, first: objects.length === 0 });
    objects.push(...found.objects);
    if (found.full) return { objects, full: true };
    if (room !== undefined) room -= found.size;
    position = rows.at(-1);
    if (rows.length < wanted) break;
    if (objects.length < query.limit) await source.pause();
  }
  return { objects, full: false };
}

interface Found {
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

async function matches(source: ListSource, plan: ListPlan, found: Found): Promise<Matches> {
  const { filter } = plan;
  const { rows, limit, room } = found;
  if (filter || (room !== undefined && isMerged(plan))) {
    const chosen = filter ? rows.filter((row) => filter(JSON.parse(row.body) as Terms)) : rows;
    return loadAll(
      source,
      chosen.map((row) => row.id),
      found,
    );
  }
  const full = rows.at(-1)?.body === NO_ROOM;
  const fitting = full ? rows.slice(0, -1) : rows.slice(0, limit);
  return { objects: fitting.map((row) => parseObject(row.body)), size: 0, full };
}

async function loadAll(source: ListSource, ids: readonly number[], { limit, room = Infinity, first }: Found): Promise<Matches> {
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
