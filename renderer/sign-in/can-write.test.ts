import { expect, test } from 'vitest';
import { mayWrite } from './can-write.ts';

test.each([
  ['live', 'writer', 'writer', true],
  ['live', 'admin', 'writer', true],
  ['connecting', 'writer', 'writer', true],
  ['live', 'reader', 'writer', false],
  ['live', 'reader', 'approver', false],
  ['live', 'approver', 'approver', true],
  ['live', 'writer', 'approver', true],
  ['live', 'approver', 'writer', false],
  ['live', 'writer', 'admin', false],
  ['reconnecting', 'admin', 'writer', false],
  ['offline', 'admin', 'writer', false],
  ['unauthorized', 'admin', 'writer', false],
  ['live', undefined, 'writer', false],
] as const)('while %s a %s may do actions of a %s: %s', (phase, role, needed, allowed) => {
  const answer = mayWrite(phase, role, needed);
  expect(answer.allowed).toBe(allowed);
  expect(answer.reason === undefined).toBe(allowed);
});
