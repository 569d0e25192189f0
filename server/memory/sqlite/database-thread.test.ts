// Threads of databases: their end, idle or in the middle of their work, and the files that they hold.
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createDatabaseThread } from './database-thread.ts';

const ROUNDS = 20;
const SHUTTING_DOWN = 'The server is shutting down';
const PUTS = Array.from({ length: 500 }, (_, index) => ({ key: `k${index}`, value: 'word '.repeat(200) }));

it('closes while requests are at work, which are done or refused', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const thread = createDatabaseThread();
    const place = { database: `memory:${round}`, what: 'Memory a' };
    await thread.run(place, 'facts', {});
    const written = thread.run(place, 'write', { puts: PUTS, deletes: [] });
    const waiting = thread.run(place, 'facts', {});
    const waited = waiting.then(
      () => undefined,
      (error: Error) => error.message,
    );
    // The write began; now it is somewhere within the calls of SQLite.
    await new Promise((resolve) => setTimeout(resolve, round));
    await thread.close();
    expect((await written).created).toHaveLength(PUTS.length);
    expect((await waited) ?? SHUTTING_DOWN).toContain(SHUTTING_DOWN);
    await expect(thread.run(place, 'facts', {})).rejects.toThrow('Memory a is closed: the server is shutting down');
  }
});

it('answers requests of other databases while one is at work', async () => {
  const thread = createDatabaseThread();
  const place = (n: number) => ({ database: `memory:${n}`, what: 'Memory a' });
  const others = [1, 2, 3].map(place);
  await Promise.all([place(0), ...others].map((each) => thread.run(each, 'facts', {})));
  const puts = Array.from({ length: 10 }, () => PUTS).flatMap((some, round) =>
    some.map(({ key, value }) => ({ key: `${round}/${key}`, value })),
  );
  const written = thread.run(place(0), 'write', { puts, deletes: [] }).then(() => 'the write');
  const answered = others.map((each) => thread.run(each, 'facts', {}).then(() => 'another database'));
  expect(await Promise.race([written, ...answered])).toBe('another database');
  await Promise.all([written, ...answered]);
  await thread.close();
});

it('refuses writes past the size limit, and takes them once entries are deleted', async () => {
  const thread = createDatabaseThread();
  const place = { database: 'memory:limit', what: 'Memory a' };
  const fill = async (round: number) => {
    const puts = Array.from({ length: 10 }, (_, index) => ({ key: `${round}/${index}`, value: '.'.repeat(2_000_000) }));
    await thread.run(place, 'write', { puts, deletes: [] });
  };
  let rounds = 0;
  const filled = async () => {
    for (; ; rounds += 1) await fill(rounds);
  };
  await expect(filled()).rejects.toMatchObject({ reason: 'memory_full', message: 'Memory a has reached its size limit; delete entries' });
  const deletes = Array.from({ length: 10 }, (_, index) => `0/${index}`);
  await thread.run(place, 'write', { puts: [], deletes });
  await thread.run(place, 'write', { puts: [{ key: 'after', value: 'v' }], deletes: [] });
  await thread.close();
});

const DESCRIPTORS = '/proc/self/fd';

function openFilesBelow(directory: string): number {
  const targets = readdirSync(DESCRIPTORS).map((name) => {
    try {
      return readlinkSync(join(DESCRIPTORS, name));
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target.startsWith(directory)).length;
}

it.skipIf(!existsSync(DESCRIPTORS)).each(['erase', 'close'] as const)('gives the files of a database back after %s', async (end) => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-memory-files-'));
  const thread = createDatabaseThread();
  try {
    for (let n = 0; n < 60; n += 1) {
      const place = { database: join(directory, `${n}.db`), what: 'Memory a' };
      await thread.run(place, 'write', { puts: [{ key: 'k', value: 'v' }], deletes: [] });
      await thread.run(place, end, {});
    }
    // Four threads keep eight closed databases each, with three files.
    expect(openFilesBelow(directory)).toBeLessThanOrEqual(4 * 8 * 3);
    await expect.poll(() => openFilesBelow(directory), { timeout: 10_000 }).toBe(0);
  } finally {
    await thread.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
