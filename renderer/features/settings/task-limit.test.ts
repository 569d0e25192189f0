// The limit of tasks as a person types it.
import { expect, test } from 'vitest';
import { limitOf } from './task-limit.ts';

test.each([
  ['', null],
  ['  ', null],
  ['1', 1],
  [' 256 ', 256],
  ['0', undefined],
  ['257', undefined],
  ['1.5', undefined],
  ['1e1', undefined],
  ['-3', undefined],
  ['many', undefined],
])('reads %j as %j', (text, limit) => expect(limitOf(text)).toBe(limit));
