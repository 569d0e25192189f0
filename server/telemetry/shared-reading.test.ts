// Readings that scrapes share.
import { expect, test } from 'vitest';
import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import { createSharedReading } from './shared-reading.ts';

function counting(answers: readonly (() => Promise<number>)[]) {
  let asked = 0;
  const read = (): Promise<number> => {
    const answer = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    return answer?.() ?? Promise.reject(new Error('no answer'));
  };
  return { read, asked: () => asked };
}

const clockAt = (time: { now: number }): Clock => ({ ...systemClock, now: () => time.now });

test('a reading serves until it is too old', async () => {
  const time = { now: 1_000 };
  const source = counting([async () => 1, async () => 2]);
  const read = createSharedReading({ read: source.read, clock: clockAt(time), maxAgeMs: 5_000 });
  expect([await read(), await read()]).toEqual([1, 1]);
  time.now += 4_999;
  expect(await read()).toBe(1);
  time.now += 1;
  expect([await read(), source.asked()]).toEqual([2, 2]);
});

test('a failing source is not read again by every scrape', async () => {
  const time = { now: 1_000 };
  const source = counting([() => Promise.reject(new Error('away')), async () => 7]);
  const read = createSharedReading({ read: source.read, clock: clockAt(time), maxAgeMs: 5_000 });
  expect([await read(), await read(), source.asked()]).toEqual([undefined, undefined, 1]);
  time.now += 5_000;
  expect(await read()).toBe(7);
});

test('a hanging source delays no scrape for long and is not read twice; its late answer is used', async () => {
  let answer: (value: number) => void = () => undefined;
  const source = counting([() => new Promise((resolve) => (answer = resolve))]);
  const read = createSharedReading({ read: source.read, clock: systemClock, timeoutMs: 20 });
  expect(await Promise.all([read(), read()])).toEqual([undefined, undefined]);
  expect(await read()).toBe(undefined);
  expect(source.asked()).toBe(1);
  answer(5);
  await expect.poll(read).toBe(5);
});
