import { expect, test } from 'vitest';
import { readSearch } from '../../../navigation/search-state.ts';
import { asRun, type Run } from '../model/run.ts';
import { isShown, RUN_LIST_PARAMS, runListInput, type RunListState } from './run-list-input.ts';

const NOW = Date.parse('2026-05-05T12:00:00.000Z');
const state = (query: Record<string, string | string[]> = {}): RunListState => readSearch(RUN_LIST_PARAMS, query);

function run(fields: { name?: string; spec?: object; status?: object }): Run {
  const metadata = {
    name: fields.name ?? 'r',
    namespace: 'n',
    uid: 'u',
    createdAt: '2026-05-05T11:00:00.000Z',
    labels: {},
    annotations: {},
  };
  return asRun({ kind: 'Task', metadata, spec: { system: 's', ...fields.spec }, status: { phase: 'Running', ...fields.status } } as never);
}

test.each([
  ['nothing', {}, undefined],
  ['one phase', { phase: 'Running' }, 'status.phase=Running'],
  [
    'failures, without ends that a person chose',
    { phase: 'Failed' },
    'status.phase=Failed,status.reason!=cancelled,status.reason!=approval_denied',
  ],
  ['cancelled runs', { phase: 'Cancelled' }, 'status.reason=cancelled'],
  ['denied runs', { phase: 'Denied' }, 'status.reason=approval_denied'],
  [
    'denied or succeeded runs, as the rest ruled out',
    { phase: ['Denied', 'Succeeded'] },
    'status.phase!=Running,status.phase!=WaitingApproval,status.phase!=Pending,status.reason!=cancelled',
  ],
  [
    'several phases, as the rest ruled out',
    { phase: ['Failed', 'DeadLetter', 'Running'] },
    'status.phase!=WaitingApproval,status.phase!=Pending,status.phase!=Succeeded,status.reason!=cancelled,status.reason!=approval_denied',
  ],
  [
    'all outcomes, which is no filter',
    { phase: ['Running', 'WaitingApproval', 'Pending', 'Succeeded', 'Failed', 'DeadLetter', 'Cancelled', 'Denied'] },
    undefined,
  ],
  ['a phase that does not exist', { phase: 'Nonsense' }, undefined],
  ['pending runs, without templates', { phase: 'Pending' }, 'status.phase=Pending,spec.mode=run'],
  ['pending runs and templates', { phase: 'Pending', mode: 'all' }, 'status.phase=Pending'],
  ['templates of a system', { system: 'desk', mode: 'templates' }, 'spec.mode=template,spec.system=desk'],
  ['trials of a system', { system: 'desk', trial: 'only' }, 'spec.system=desk,status.trial=true'],
  ['all but trials', { trial: 'none' }, 'status.trial!=true'],
  ['a system beside a phase', { phase: 'Running', system: 'desk' }, 'status.phase=Running,spec.system=desk'],
])('the server selects by %s', (_what, query, expected) => {
  expect(runListInput(state(query as Record<string, string>), undefined).fieldSelector).toBe(expected);
});

test('a search is made by the server, newest first', () => {
  expect(runListInput(state({ q: 'inv', sort: '-cost' }), 'ops')).toMatchObject({ q: 'inv', order: '-createdAt', namespace: 'ops' });
  expect(runListInput(state({ sort: '-cost' }), 'ops')).toMatchObject({ order: '-cost' });
  expect(runListInput(state({}), 'ops')).not.toHaveProperty('q');
});

test.each([
  ['a template among runs', run({ spec: { mode: 'template' } }), {}, false],
  ['a template among templates', run({ spec: { mode: 'template' } }), { mode: 'templates' }, true],
  ['a run among both', run({}), { mode: 'all' }, true],
  ['another worker', run({ status: { assignedWorker: 'w2' } }), { worker: 'w1' }, false],
  ['the worker', run({ status: { assignedWorker: 'w1' } }), { worker: 'w1' }, true],
  ['the reason', run({ status: { reason: 'timeout' } }), { reason: 'timeout' }, true],
  ['a run of two hours', run({ status: { startedAt: '2026-05-05T10:00:00.000Z' } }), { lasting: '1h' }, true],
  ['a run of half an hour', run({ status: { startedAt: '2026-05-05T11:30:00.000Z' } }), { lasting: '1h' }, false],
  ['one that ended now', run({ status: { completedAt: new Date(NOW).toISOString() } }), { ended: 'today' }, true],
  ['one that ended last week', run({ status: { completedAt: '2026-04-28T11:00:00.000Z' } }), { ended: 'today' }, false],
  ['a cancelled run among failures', run({ status: { phase: 'Failed', reason: 'cancelled' } }), { phase: 'Failed' }, false],
  ['a cancelled run among cancelled ones', run({ status: { phase: 'Failed', reason: 'cancelled' } }), { phase: 'Cancelled' }, true],
  [
    'a run whose two hours were mostly a wait for people',
    run({ status: { startedAt: '2026-05-05T10:00:00.000Z', waitedMs: 5_400_000 } }),
    { lasting: '1h' },
    false,
  ],
  ['one that has not ended', run({}), { ended: 'today' }, false],
])('%s', (_what, each, query, expected) => {
  expect(isShown(each, state(query as Record<string, string>), NOW)).toBe(expected);
});
