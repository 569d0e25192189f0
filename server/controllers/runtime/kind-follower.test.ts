// Following a kind while the machine's clock is corrected.
import { expect, onTestFinished, test } from 'vitest';
import { systemClock, type Clock } from '../../clock.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import { keptLog } from '../../testing/background.ts';
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
