import { expect, test } from 'vitest';
import { Pause } from './pause.ts';

test('a wait ends early when it is woken', async () => {
  const pause = new Pause();
  const waiting = pause.wait(600_000).then(() => 'over');
  pause.wake();
  expect(await waiting).toBe('over');
});

test('a wake without a waiter does not shorten the next wait', async () => {
  const pause = new Pause();
  pause.wake();
  let over = false;
  const waiting = pause.wait(600_000).then(() => (over = true));
  await Promise.resolve();
  expect(over).toBe(false);
  pause.wake();
  await waiting;
});
