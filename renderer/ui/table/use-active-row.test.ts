import { expect, test } from 'vitest';
import { placeOf } from './use-active-row.ts';

const listed = (...keys: string[]) => ({ length: keys.length, at: (index: number) => keys[index] ?? '' });

test.each([
  ['stays where it is', listed('a', 'b', 'c'), { key: 'b', index: 1 }, 1],
  ['goes down with its row', listed('x', 'y', 'a', 'b'), { key: 'b', index: 1 }, 3],
  ['goes up with its row', listed('c'), { key: 'c', index: 2 }, 0],
  ['stays at the place of a row that has gone', listed('a', 'c', 'd'), { key: 'b', index: 1 }, 1],
  ['is the last when there are fewer', listed('a'), { key: 'c', index: 2 }, 0],
  ['is none without rows', listed(), { key: 'c', index: 2 }, -1],
  ['is the first before anything was chosen', listed('a', 'b'), { key: '', index: 0 }, 0],
])('%s', (_, keys, place, expected) => expect(placeOf(keys, place)).toBe(expected));
