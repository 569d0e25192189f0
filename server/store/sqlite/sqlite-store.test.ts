// The SQLite engine passes the conformance suite, on a real file with the durability it ships with.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeConformance } from '../../testing/store-conformance.ts';
import { openSqliteStore } from './open.ts';

storeConformance('SQLite', async (clock, suiteIndex) => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-conformance-'));
  const open = (index = suiteIndex) => openSqliteStore({ path: join(directory, 'store.db'), clock, ...index });
  let store = await open();
  return {
    store,
    async reopen(index) {
      await store.close();
      store = await open(index);
      return store;
    },
    async cleanup() {
      await store.close();
      rmSync(directory, { recursive: true });
    },
  };
});
