// The PostgreSQL engine passes the conformance suite, on a real server.
import { afterAll, beforeAll, describe } from 'vitest';
import { startPostgres, withoutPostgres } from '../../testing/postgres-server.ts';
import type { PostgresServer } from '../../testing/postgres-server.ts';
import { storeConformance } from '../../testing/store-conformance.ts';
import { openPostgresStore } from './open.ts';

describe.skipIf(withoutPostgres('the PostgreSQL store'))('on a server', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  storeConformance('PostgreSQL', async (clock) => {
    const url = await server.createDatabase();
    const open = () => openPostgresStore({ url, clock });
    let store = await open();
    return {
      store,
      async reopen() {
        await store.close();
        store = await open();
        return store;
      },
      cleanup: () => store.close(),
    };
  });
});
