import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Outflow } from '../outflow/outflow.ts';
import { Turns } from '../outflow/turns.ts';
import { requestPace } from './call-pace.ts';

/** A batch of calls, and whether another one gets the only turn. */
function setup() {
  const calls = new Turns({ max: 1, hasRoom: () => true });
  const { calls: batch, end } = requestPace({ calls } as Outflow);
  const isFree = async () => {
    const attempt = new AbortController();
    const taken = calls.take(attempt.signal).then(
      (endTurn) => (endTurn(), true),
      () => false,
    );
    // A turn ends one round of the event loop later.
    await setImmediate();
    await setImmediate();
    attempt.abort();
    return taken;
  };
  const asked = () => {
    let answer: () => void = () => undefined;
    const answered = batch.waiting(() => new Promise<void>((resolve) => (answer = resolve)));
    return { answered, answer: () => answer() };
  };
  return { batch, end, isFree, asked };
}

test('a batch keeps its turn while one call waits for another program and another is worked on', async () => {
  const { batch, isFree, asked } = setup();
  const [, endWork] = [await batch.begin('query'), await batch.begin('query')];
  const { answered, answer } = asked();
  expect(await isFree()).toBe(false);
  endWork();
  expect(await isFree()).toBe(true);
  answer();
  await answered;
  expect(await isFree()).toBe(false);
});

test('a batch gives its turn back while all calls wait, and when it ends', async () => {
  const { batch, end, isFree, asked } = setup();
  await Promise.all([batch.begin('query'), batch.begin('query')]);
  const [one, two] = [asked(), asked()];
  expect(await isFree()).toBe(true);
  one.answer();
  await one.answered;
  expect(await isFree()).toBe(false);
  end();
  expect(await isFree()).toBe(true);
  two.answer();
  await two.answered;
  expect(await isFree()).toBe(true);
});
