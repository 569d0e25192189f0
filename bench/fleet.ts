// A fleet on one machine: a server and four worker processes on PostgreSQL, beside the embedded worker on SQLite.
import { startServerProcess } from '../server/testing/server-process.ts';
import { overlapMs, overlapRow } from './overlap.ts';
import type { Row } from './row.ts';
import { post, SOLO_SYSTEM, tasksPerSecond } from './task-load.ts';

const CONCURRENCY = 64;
const RUN_MS = 5_000;
const WARM_UP_MS = 2_000;

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
    ];
  } finally {
    await server.dispose();
  }
}

export async function benchFleet(): Promise<Row[]> {
  return embeddedRows();
}
