import { expect, test } from 'vitest';
import { createManualClock } from './testing/manual-clock.ts';
import { createWakeUp } from './wake-up.ts';

const POLL_MS = 5_000;
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a clock set back during a tick delays the next one by at most the poll interval', async () => {
  const clock = createManualClock();
  let backMs = 0;
  let looks = 0;
  const wakeUp = createWakeUp({
    clock: { ...clock, now: () => clock.now() - backMs },
    async tick() {
      looks += 1;
      backMs = 3_600_000;
      return undefined;
    },
    pollMs: POLL_MS,
    retryMs: 1_000,
    onError: () => undefined,
  });
  wakeUp.start();
  await turn();
  clock.advance(POLL_MS);
  await turn();
  expect(looks).toBe(2);
  await wakeUp.stop();
});
