// The end of the thread, also in the middle of its work.
import { expect, it } from 'vitest';
import { createDatabaseThread } from './database-thread.ts';

const ROUNDS = 20;
const PUTS = Array.from({ length: 500 }, (_, index) => ({ key: `k${index}`, value: 'word '.repeat(200) }));

it('closes while requests are at work, which are done or refused', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const thread = createDatabaseThread();
    const place = { database: `memory:${round}`, what: 'Memory a' };
    await thread.run(place, 'facts', {});
    const written = thread.run(place, 'write', { puts: PUTS, deletes: [] });
    const waiting = thread.run(place, 'facts', {});
    const settled = Promise.allSettled([written, waiting]);
    // The write began; now it is somewhere within the calls of SQLite.
    await new Promise((resolve) => setTimeout(resolve, round));
    await thread.close();
    const [first, second] = await settled;
    if (first.status === 'fulfilled') expect(first.value.created).toHaveLength(PUTS.length);
    for (const { status } of [first, second]) expect(['fulfilled', 'rejected']).toContain(status);
    await expect(thread.run(place, 'facts', {})).rejects.toThrow('Memory a is closed: the server is shutting down');
  }
});
