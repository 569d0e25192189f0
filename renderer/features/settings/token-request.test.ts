import { expect, test } from 'vitest';
import { roleOptions, tokenProblem } from './token-request.ts';

const draft = { name: 'ci', role: 'writer', systems: '', understood: false };

test.each([
  [draft, false, undefined],
  [{ ...draft, name: '' }, false, 'name'],
  [{ ...draft, name: '-x' }, false, 'name'],
  [{ ...draft, role: 'a2a' }, false, 'systems'],
  [{ ...draft, role: 'admin' }, true, 'understood'],
  [{ ...draft, role: 'admin', understood: true }, true, undefined],
])('%j (first: %s): the problem is at %s', (given, first, field) => expect(tokenProblem(given, first)?.field).toBe(field));

test('the first token must be an admin', () => expect(roleOptions(true).map(({ value }) => value)).toEqual(['admin']));
