// A separate durable store in a directory that is removed with it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../server/clock.ts';
import { referencesOf } from '../server/registry/reference-index.ts';
import { openSqliteStore } from '../server/store/sqlite/open.ts';
import type { IndexFunctions, Store } from '../server/store/store.ts';

/** `path` is the database file; it is removed when `work` has ended. */
export async function withStore<T>(work: (store: Store, path: string) => Promise<T>, index: IndexFunctions = { referencesOf }): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const path = join(directory, 'store.db');
  const store = await openSqliteStore({ path, clock: systemClock, ...index });
  try {
    return await work(store, path);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}
