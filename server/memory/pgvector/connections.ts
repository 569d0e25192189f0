// Connections to the databases of Memories: shared by all Memories of one login, dialled under the rules of egress, bounded in number and time.
import pg from 'pg';
import { orAborted } from '../../egress/deadline.ts';
import { CallError } from '../../engine/ports.ts';
import { dialling, type DialRules } from '../../tools/queue/dial.ts';
import { createSharedPool } from '../../tools/shared-pool.ts';
import type { DatabaseEndpoint } from './endpoint.ts';
import { createPlaces, type Places } from './places.ts';

const CONNECTIONS_MAX = 4;
const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_CONNECTION_MS = 10_000;
/** An index of vectors takes its time over a large document. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** Past the server's own bound, so that it fires only when the server does not answer at all. */
const QUERY_TIMEOUT_MS = 65_000;

/** Neighbours that the index examines for a search, and more while these do not suffice. */
const INDEX_SETTINGS = ['hnsw.ef_search = 200', 'hnsw.iterative_scan = strict_order'];

/** Hosts may keep extensions in a schema of their own; types and operators are found by the path only. Tables stay in the first schema of the path. */
const EXTENSION_IN_PATH = `SELECT set_config('search_path', concat_ws(', ', nullif(current_setting('search_path'), ''), quote_ident(nspname)), false)
  FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE extname = 'vector' AND nspname <> ALL (current_schemas(true))`;

interface DatabaseLogin {
  readonly endpoint: DatabaseEndpoint;
  readonly password: string | undefined;
}

export type Query = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

export interface DatabaseConnections {
  /**
   * Runs `use` with a connection. Rejects with what the driver or the dial rejects with, or with the signal's reason as soon as it aborts; then `use`
   * continues unobserved, within the time of its statements.
   */
  with<T>(login: DatabaseLogin, signal: AbortSignal, use: (query: Query) => Promise<T>): Promise<T>;
  /** Idempotent. */
  close(): Promise<void>;
}

export function createDatabaseConnections(rules: DialRules): DatabaseConnections {
  const shared = createSharedPool<Database>(({ pool }) => pool.end().catch(() => undefined));
  return {
    with(login, signal, use) {
      signal.throwIfAborted();
      const { host, port, database, user, tls } = login.endpoint;
      const key = JSON.stringify([host, port, database, user, tls, login.password]);
      const work = shared.with(
        key,
        async () => openDatabase(await poolConfig(rules, login, signal)),
        async (opened, drop) => {
          try {
            return await withClient(opened, signal, use);
          } catch (error) {
            // The address may have changed, or the login no longer works: the next call dials again.
            if (opened.pool.totalCount === 0) drop();
            throw error;
          }
        },
      );
      return orAborted(work, signal);
    },
    close: () => shared.close(),
  };
}

/** One login of one database. */
interface Database {
  readonly pool: pg.Pool;
  readonly places: Places;
}

async function poolConfig(rules: DialRules, { endpoint, password }: DatabaseLogin, signal: AbortSignal): Promise<pg.PoolConfig> {
  const { host, port, database, user, tls } = endpoint;
  const dialled = await dialling(rules, { host, port, tls, ca: undefined, signal });
  return {
    host: dialled.address,
    port,
    database,
    user,
    // A function: without a password the driver would read one from the server's environment.
    password: () => password ?? '',
    ssl: dialled.tls ?? false,
    application_name: 'agent-orchestration-service',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
  };
}

function openDatabase(config: pg.PoolConfig): Database {
  const pool = new pg.Pool({
    ...config,
    max: CONNECTIONS_MAX,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    allowExitOnIdle: true,
    onConnect: prepare,
  });
  pool.on('error', () => undefined);
  return { pool, places: createPlaces(CONNECTIONS_MAX) };
}

/** The pool waits for what this returns before it hands out the connection, though its declaration does not state this. */
const prepare = (client: pg.ClientBase): unknown => prepared(client);

async function prepared(client: pg.ClientBase): Promise<void> {
  // The statement in flight is rejected with the same error, and an idle connection is replaced by the next.
  client.on('error', () => undefined);
  await client.query(`SET statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
  await client.query(EXTENSION_IN_PATH);
  // A pgvector that is too old for a setting searches without it.
  for (const setting of INDEX_SETTINGS) await client.query(`SET ${setting}`).catch(() => undefined);
}

async function withClient<T>({ pool, places }: Database, signal: AbortSignal, use: (query: Query) => Promise<T>): Promise<T> {
  const client = await connect({ pool, places }, signal);
  const query: Query = async (text, values = []) => (await client.query(text, values as unknown[])).rows as never;
  try {
    const value = await use(query);
    client.release();
    return value;
  } catch (error) {
    // A refused statement and an error of ours leave the connection sound; after any other failure its state is unknown.
    client.release(!(error instanceof pg.DatabaseError || error instanceof CallError));
    throw error;
  } finally {
    places.give();
  }
}

/** A server that takes fewer connections than the pool would open serves all calls by those it takes. */
async function connect({ pool, places }: Database, signal: AbortSignal): Promise<pg.PoolClient> {
  for (;;) {
    await places.take(signal);
    try {
      return await pool.connect();
    } catch (error) {
      places.give();
      if (pool.totalCount === 0) throw error;
      places.limit(pool.totalCount);
    }
  }
}
