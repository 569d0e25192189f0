import type { Resource } from '@svc/shared/resource';
import { expect, test } from 'vitest';
import { isUnschedulable, stuckText, unschedulableGroups } from './unschedulable.ts';

const run = (name: string, status: object, spec: object = {}): Resource =>
  ({
    kind: 'Task',
    metadata: { name, createdAt: `2026-01-0${name.at(-1)}T00:00:00Z` },
    spec,
    status: { phase: 'Pending', ...status },
  }) as never;
const missing = (reason: string) => ({ blockedOn: { kind: 'Worker', name: '', reason } });

test('unschedulable runs are grouped by the missing capability, the most first, each the longest wait first', () => {
  const groups = unschedulableGroups([
    run('b3', missing('none has a GPU')),
    run('c1', missing('none is in eu')),
    run('a2', missing('none has a GPU')),
    run('free4', {}),
    run('waits5', { blockedOn: { kind: 'McpServer', name: 'm', reason: 'is connecting' } }),
    run('taken6', { ...missing('none has a GPU'), phase: 'Running' }),
    run('template7', missing('none has a GPU'), { mode: 'template' }),
  ]);
  expect(groups.map(({ reason, runs }) => [reason, runs.map(({ metadata }) => metadata.name)])).toEqual([
    ['none has a GPU', ['a2', 'b3']],
    ['none is in eu', ['c1']],
  ]);
});

test('the count of unschedulable runs is exact only when all pending runs were checked', () => {
  const runs = [run('gpu1', missing('none has a GPU')), run('free2', {}), run('template3', missing('none'), { mode: 'template' })];
  expect(runs.filter(isUnschedulable)).toHaveLength(1);
  expect(stuckText(1, false)).toBe('No worker can take one of the waiting runs.');
  expect(stuckText(2, false)).toBe('No worker can take 2 of the waiting runs.');
  expect(stuckText(2, true)).toBe('No worker can take at least 2 of the waiting runs.');
});
