// GET of a collection: a page, or the whole as a streamed array.
import type { KindDefinition } from '@svc/shared/kinds/define';
import type { Resource } from '@svc/shared/resource';
import { parseCursor } from '../../registry/cursor.ts';
import type { ListRequest, Registry, RequestContext } from '../../registry/registry.ts';
import { badParameter } from '../query.ts';
import { json, type Call, type Reply } from '../route.ts';
import { arrayReply, type PageOf } from './array-stream.ts';
import { READ_PAGE, readListQuery } from './list-query.ts';
import { LIST_LIMIT } from './parameters.ts';
import { warningHeaders } from './write-headers.ts';

/** The one kind whose lists still take `offset`. Source: SPEC "Pagination". */
export const OFFSET_KIND = 'Task';

const OFFSET_HEADERS = { Deprecation: 'true', ...warningHeaders(['offset is deprecated; page with after']) };

async function readPages(registry: Registry, context: RequestContext, request: ListRequest): Promise<PageOf<Resource>> {
  const page = await registry.list(context, request);
  const { continue: cursor } = page;
  const next =
    cursor === undefined ? undefined : () => readPages(registry, context, { ...request, after: parseCursor(cursor, request.namespace) });
  return { items: page.items, next };
}

/** The request that begins after `offset` items; undefined when there are not that many. */
async function skip(
  registry: Registry,
  context: RequestContext,
  { request, offset }: { request: ListRequest; offset: number },
): Promise<ListRequest | undefined> {
  let current = request;
  for (let left = offset; left > 0;) {
    const page = await registry.list(context, { ...current, limit: Math.min(left, LIST_LIMIT.max) });
    if (page.continue === undefined) return undefined;
    left -= page.items.length;
    current = { ...current, after: parseCursor(page.continue, request.namespace) };
  }
  return current;
}

async function listFromOffset(
  registry: Registry,
  call: Call,
  list: { request: ListRequest; offset: number; paged: boolean },
): Promise<Reply> {
  const request = await skip(registry, call.context, list);
  const first: PageOf<Resource> = request === undefined ? { items: [], next: undefined } : await readPages(registry, call.context, request);
  if (!list.paged) return arrayReply(first, OFFSET_HEADERS);
  const last = first.next && first.items.at(-1);
  return json(
    { items: first.items, ...(last && { continue: `${last.metadata.namespace}/${last.metadata.name}` }) },
    { headers: OFFSET_HEADERS },
  );
}

export async function listResources(registry: Registry, kind: KindDefinition, call: Call): Promise<Reply> {
  const { request, paged, offset } = readListQuery(kind, call.query);
  if (offset !== undefined && kind.kind !== OFFSET_KIND)
    throw badParameter('offset', `is not available on ${kind.plural}; page with after`);
  if (offset !== undefined) return listFromOffset(registry, call, { request, offset, paged });
  if (paged) return json(await registry.list(call.context, request));
  return arrayReply(await readPages(registry, call.context, { ...request, limit: READ_PAGE }));
}
