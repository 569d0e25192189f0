// For tests of background work: a log that can be read, and stores of every engine.
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { objectIndex } from '../registry/reference-index.ts';
import { openPostgresStore } from '../store/postgres/open.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { Claim, Store } from '../store/store.ts';
import type { Logger } from '../log/log.ts';
import { emptyPostgres } from './empty-postgres.ts';
import { atFileEnd } from './file-end.ts';
import { startPostgres, withoutPostgres, type PostgresServer } from './postgres-server.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export function keptLog(lines: LogLine[] = []): { readonly log: Logger; readonly lines: LogLine[] } {
  const at =
    (level: LogLine['level']) =>
    (fields: unknown, message?: unknown): void =>
      void lines.push({ level, message: String(message), fields: fields as LogLine['fields'] });
  return { lines, log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
}

/** Lets background work run for some turns of the event loop. For tests that expect no effect, and so have no fact to wait for. */
export async function turns(count = 50): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await setImmediate();
}

export interface StoreEngine {
  readonly name: string;
  /** True where the engine's server is not available; prints a notice. */
  readonly skip: boolean;
  /** Whether some turns of the event loop are enough for what is in flight: not where answers come over sockets. */
  readonly exact: boolean;
  /** An empty store of its own. Closing it is the caller's. */
  readonly open: (clock: Clock) => Promise<Store>;
}

let server: Promise<PostgresServer> | undefined;
/** Databases of the shared server whose store was closed. */
let left: string[] = [];

/** The engines that background work is tested on. What it needs to run is started by the first test that opens a store. */
export const storeEngines: readonly StoreEngine[] = [
  { name: 'SQLite', skip: false, exact: true, open: (clock) => openSqliteStore({ path: ':memory:', clock, ...objectIndex }) },
  {
    name: 'PostgreSQL',
    exact: false,
    skip: withoutPostgres('background work over PostgreSQL'),
    open: openInShared,
  },
];

/** One server for the tests of a file. */
function startShared(): Promise<PostgresServer> {
  atFileEnd(async () => {
    const started = server;
    server = undefined;
    left = [];
    await (await started)?.remove();
  });
  return startPostgres();
}

/** Over a database that an earlier test has left, else over a new one. */
async function openInShared(clock: Clock): Promise<Store> {
  const { createDatabase } = await (server ??= startShared());
  const used = left.pop();
  if (used !== undefined) await emptyPostgres(used);
  const url = used ?? (await createDatabase());
  const store = await openPostgresStore({ url, clock, ...objectIndex });
  const close = store.close.bind(store);
  let isClosed = false;
  store.close = async () => {
    await close();
    if (!isClosed) left.push(url);
    isClosed = true;
  };
  return store;
}

/** Takes the lease that the tests of leader-run controllers write under. */
export function takeLease(store: Store, now: number, owner = 'leader'): Promise<Claim> {
  const queue = 'test.lease';
  return store.transaction(async (tx) => {
    const item = { queue, key: 'lease', namespace: '', name: 'lease', rank: 0, notBefore: 0, requirements: {} };
    if (!(await tx.getWorkItem(queue, item.key))) await tx.enqueueWork(item);
    const capabilities = { gpu: false, supportedModels: [], secrets: false };
    const [claim] = await tx.claimWork({ queue, owner, now, leaseMs: 30_000, limit: 1, capabilities });
    if (!claim) throw new Error('the lease is held');
    return claim;
  });
}
