// The database engines a benchmark runs on. Without PostgreSQL's programs its rows are left out, aloud.
import { systemClock } from '../server/clock.ts';
import { referencesOf } from '../server/registry/reference-index.ts';
import { openPostgresStore } from '../server/store/postgres/open.ts';
import { postgresBinaries, startPostgres, type PostgresServer } from '../server/testing/postgres-server.ts';
import type { IndexFunctions, Store } from '../server/store/store.ts';
import { withStore } from './with-store.ts';

export interface StoreEngine {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** Prefix of the names of the store's own rows. */
  readonly prefix: string;
  /** A durable store of its own that goes when `work` has ended. */
  withStore<T>(work: (store: Store) => Promise<T>, index?: IndexFunctions): Promise<T>;
}

/** Filling a store puts many rows into one transaction. */
const SEED_TIME_MAX_MS = 60_000;

let running: Promise<PostgresServer> | undefined;

/** A durable PostgreSQL server, one for all benchmarks of this run; undefined where it is not installed. */
export async function postgres(rows: string): Promise<PostgresServer | undefined> {
  if (postgresBinaries() === undefined) {
    console.error(`SKIPPED ${rows} on PostgreSQL: its server programs are not on this machine (apt-get install postgresql)`);
    return undefined;
  }
  running ??= startPostgres({ fsync: true });
  return running;
}

/** Ends the PostgreSQL server if a benchmark has requested it. */
export async function endPostgres(): Promise<void> {
  const server = await running;
  running = undefined;
  await server?.remove();
}

/** The embedded engine, and PostgreSQL where it is. */
export async function storeEngines(rows: string): Promise<StoreEngine[]> {
  const embedded: StoreEngine = { name: 'SQLite', prefix: 'store', withStore };
  const server = await postgres(rows);
  return server
    ? [embedded, { name: 'PostgreSQL', prefix: 'postgres', withStore: (work, index) => withShared(server, { work, index }) }]
    : [embedded];
}

interface SharedWork<T> {
  readonly work: (store: Store) => Promise<T>;
  readonly index: IndexFunctions | undefined;
}

async function withShared<T>(server: PostgresServer, { work, index = { referencesOf } }: SharedWork<T>): Promise<T> {
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url, clock: systemClock, transactionTimeMaxMs: SEED_TIME_MAX_MS, ...index });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
