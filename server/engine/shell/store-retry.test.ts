// Store retries of a worker: their length, and the events that end them.
import { ServiceError } from '@svc/shared/errors';
import { expect, test } from 'vitest';
import type { Clock } from '../../clock.ts';
import { WriteRace } from '../../store/write-race.ts';
import { createWakeUp } from '../../wake-up.ts';
import { retryUnavailableStore, type StoreRetry } from './store-retry.ts';

const away = () => new ServiceError('unavailable', 'the store does not answer');

/** A clock on which every wait passes at once and is noted. */
function hurrying(): { clock: Clock; waits: number[] } {
  let now = 0;
  const waits: number[] = [];
  const sleep: Clock['sleep'] = (ms, signal) => {
    waits.push(ms);
    now += ms;
    return signal?.aborted ? Promise.reject(signal.reason as Error) : Promise.resolve();
  };
  return { waits, clock: { now: () => now, sleep } };
}

function storeRetry(clock: Clock, over: Partial<StoreRetry> = {}): StoreRetry {
  const none = new AbortController().signal;
  return { clock, random: () => 1, lost: none, stopping: none, stopBy: () => Infinity, ...over };
}

function failing(times: number, error: () => Error) {
  let tries = 0;
  const attempt = () => ((tries += 1) <= times ? Promise.reject(error()) : Promise.resolve('done'));
  return { attempt, tries: () => tries };
}

test('waits double from 250 ms to 5 s', async () => {
  const { clock, waits } = hurrying();
  expect(await retryUnavailableStore(storeRetry(clock), failing(7, away).attempt)).toBe('done');
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
});

test('a lost race is run again at once, but not forever', async () => {
  const { clock, waits } = hurrying();
  expect(await retryUnavailableStore(storeRetry(clock), failing(3, () => new WriteRace(undefined)).attempt)).toBe('done');
  await expect(retryUnavailableStore(storeRetry(clock), failing(100, () => new WriteRace(undefined)).attempt)).rejects.toBeInstanceOf(
    WriteRace,
  );
  expect(waits).toEqual([]);
});

test('an error that no retry can remove is thrown at once', async () => {
  const { clock, waits } = hurrying();
  const broken = failing(1, () => new ServiceError('internal', 'broken'));
  await expect(retryUnavailableStore(storeRetry(clock), broken.attempt)).rejects.toMatchObject({ code: 'internal' });
  expect([broken.tries(), waits]).toEqual([1, []]);
});

test('the end of the claim ends the wait', async () => {
  const { clock } = hurrying();
  const lost = new AbortController();
  let tries = 0;
  const attempt = () => {
    if ((tries += 1) === 3) lost.abort(new ServiceError('conflict', 'lost'));
    return Promise.reject(away());
  };
  await expect(retryUnavailableStore(storeRetry(clock, { lost: lost.signal }), attempt)).rejects.toMatchObject({ code: 'conflict' });
  expect(tries).toBe(3);
});

test('a stopping worker retries until the end of its grace period', async () => {
  const { clock, waits } = hurrying();
  const stopping = AbortSignal.abort();
  await expect(
    retryUnavailableStore(storeRetry(clock, { stopping, stopBy: () => 1_000 }), failing(100, away).attempt),
  ).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(1_000);
});

test('a failing loop retries with waits that double up to a bound, and restarts them after a success', async () => {
  const { clock, waits } = hurrying();
  const answers = [0, 0, 0, 0, 0, 1, 0];
  let stop: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (stop = resolve));
  const loop = createWakeUp({
    clock,
    pollMs: 77,
    retryMs: 1_000,
    retryMaxMs: 10_000,
    onError: () => undefined,
    tick: () => {
      const answer = answers.shift();
      if (answer === undefined) stop();
      return answer === 0 ? Promise.reject(away()) : Promise.resolve(undefined);
    },
  });
  loop.start();
  await done;
  await loop.stop();
  expect(waits.slice(0, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 77, 1_000]);
});
