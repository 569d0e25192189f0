// Walks a list of any length page by page.
import { PAGE_MAX_BYTES } from './page-bytes.ts';
import type { ListQuery, StoredObject, StoreReader } from './store.ts';

const PAGE_SIZE = 200;

/** Objects made or deleted meanwhile may or may not be seen; every other one is, once. */
export async function* eachObject(
  store: StoreReader,
  query: Omit<ListQuery, 'limit'>,
  pageSize = PAGE_SIZE,
): AsyncGenerator<StoredObject, void> {
  let { after } = query;
  for (;;) {
    const { objects, full } = await store.listPage({ ...query, limit: pageSize, ...(after && { after }) }, PAGE_MAX_BYTES);
    yield* objects;
    after = objects.at(-1);
    if (!after || (!full && objects.length < pageSize)) return;
  }
}
