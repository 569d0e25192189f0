// Which changes an event query takes.
import { describe, expect, it } from 'vitest';
import type { Change } from '../../store/store.ts';
import { matchesEvent } from './event-record.ts';

const change = (kind: string, type: string, fact?: object) => ({ seq: 1, kind, type, fact, namespace: 'default', name: 'a' }) as Change;

describe('a query without heartbeats', () => {
  it.each([
    ['an update of a Worker', change('Worker', 'updated'), false],
    ['a Worker that came', change('Worker', 'created'), true],
    ['a fact about a Worker', change('Worker', 'updated', { type: 'worker.not_ready' }), true],
    ['an update of another kind', change('Task', 'updated'), true],
  ])('%s', (_what, candidate, taken) => {
    expect(matchesEvent({ heartbeats: false }, candidate)).toBe(taken);
    expect(matchesEvent({}, candidate)).toBe(true);
  });
});

it('takes changes of each type that a query names', () => {
  const taken = (type: string) => ['created', 'updated', 'deleted'].filter((each) => matchesEvent({ type }, change('Task', each)));
  expect(taken('resource.created,resource.deleted')).toEqual(['created', 'deleted']);
  expect(taken('resource.updated')).toEqual(['updated']);
});
