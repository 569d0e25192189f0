// Threads whose jobs take too long: ended where that is safe, waited for where they call native code.
import { expect, it } from 'vitest';
import { atFileEnd } from '../testing/file-end.ts';
import { createThreadPool, JobOverdue } from './thread-pool.ts';

/** A job is how long it takes, in ms; the answer is its thread. */
const program = `data:text/javascript,${encodeURIComponent(`
  import { threadId } from 'node:worker_threads';
  export const answer = (ms) => (Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms), threadId);
`)}`;

function setup(more: { isNative?: boolean; program?: string } = {}) {
  const pool = createThreadPool<number, number>({
    ...{ title: 'jobs', program, threadsMax: 1, deadlineMs: 500, waitingMax: 10, heapMaxMb: 64 },
    ...more,
  });
  atFileEnd(() => pool.close());
  return pool;
}

it('ends the thread of a late job, and runs the next job in another', async () => {
  const pool = setup();
  const first = await pool.run(0);
  const late = pool.run(60_000);
  const next = pool.run(0);
  await expect(late).rejects.toThrow(JobOverdue);
  expect(await next).not.toBe(first);
});

it('waits for a late job in native code, refuses others meanwhile, and keeps the thread', async () => {
  const pool = setup({ isNative: true });
  const first = await pool.run(0);
  const late = pool.run(1_500);
  const waiting = pool.run(0);
  waiting.catch(() => undefined);
  await expect(late).rejects.toThrow(JobOverdue);
  const refused = 'jobs wait for a check that takes longer than 500 ms; try again later';
  await expect(waiting).rejects.toThrow(refused);
  await expect(pool.run(0)).rejects.toThrow(refused);
  await expect.poll(() => pool.run(0).catch(() => undefined)).toBe(first);
});

it('reports why the program of a thread does not load', async () => {
  const pool = setup({ program: 'data:text/javascript,import "no-such-package"' });
  await expect(pool.run(0)).rejects.toThrow(/no-such-package/);
});

it('lets a job in native code end before the pool is closed', async () => {
  const pool = setup({ isNative: true });
  await pool.run(0);
  const running = pool.run(200);
  const waiting = pool.run(0);
  const closed = pool.close();
  await expect(waiting).rejects.toThrow('The server is shutting down; jobs are closed');
  expect(await running).toBeGreaterThan(0);
  await closed;
});
