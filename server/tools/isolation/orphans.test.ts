import { expect, test } from 'vitest';
import { createManualClock } from '../../testing/manual-clock.ts';
import { isOrphaned, Sweeper } from './orphans.ts';

const NOW = 1_000_000_000;
const dead = 'boot/1/10/5';

test.each([
  ['its process ended', { 'svc.owner': 'w', 'svc.deadline': String(NOW + 1), 'svc.process': dead }, true],
  ['its deadline passed a while ago', { 'svc.owner': 'w', 'svc.deadline': String(NOW - 60_001), 'svc.process': 'boot/1/11/5' }, true],
  ['its deadline passed just now', { 'svc.owner': 'w', 'svc.deadline': String(NOW - 60_000), 'svc.process': 'boot/1/11/5' }, false],
  ['its process may live', { 'svc.owner': 'w', 'svc.deadline': String(NOW + 1), 'svc.process': 'boot/1/11/5' }, false],
  ['it does not say whose it is', { 'svc.deadline': '1', 'svc.process': dead }, false],
  ['it has no deadline', { 'svc.owner': 'w', 'svc.process': dead }, false],
  ['its deadline is no number', { 'svc.owner': 'w', 'svc.deadline': 'soon', 'svc.process': dead }, false],
])('%s: whether it is left over', (_when, labels, expected) => {
  expect(isOrphaned({ id: 'c', labels }, { now: NOW, isGone: (identity) => identity === dead })).toBe(expected);
});

test('many at once share the signal of the stop, without a warning of a leak', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  const labels = { 'svc.owner': 'w', 'svc.deadline': String(NOW), 'svc.process': dead };
  const removed: string[] = [];
  const sweeper = new Sweeper({
    clock: createManualClock(),
    isGone: () => true,
    list: () => Promise.resolve(Array.from({ length: 20 }, (_, n) => ({ id: `c${n}`, labels }))),
    async remove(id, signal) {
      signal.addEventListener('abort', () => undefined);
      removed.push(id);
      await Promise.resolve();
    },
    reportError: (error) => {
      throw error;
    },
  });
  sweeper.start();
  await expect.poll(() => removed).toHaveLength(20);
  await sweeper.stop();
  // Warnings come with the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
});

test('retries the removal of a container after five seconds', async () => {
  const labels = { 'svc.owner': 'w', 'svc.deadline': String(NOW), 'svc.process': dead };
  const clock = createManualClock();
  const errors: unknown[] = [];
  const tries: number[] = [];
  const sweeper = new Sweeper({
    clock,
    isGone: () => true,
    list: () => Promise.resolve(tries.length < 2 ? [{ id: 'c', labels }] : []),
    remove() {
      tries.push(clock.now());
      return tries.length === 1 ? Promise.reject(new Error('it is being started')) : Promise.resolve();
    },
    reportError: (error) => errors.push(error),
  });
  sweeper.start();
  const startedAt = clock.now();
  await expect.poll(() => clock.isAwaited(startedAt + 5_000)).toBe(true);
  clock.advance(5_000);
  await expect.poll(() => tries).toEqual([startedAt, startedAt + 5_000]);
  await sweeper.stop();
  expect(errors).toEqual([new Error('it is being started')]);
});
