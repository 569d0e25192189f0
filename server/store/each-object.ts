// Walks a list of any length page by page.
import type { ListQuery, StoredObject, StoreReader } from './store.ts';

const PAGE_SIZE = 200;

/** Objects made or deleted meanwhile may or may not be seen; every other one is, once. */
export async function* eachObject(store: StoreReader, query: Omit<ListQuery, 'after' | 'limit'>): AsyncGenerator<StoredObject> {
  let after: StoredObject | undefined;
  for (;;) {
    const page = await store.listObjects({ ...query, limit: PAGE_SIZE, ...(after && { after }) });
    yield* page;
    after = page.at(-1);
    if (!after || page.length < PAGE_SIZE) return;
  }
}
