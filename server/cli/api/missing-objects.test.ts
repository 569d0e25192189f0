// Errors of objects that do not exist, whose requests end in another order.
import { expect, test } from 'vitest';
import type { Invocation } from '../program/invocation.ts';
import { ApiError } from './client.ts';
import { MissingObjects } from './missing-objects.ts';

test('errors are reported in the order of the objects', async () => {
  const missing = new MissingObjects();
  const absent = (name: string) => new ApiError(404, { code: 'not_found', message: `${name} does not exist` }, undefined);
  let endFirst = (_: ApiError): void => undefined;
  const first = missing.found(new Promise((_, reject) => (endFirst = reject)));
  await missing.found(Promise.reject(absent('b')));
  endFirst(absent('a'));
  expect(await first).toBeUndefined();
  const lines: string[] = [];
  const invocation = { note: (...printed: string[]) => void lines.push(...printed), errorStyle: { bad: (text: string) => text } };
  expect(() => missing.report(invocation as unknown as Invocation)).toThrow('b does not exist');
  expect(lines).toEqual(['error: a does not exist']);
});
