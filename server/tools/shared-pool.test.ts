import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSharedPool, type SharedPool } from './shared-pool.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Setup {
  readonly pool: SharedPool<string>;
  readonly closed: string[];
  /** Uses a connection until the answer is called. */
  hold(key: string): Promise<() => Promise<void>>;
  use(key: string): Promise<string>;
}

function setup(): Setup {
  const closed: string[] = [];
  let opened = 0;
  const pool = createSharedPool<string>((connection) => Promise.resolve(void closed.push(connection)));
  const open = (key: string) => () => {
    opened += 1;
    return Promise.resolve(`${key}${opened}`);
  };
  return {
    pool,
    closed,
    use: (key) => pool.with(key, open(key), (connection) => Promise.resolve(connection)),
    hold: (key) =>
      new Promise((ready) => {
        let end: () => void = () => undefined;
        const held = pool.with(key, open(key), () => {
          const waiting = new Promise<void>((resolve) => (end = resolve));
          ready(async () => {
            end();
            await held;
          });
          return waiting;
        });
      }),
  };
}

test('a connection is opened once and closed when nobody has used it for a minute', async () => {
  const { use, closed } = setup();
  expect([await use('a'), await use('a'), await use('b')]).toEqual(['a1', 'a1', 'b2']);
  await vi.advanceTimersByTimeAsync(59_000);
  expect([await use('a'), closed]).toEqual(['a1', []]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(closed).toEqual(['b2']);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(closed).toEqual(['b2', 'a1']);
});

test('a connection that ended while nobody used it is replaced', async () => {
  const closed: string[] = [];
  const ended = new Set<string>();
  const pool = createSharedPool<string>(
    (connection) => Promise.resolve(void closed.push(connection)),
    (connection) => !ended.has(connection),
  );
  const use = (connection: string) =>
    pool.with(
      'a',
      () => Promise.resolve(connection),
      (used) => Promise.resolve(used),
    );
  expect([await use('first'), await use('second')]).toEqual(['first', 'first']);
  ended.add('first');
  expect([await use('second'), closed]).toEqual(['second', ['first']]);
});

test('a dropped connection serves its present users to their end, and no new ones', async () => {
  const { pool, hold, use, closed } = setup();
  const end = await hold('a');
  await pool.with(
    'a',
    () => Promise.reject(new Error('not opened')),
    (_, drop) => Promise.resolve(drop()),
  );
  expect([await use('a'), closed]).toEqual(['a2', []]);
  await end();
  expect(closed).toEqual(['a1']);
});

test('a connection is not used past its age', async () => {
  const { hold, use, closed } = setup();
  const end = await hold('a');
  await vi.advanceTimersByTimeAsync(301_000);
  expect([await use('a'), closed]).toEqual(['a2', []]);
  await end();
  expect(closed).toEqual(['a1']);
});

test('past the bound the one that was used last long ago is closed', async () => {
  const { use, closed } = setup();
  for (let n = 0; n < 66; n += 1) await use(`${n}:`);
  expect(closed).toEqual(['0:1', '1:2']);
});

test('two that open at once share one', async () => {
  const { use, closed } = setup();
  expect(new Set(await Promise.all([use('a'), use('a'), use('a')])).size).toBe(1);
  expect(closed).toHaveLength(2);
});

test('close ends what is idle at once, and the rest with its last user', async () => {
  const { pool, hold, use, closed } = setup();
  const end = await hold('a');
  await use('b');
  await pool.close();
  expect(closed).toEqual(['b2']);
  await end();
  await pool.close();
  expect(closed).toEqual(['b2', 'a1']);
});
