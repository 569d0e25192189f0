import { expect, test } from 'vitest';
import { firstRunState } from './first-run.ts';

const counts = (...all: number[]) => all.map((count) => ({ count }));

test.each([
  [counts(0, 0, 0, 0), 0],
  [counts(1, 0, 0, 0), 1],
  [counts(2, 5, 1, 0), 3],
  [counts(0, 5, 1, 0), 0],
  [counts(1, 1, 1, 1), undefined],
])('%j leads to the next step %s', (given, next) => expect(firstRunState(given).next).toBe(next));
