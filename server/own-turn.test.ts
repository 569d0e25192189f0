// Large texts one after the other, each in a turn of the event loop of its own.
import { expect, test } from 'vitest';
import { readText } from './egress/response.ts';
import type { EgressResponse } from './egress/egress.ts';
import { ownTurn } from './own-turn.ts';

const LIMIT = { maxBytes: 16 * 1024 * 1024, retryable: false, what: 'the peer' };

/** Numbers of the turns in which the works are done. */
async function turnsOf(works: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  let turn = 0;
  let counting = true;
  const count = () => {
    turn += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const turns = await Promise.all(works.map((work) => work().then(() => turn)));
  counting = false;
  return turns;
}

const answer = (bytes: number) => {
  async function* body() {
    yield Buffer.alloc(bytes / 2, 'x');
    yield Buffer.alloc(bytes / 2, 'x');
  }
  return { status: 200, headers: {}, body: body(), discard: () => undefined } as unknown as EgressResponse;
};

test('large texts have a turn each, and short ones do not wait', async () => {
  const large = () => ownTurn(2 * 1024 * 1024);
  const turns = await turnsOf([large, large, () => ownTurn(1_000), large]);
  expect(new Set(turns).size).toBe(4);
  expect(turns[2]).toBe(0);
});

test('large answers that come together are read in a turn each', async () => {
  const turns = await turnsOf([1, 2, 3].map(() => () => readText(answer(4 * 1024 * 1024), LIMIT)));
  expect(new Set(turns).size).toBe(3);
});
