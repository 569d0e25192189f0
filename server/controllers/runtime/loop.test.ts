// Loop at an interval, on a clock that the test moves.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createManualClock } from '../../testing/manual-clock.ts';
import { createPeriodicLoop } from './loop.ts';

const INTERVAL_MS = 60_000;

test('a periodic loop runs at the start, then at its interval, until it is stopped', async () => {
  const clock = createManualClock();
  const errors: unknown[] = [];
  let rounds = 0;
  const run = async () => {
    rounds += 1;
    if (rounds === 2) throw new Error('the second round fails');
  };
  const loop = createPeriodicLoop({ clock, intervalMs: INTERVAL_MS, run, reportError: (error) => errors.push(error) });
  const reach = async (count: number) => {
    while (rounds < count || !clock.isAwaited(clock.now() + INTERVAL_MS)) await nextTurn();
  };
  loop.start();
  loop.start();
  await reach(1);
  clock.advance(INTERVAL_MS - 1);
  clock.advance(1);
  await reach(2);
  clock.advance(INTERVAL_MS);
  await reach(3);
  expect([rounds, errors.length]).toEqual([3, 1]);
  await loop.stop();
  await loop.stop();
  clock.advance(INTERVAL_MS);
  await nextTurn();
  expect(rounds).toBe(3);
});

test('a periodic loop that was never started stops at once', async () => {
  const clock = createManualClock();
  await createPeriodicLoop({ clock, intervalMs: INTERVAL_MS, run: async () => undefined, reportError: () => undefined }).stop();
});
