// Order, number at once, failure and Ctrl-C of requests about many objects.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Invocation } from '../program/invocation.ts';
import { eachInOrder } from './in-order.ts';

const items = Array.from({ length: 50 }, (_, i) => i);

/** Runs over the items; `perform` gets the interrupt. */
async function runOver(perform: (item: number, interrupt: () => void) => Promise<unknown>) {
  let interrupt = (): void => undefined;
  const terminal = {
    onInterrupt: (listener: () => void) => {
      interrupt = listener;
      return () => undefined;
    },
  };
  const seen = { begun: 0, running: 0, most: 0, done: [] as number[] };
  const result = await eachInOrder({ terminal } as unknown as Invocation, items, {
    perform: async (item) => {
      seen.begun += 1;
      seen.running += 1;
      seen.most = Math.max(seen.most, seen.running);
      await perform(item, interrupt).finally(() => (seen.running -= 1));
    },
    done: (item) => seen.done.push(item),
  }).catch((error: unknown) => error);
  return { ...seen, result };
}

test('up to 16 run at once, and their results come in the order of the items', async () => {
  expect(await runOver((item) => sleep(item % 3))).toEqual({ begun: 50, running: 0, most: 16, done: items, result: false });
});

test('a failure begins no further item and rejects after those that have begun', async () => {
  const failure = new Error('refused');
  const { begun, running, done, result } = await runOver((item) => (item === 5 ? Promise.reject(failure) : sleep(1)));
  expect({ running, done, result }).toEqual({ running: 0, done: items.slice(0, begun).filter((item) => item !== 5), result: failure });
  expect(begun).toBeLessThanOrEqual(22);
});

test('Ctrl-C begins no further item and reports those that have begun', async () => {
  const { begun, running, done, result } = await runOver(async (item, interrupt) => {
    if (item === 20) interrupt();
    await sleep(1);
  });
  expect({ running, done, result }).toEqual({ running: 0, done: items.slice(0, begun), result: true });
  expect(begun).toBeLessThan(50);
});
