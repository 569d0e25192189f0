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

  it.each([
    ['Tool', 'phase'],
    ['Task', 'reason'],
    ['Task', 'trial'],
    ['Task', 'completedAt'],
  ])('written to a %s has one short line in the indexed field %s', (kind, field) => {
    const refusal = (value: string, message: string) => {
      const details = [{ path: `status.${field}`, message }];
      expect(() => check(kind, { [field]: value })).toThrow(expect.objectContaining({ code: 'invalid', details }));
    };
    refusal('x'.repeat(501), 'must be at most 500 characters');
    refusal('a\0b', 'must not hold control characters');
    expect(check(kind, { [field]: 'x'.repeat(500) }).status).toMatchObject({ [field]: 'x'.repeat(500) });
  });
});
