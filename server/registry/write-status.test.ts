// Check of the body of PUT status: the phase that it gets, and the errors that it reports.
import { describe, expect, it } from 'vitest';
import { requireKind } from './mapping.ts';
import { checkStatusDraft } from './write-status.ts';

const check = (kind: string, status: unknown) =>
  checkStatusDraft(requireKind(kind), { kind, namespace: 'default', name: 'a', ifMatch: '1', body: { status } });

describe('a status', () => {
  it.each([
    ['AgentRole', {}, 'Pending'],
    ['AgentRole', { phase: null }, 'Pending'],
    ['Session', {}, 'WaitingInput'],
    ['Session', { phase: 'Paused' }, 'Paused'],
  ])('written to a %s as %j has the phase %s', (kind, status, phase) => {
    expect(check(kind, status).status).toEqual({ phase });
  });

  it('reports a wrong type once', () => {
    const details = [{ path: 'status.phase', message: 'must be a string, not a number' }];
    expect(() => check('AgentRole', { phase: 5 })).toThrow(expect.objectContaining({ details }));
  });
});
