// Following a kind: reads by notices, and the machine's clock while it is corrected.
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock, type Clock } from '../../clock.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import { keptLog } from '../../testing/background.ts';
import { createManualClock } from '../../testing/manual-clock.ts';
import { makeObject, seed } from '../../testing/store-conformance/fixture.ts';
import { createKindFollower } from './kind-follower.ts';

test('a clock that is set back by minutes does not delay the next read', async () => {
  let setBackMs = 0;
  const clock: Clock = { ...systemClock, now: () => Date.now() - setBackMs };
  const store = await openSqliteStore({ path: ':memory:', clock });
  onTestFinished(() => store.close());
  const seen: string[] = [];
  const follower = createKindFollower({ store, clock, log: keptLog().log, kind: 'Task', onChange: ({ name }) => seen.push(name) });
  onTestFinished(() => follower.stop());
  await seed(store, [makeObject({ name: 'before' })]);
  follower.start();
  await expect.poll(() => seen).toContain('before');
  setBackMs = 600_000;
  await seed(store, [makeObject({ name: 'after' })]);
  await expect.poll(() => seen, { timeout: 3_000 }).toContain('after');
});

test('reads nothing while no commit is announced', async () => {
  const clock = createManualClock();
  const store = await openSqliteStore({ path: ':memory:', clock });
  onTestFinished(() => store.close());
  const reads = vi.spyOn(store, 'changeBounds');
  const seen: string[] = [];
  const follower = createKindFollower({ store, clock, log: keptLog().log, kind: 'Task', onChange: ({ name }) => seen.push(name) });
  onTestFinished(() => follower.stop());
  follower.start();
  await expect.poll(() => reads.mock.calls.length).toBe(1);
  for (let minute = 0; minute < 9; minute += 1) {
    clock.advance(60_000);
    await setImmediate();
  }
  expect(reads).toHaveBeenCalledTimes(1);
  await seed(store, [makeObject({ name: 'after' })]);
  await expect.poll(() => (clock.advance(100), seen)).toEqual(['after']);
});
