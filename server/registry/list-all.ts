// All objects of a list, read page by page.
import type { Resource } from '@svc/shared/resource';
import { parseCursor } from './cursor.ts';
import type { ListRequest, Registry, RequestContext } from './registry.ts';

/** To the end of the list, past pages of which the caller may see nothing. */
export async function* listAll(
  registry: Pick<Registry, 'list'>,
  context: RequestContext,
  request: Omit<ListRequest, 'after'>,
): AsyncGenerator<Resource> {
  let after: ListRequest['after'];
  do {
    const page = await registry.list(context, { ...request, ...(after && { after }) });
    yield* page.items;
    after = page.continue === undefined ? undefined : parseCursor(page.continue, request.namespace);
  } while (after);
}
