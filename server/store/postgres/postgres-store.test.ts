// The PostgreSQL engine passes the conformance suite, on a real server.
import pg from 'pg';
import { afterAll, beforeAll, describe } from 'vitest';
import { startPostgres, withoutPostgres } from '../../testing/postgres-server.ts';
import type { PostgresServer } from '../../testing/postgres-server.ts';
import { storeConformance } from '../../testing/store-conformance.ts';
import { openPostgresStore } from './open.ts';

/** As good as a new database, and made in a few milliseconds. */
const EMPTY = `TRUNCATE objects, object_terms, sort_values, search_pending, search_words, changes, journal, event_streams, stream_events, signals, work_items, documents, spec_versions RESTART IDENTITY; UPDATE change_head SET seq = 0`;

describe.skipIf(withoutPostgres('the PostgreSQL store'))('on a server', () => {
  let server: PostgresServer;
  let url: string;
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.createDatabase();
  });
  afterAll(() => server.remove());

  async function empty(): Promise<void> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`SET search_path = svc; ${EMPTY}`);
    await client.end();
  }

  storeConformance('PostgreSQL', async (clock, suiteIndex) => {
    const open = (index = suiteIndex) => openPostgresStore({ url, clock, ...index });
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
        await empty();
      },
    };
  });
});
