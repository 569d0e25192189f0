// A fleet on one machine: a server and four worker processes on PostgreSQL, beside the embedded worker on SQLite.
import { bareCommitsPerSecond, openConnections } from '../server/testing/postgres-commits.ts';
import { startServerProcess, startWorkerProcess, type ServerProcess, type WorkerProcess } from '../server/testing/server-process.ts';
import { postgres } from './engines.ts';
import { liveTextRows } from './live-text-lag.ts';
import { overlapMs, overlapRow } from './overlap.ts';
import { compared, type Row } from './row.ts';
import { takeoverRow } from './takeover.ts';
import { watchLagRows } from './watch-lag.ts';
import { post, SOLO_SYSTEM, tasksPerSecond } from './task-load.ts';

const WORKERS = 4;
const QUIET = ['--log-level', 'warn'];
/** A Task's object is of about this size. */
const ROW_CHARACTERS = 1_000;
const CONCURRENCY = 64;
const RUN_MS = 5_000;
const WARM_UP_MS = 6_000;
/** Four workers share the load, so each takes a while until its code is compiled: 260 Tasks a second after 6 s, 300 after 25 s. */
const FLEET_WARM_UP_MS = 25_000;

async function embeddedRows(): Promise<Row[]> {
  const server = await startServerProcess({
    args: ['--log-level', 'warn', '--embedded-worker-max-concurrent-tasks', String(CONCURRENCY)],
  });
  try {
    const overlap = await overlapMs(server.url);
    await post(`${server.url}/v1/apply`, SOLO_SYSTEM);
    await tasksPerSecond(server.url, { concurrency: CONCURRENCY, forMs: WARM_UP_MS });
    const rate = await tasksPerSecond(server.url, { concurrency: CONCURRENCY, forMs: RUN_MS });
    return [
      { name: `tasks end to end on SQLite, concurrency ${CONCURRENCY}`, value: rate, unit: 'tasks/s', note: 'target at least 300' },
      overlapRow('SQLite', overlap),
      ...(await liveTextRows(server.url, 'within one server')),
    ];
  } finally {
    await server.dispose();
  }
}

/** One server without a worker and the four workers; everything ends with `work`. */
async function withFleet<T>(databaseUrl: string, work: (server: ServerProcess) => Promise<T>): Promise<T> {
  const server = await startServerProcess({ databaseUrl, args: QUIET });
  const workers: WorkerProcess[] = [];
  try {
    for (let n = 0; n < WORKERS; n += 1) workers.push(await startWorkerProcess({ databaseUrl, args: QUIET }));
    return await work(server);
  } finally {
    await Promise.all(workers.map((worker) => worker.end()));
    await server.dispose();
  }
}

async function throughputRow(databaseUrl: string, url: string): Promise<Row> {
  await post(`${url}/v1/apply`, SOLO_SYSTEM);
  await tasksPerSecond(url, { concurrency: CONCURRENCY, forMs: FLEET_WARM_UP_MS });
  const rate = await tasksPerSecond(url, { concurrency: CONCURRENCY, forMs: RUN_MS });
  const connections = await openConnections(databaseUrl);
  const bare = await bareCommitsPerSecond(databaseUrl, { connections, forMs: RUN_MS, rowCharacters: ROW_CHARACTERS });
  return compared({
    name: `tasks end to end on PostgreSQL, ${WORKERS} workers, concurrency ${CONCURRENCY}`,
    value: rate,
    unit: 'tasks/s',
    reference: bare,
    referenceName: `bare insert commits/s over ${connections} connections`,
    note: 'target at least 300',
  });
}

async function sharedRows(databaseUrl: string): Promise<Row[]> {
  const rows = await withFleet(databaseUrl, async ({ url }) => [
    overlapRow('PostgreSQL', await overlapMs(url)),
    await throughputRow(databaseUrl, url),
    ...(await liveTextRows(url, 'from a worker to a server')),
  ]);
  const [writer, watcher] = [
    await startServerProcess({ databaseUrl, args: QUIET }),
    await startServerProcess({ databaseUrl, args: QUIET }),
  ];
  try {
    return [...rows, await takeoverRow(writer.url, databaseUrl), ...(await watchLagRows(writer.url, watcher.url))];
  } finally {
    await Promise.all([writer.dispose(), watcher.dispose()]);
  }
}

export async function benchFleet(): Promise<Row[]> {
  const rows = await embeddedRows();
  const server = await postgres('fleet');
  return server ? [...rows, ...(await sharedRows(await server.createDatabase()))] : rows;
}
