// GET of a collection: a page, or the whole as a streamed array. Either is read and written in portions, so that a client that does not read holds little.
import type { KindDefinition } from '@svc/shared/kinds/define';
import type { Resource } from '@svc/shared/resource';
import { parseCursor } from '../../registry/cursor.ts';
import { textOf } from '../../registry/mapping.ts';
import type { ListRequest, Registry } from '../../registry/registry.ts';
import { PAGE_MAX_BYTES, PORTION_MAX_BYTES } from '../../store/page-bytes.ts';
import type { Turns } from '../outflow/turns.ts';
import { json, jsonText, type Call, type Reply } from '../route.ts';
import { arrayReply, type Frame, type PageOf } from './array-stream.ts';
import { READ_PAGE, readListQuery } from './list-query.ts';
import { LIST_LIMIT } from './parameters.ts';
import { warningHeaders } from './write-headers.ts';

const OFFSET_HEADERS = { Deprecation: 'true', ...warningHeaders(['offset is deprecated; page with after']) };

const INCOMPLETE = 'the index of stored runs is still being built; this list may lack some of them';

/** Position where a list of portions continues; undefined at its end. */
interface Cursor {
  next: string | undefined;
  incomplete?: true | undefined;
}

/** Portions up to the limit and the size of a page; for lists without a page, to the end. */
interface Budget {
  readonly items: number;
  readonly bytes: number;
}

const ENDLESS: Budget = { items: Infinity, bytes: Infinity };

interface Reading {
  readonly registry: Registry;
  readonly call: Call;
  /** As of the last portion. */
  readonly cursor: Cursor;
}

async function readPortions(
  reading: Reading,
  request: ListRequest,
  { left, turns }: { left: Budget; turns: Turns },
): Promise<PageOf<Resource>> {
  const { registry, call, cursor } = reading;
  const bytesMax = Math.min(PORTION_MAX_BYTES, left.bytes);
  const limit = Math.min(request.limit, left.items);
  const { items, continue: next, incomplete } = await turns.run(() => registry.list(call.context, { ...request, limit, bytesMax }));
  cursor.next = next;
  cursor.incomplete = incomplete;
  // A portion that was ended by its size holds about as much as it may.
  const budget = { items: left.items - items.length, bytes: left.bytes - bytesMax };
  if (next === undefined || budget.items <= 0 || budget.bytes <= 0) return { items, next: undefined };
  const after = parseCursor(next, request.namespace);
  return { items, next: () => readPortions(reading, { ...request, after }, { left: budget, turns: call.portions }) };
}

const continuation = ({ next }: Cursor): string => (next === undefined ? '' : `,"continue":${JSON.stringify(next)}`);

/** The first portion of a whole list, with the way to the others. */
const readAll = (reading: Reading, request: Omit<ListRequest, 'limit'>): Promise<PageOf<Resource>> =>
  readPortions(reading, { ...request, limit: READ_PAGE }, { left: ENDLESS, turns: reading.call.firstPortions });

/** Every object of a kind that the caller may read, of all namespaces, each as `shape` makes it. */
export async function wholeList(
  registry: Registry,
  call: Call,
  { kind, frame, shape }: { readonly kind: KindDefinition['kind']; readonly frame: Frame; readonly shape: (object: Resource) => unknown },
): Promise<Reply> {
  const shaped = ({ items, next }: PageOf<Resource>): PageOf<unknown> => ({
    items: items.map(shape),
    next: next && (async () => shaped(await next())),
  });
  const reading: Reading = { registry, call, cursor: { next: undefined } };
  return arrayReply(shaped(await readAll(reading, { kind })), {}, frame);
}

type Headers = Readonly<Record<string, string | string[]>>;

/** Headers of a reply after its first portion was read. */
function withWarning(headers: Headers, { incomplete }: Cursor): Headers {
  return incomplete ? { ...headers, ...warningHeaders([INCOMPLETE]) } : headers;
}

/** One page: at once when it is small, else portion by portion. */
async function pageReply(reading: Reading, request: ListRequest, extra: Headers): Promise<Reply> {
  const first = await readPortions(reading, request, {
    left: { items: request.limit, bytes: PAGE_MAX_BYTES },
    turns: reading.call.firstPortions,
  });
  const { cursor } = reading;
  const headers = withWarning(extra, cursor);
  if (first.next) {
    const close = () => `]${continuation(cursor)}}`;
    return arrayReply(first, headers, { open: '{"items":[', close });
  }
  return jsonText(`{"items":[${first.items.map(textOf).join(',')}]${continuation(cursor)}}`, headers);
}

/** The request that begins after `offset` items; undefined when there are not that many. */
async function skip(
  registry: Registry,
  { portions, context }: Call,
  { request, offset }: { request: ListRequest; offset: number },
): Promise<ListRequest | undefined> {
  let current = request;
  for (let left = offset; left > 0;) {
    const step = { ...current, limit: Math.min(left, LIST_LIMIT.max) };
    const page = await portions.run(() => registry.list(context, step));
    if (page.continue === undefined) return undefined;
    left -= page.items.length;
    current = { ...current, after: parseCursor(page.continue, request.namespace) };
  }
  return current;
}

export async function listResources(registry: Registry, kind: KindDefinition, call: Call): Promise<Reply> {
  const { request, paged, offset } = readListQuery(kind, call.query);
  const headers = offset === undefined ? {} : OFFSET_HEADERS;
  const begin = offset === undefined ? request : await skip(registry, call, { request, offset });
  if (begin === undefined) return paged ? json({ items: [] }, { headers }) : json([], { headers });
  const reading: Reading = { registry, call, cursor: { next: undefined } };
  if (paged) return pageReply(reading, begin, headers);
  const first = await readAll(reading, begin);
  return arrayReply(first, withWarning(headers, reading.cursor));
}
