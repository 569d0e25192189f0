// The queue of keys: never the same key twice at once, nothing forgotten, moments kept.
import { afterEach, expect, it } from 'vitest';
import { turns } from '../../testing/background.ts';
import { createManualClock } from '../../testing/manual-clock.ts';
import { createKeyQueue, type KeyQueue } from './key-queue.ts';

let made: KeyQueue | undefined;
afterEach(() => made?.stop());

function setup(concurrency = 2) {
  const clock = createManualClock();
  const log: string[] = [];
  const open = new Map<string, () => void>();
  const work = async (key: string): Promise<void> => {
    log.push(`+${key}`);
    await new Promise<void>((resolve) => open.set(key, resolve));
    log.push(`-${key}`);
  };
  const queue = createKeyQueue({ clock, concurrency, work });
  made = queue;
  const end = async (key: string): Promise<void> => {
    open.get(key)?.();
    open.delete(key);
    await turns(5);
  };
  const endAll = async (): Promise<void> => {
    while (open.size > 0) for (const key of [...open.keys()]) await end(key);
  };
  return { clock, queue, log, end, endAll };
}

it('runs a key that is added while it runs once more, after', async () => {
  const { queue, log, end, endAll } = setup();
  queue.add('a');
  await turns(5);
  queue.add('a');
  queue.add('a');
  await turns(5);
  expect(log).toEqual(['+a']);
  await end('a');
  expect(log).toEqual(['+a', '-a', '+a']);
  await endAll();
  expect(log).toEqual(['+a', '-a', '+a', '-a']);
});

it('limits concurrent keys, in the order of arrival', async () => {
  const { queue, log, end, endAll } = setup(2);
  for (const key of ['a', 'b', 'c', 'd', 'c']) queue.add(key);
  await turns(5);
  expect(log).toEqual(['+a', '+b']);
  await end('b');
  await end('a');
  expect(log).toEqual(['+a', '+b', '-b', '+c', '-a', '+d']);
  const drained = queue.drain().then(() => log.push('drained'));
  await endAll();
  await drained;
  expect(log.slice(6)).toEqual(['-c', '-d', 'drained']);
});

it('runs a key at its moment; a later moment replaces an earlier one, and an addition both', async () => {
  const { clock, queue, log, endAll } = setup();
  const began = clock.now();
  queue.addAt('a', began + 1_000);
  queue.addAt('a', began + 2_000);
  queue.addAt('b', began + 500);
  queue.add('b');
  await turns(5);
  await endAll();
  expect(log).toEqual(['+b', '-b']);
  clock.advance(1_999);
  await turns(5);
  expect(log).toEqual(['+b', '-b']);
  clock.advance(1);
  await turns(5);
  expect(log).toEqual(['+b', '-b', '+a']);
  await endAll();
});

it('waits for an earlier moment that comes after a later one', async () => {
  const { clock, queue, log, endAll } = setup();
  queue.addAt('late', clock.now() + 10_000);
  await turns(5);
  queue.addAt('early', clock.now() + 1_000);
  await turns(5);
  clock.advance(1_000);
  await turns(5);
  expect(log).toEqual(['+early']);
  await endAll();
});

it('starts nothing after stop, and stop resolves when running keys have ended', async () => {
  const { clock, queue, log, endAll } = setup(1);
  queue.add('a');
  queue.add('b');
  queue.addAt('c', clock.now() + 1);
  await turns(5);
  const stopping = queue.stop().then(() => log.push('stopped'));
  queue.add('d');
  await turns(5);
  clock.advance(1);
  await turns(5);
  expect(log).toEqual(['+a']);
  await endAll();
  await stopping;
  await queue.stop();
  expect(log).toEqual(['+a', '-a', 'stopped']);
});
