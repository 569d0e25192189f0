// Opens the shared store: checks the server, brings the schema up to date, and hands out the store over a pool.
import pg from 'pg';
import type { Clock } from '../../clock.ts';
import type { BeforeUpgrade, IndexFunctions, Store } from '../store.ts';
import { createTermsOf } from '../terms.ts';
import { Announcer } from './announcer.ts';
import { clientConfig, SCHEMA } from './client-config.ts';
import { Connections } from './connections.ts';
import { isAnswer, toConnectError, unavailable } from './failure.ts';
import { migrate, readSchemaVersion } from './migrate.ts';
import { migrations } from './migrations/list.ts';
import { losesItsSession, processIdOf } from './pooler.ts';
import { PostgresStore } from './postgres-store.ts';
import { parseTarget, withoutTls } from './target.ts';
import type { Target } from './target.ts';

export interface PostgresStoreOptions extends IndexFunctions {
  /** `postgres://user:password@host:port/database`, with the parameters of libpq's URLs (`sslmode`, `host`, …). */
  readonly url: string;
  readonly clock: Clock;
  readonly log?: { warn(fields: object, message: string): void };
  /** Connections of the pool, at least 2; two more are used while opening and for announcements. Default 10. */
  readonly maxConnections?: number;
  /** Shown in the server's list of connections. */
  readonly applicationName?: string;
  /** False for a process that only runs tasks: it then receives only those commits of other processes that concern work and signals. Default true. */
  readonly listensToChanges?: boolean;
  /** A transaction that takes longer is rolled back. Default 5000. */
  readonly transactionTimeMaxMs?: number;
  readonly beforeUpgrade?: BeforeUpgrade | undefined;
}

const MAX_CONNECTIONS = 10;
const TRANSACTION_TIME_MAX_MS = 5_000;
const OLDEST_SERVER = 130_000;
const CLOCK_SKEW_MAX_MS = 1_000;

/** Name of the server in messages of an open store. Clients without a token read these, so they hold no address; the log has it beside each cause. */
const PLACE_FOR_CLIENTS = 'the PostgreSQL database';

interface ServerFacts {
  version: number;
  encoding: string;
  now: number;
  /** Process of the server. Behind a pooler it differs from the one in the greeting. */
  process: number;
}

async function readFacts(client: pg.Client): Promise<ServerFacts> {
  const { rows } = await client.query<ServerFacts>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
       (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now, pg_backend_pid() AS process`,
  );
  const [facts] = rows;
  if (!facts) throw new Error('the server answered its settings with no row');
  return facts;
}

function assertServer({ version, encoding }: ServerFacts, place: string): void {
  if (version < OLDEST_SERVER) {
    throw unavailable(`${place} is version ${Math.floor(version / 10_000)}, and this server needs 13 or newer; upgrade PostgreSQL`);
  }
  if (encoding !== 'UTF8') throw unavailable(`${place} is encoded as ${encoding}; create the database with ENCODING 'UTF8'`);
}

function warnOfSkew({ now }: ServerFacts, { log, clock }: PostgresStoreOptions, place: string): void {
  const skewMs = Math.round(clock.now() - now);
  if (Math.abs(skewMs) <= CLOCK_SKEW_MAX_MS) return;
  log?.warn({ skewMs }, `the clock of this machine differs from that of ${place} by ${skewMs} ms; leases depend on clocks that agree`);
}

/** A separate connection for the first check; a server that offers no TLS to `sslmode=prefer` is then used without. */
async function connectFirst(target: Target, name: string, overrides: pg.ClientConfig): Promise<{ client: pg.Client; target: Target }> {
  const client = new pg.Client({ ...clientConfig(target, name), ...overrides });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return { client, target };
  } catch (error) {
    await client.end().catch(() => undefined);
    if (target.tls === 'preferred' && !isAnswer(error)) return connectFirst(withoutTls(target), name, overrides);
    throw toConnectError(error, target);
  }
}

/** Checks a pooler between the client and the server, with a second connection. */
async function refusePooledSessions(client: pg.Client, config: pg.ClientConfig, place: string): Promise<void> {
  const other = new pg.Client(config);
  other.on('error', () => undefined);
  try {
    await other.connect();
    if (!(await losesItsSession(client, other))) return;
  } finally {
    await other.end().catch(() => undefined);
  }
  throw unavailable(
    `${place} is behind a connection pooler that gives each transaction another session; set the pooler to session mode (PgBouncer: pool_mode = session), or use the address of the server itself`,
  );
}

/** One connection to a server that the store can run on; the caller ends it. Throws as openPostgresStore does. */
export async function connectChecked(
  url: string,
  applicationName: string,
  overrides: pg.ClientConfig = {},
): Promise<{ client: pg.Client; target: Target; facts: ServerFacts }> {
  const { client, target } = await connectFirst(parseTarget(url), applicationName, overrides);
  try {
    const facts = await readFacts(client);
    assertServer(facts, target.place);
    if (facts.process !== processIdOf(client))
      await refusePooledSessions(client, { ...clientConfig(target, applicationName), ...overrides }, target.place);
    return { client, target, facts };
  } catch (error) {
    await client.end().catch(() => undefined);
    throw toConnectError(error, target);
  }
}

async function judgeUpgrade(client: pg.Client, place: string, judge: BeforeUpgrade | undefined): Promise<void> {
  const version = await readSchemaVersion(client, migrations, place);
  if (version === 0 || version === migrations.length) return;
  await judge?.({
    async getDocument(collection, id) {
      const { rows } = await client.query<{ document: string }>(
        `SELECT document FROM ${SCHEMA}.documents WHERE collection = $1 AND id = $2`,
        [collection, id],
      );
      return rows[0] && (JSON.parse(rows[0].document) as Record<string, unknown>);
    },
  });
}

/**
 * Opens the store at `url` and brings it to the newest schema. Any number of processes may open it at once.
 * Throws `invalid` for a malformed URL, and `unavailable`, with one sentence that names the place and never the password, when the server
 * cannot be reached, refuses, is too old, read-only, newer in schema, or holds foreign tables.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const applicationName = options.applicationName ?? 'svcd';
  const { client, target, facts } = await connectChecked(options.url, applicationName);
  const { place } = target;
  try {
    warnOfSkew(facts, options, place);
    await judgeUpgrade(client, place, options.beforeUpgrade);
    await migrate(client, migrations, place);
  } catch (error) {
    throw toConnectError(error, target);
  } finally {
    await client.end().catch(() => undefined);
  }
  const running = { ...target, place: PLACE_FOR_CLIENTS };
  const store = new PostgresStore({
    connections: new Connections({ target: running, applicationName, max: Math.max(2, options.maxConnections ?? MAX_CONNECTIONS) }),
    announcer: (listeners) =>
      new Announcer({
        config: clientConfig(target, applicationName),
        listensToChanges: options.listensToChanges ?? true,
        random: Math.random,
        ...listeners,
      }),
    place: running.place,
    nowMs: () => options.clock.now(),
    termsOf: createTermsOf(options),
    texts: options.texts,
    transactionTimeMaxMs: options.transactionTimeMaxMs ?? TRANSACTION_TIME_MAX_MS,
  });
  await store.start();
  return store;
}
