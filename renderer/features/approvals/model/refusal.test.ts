import { expect, test } from 'vitest';
import type { Problem } from '../../../live/problem.ts';
import { refusalOf } from './refusal.ts';
import { toolApproval } from '../../../testing/approvals.ts';

const problem = (code: Problem['code'], retryable = false): Problem => ({ code, message: 'as the server says', details: [], retryable });
const seen = toolApproval();
const now = seen.expiresAt - 1;

test.each([
  [
    'another person decided first',
    problem('conflict'),
    toolApproval({ status: { phase: 'Denied', decided_by: 'ben' } }),
    'decided',
    /denied by ben/,
  ],
  ['it expired', problem('conflict'), toolApproval({ status: { phase: 'Expired' } }), 'expired', /No decision before expiry/],
  [
    'its run was cancelled',
    problem('conflict'),
    toolApproval({ status: { phase: 'Expired', lastError: 'the task ended' } }),
    'expired',
    /the task ended/,
  ],
  ['another one has its name', problem('conflict'), toolApproval({ uid: 'other' }), 'replaced', /a new one has its name/],
  ['it was deleted', problem('not_found'), undefined, 'gone', /denies it/],
  ['the input does not fit', problem('invalid'), seen, 'invalid', /as the server says/],
  ['the role is too low', problem('forbidden'), seen, 'forbidden', /as the server says/],
  ['the network is down', problem('unreachable', true), undefined, 'unsent', /not known yet/],
] as const)('%s', (_, error, current, kind, text) => {
  const refusal = refusalOf({ problem: error, seen, current, now });
  expect(refusal.kind).toBe(kind);
  expect(refusal.text).toMatch(text);
});
