import { expect, test } from 'vitest';
import { roleOptions, tokenProblem } from './token-request.ts';

const wish = { name: 'ci', role: 'writer', systems: '', understood: false };

test.each([
  [wish, false, undefined],
  [{ ...wish, name: '' }, false, 'name'],
  [{ ...wish, name: '-x' }, false, 'name'],
  [{ ...wish, role: 'a2a' }, false, 'systems'],
  [{ ...wish, role: 'admin' }, true, 'understood'],
  [{ ...wish, role: 'admin', understood: true }, true, undefined],
])('%j (first: %s): the problem is at %s', (given, first, field) => expect(tokenProblem(given, first)?.field).toBe(field));

test('the first token must be an admin', () => expect(roleOptions(true).map(({ value }) => value)).toEqual(['admin']));
