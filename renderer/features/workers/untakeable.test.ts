import type { Resource } from '@svc/shared/resource';
import { expect, test } from 'vitest';
import { untakeableGroups } from './untakeable.ts';

const run = (name: string, status: object, spec: object = {}): Resource =>
  ({
    kind: 'Task',
    metadata: { name, createdAt: `2026-01-0${name.at(-1)}T00:00:00Z` },
    spec,
    status: { phase: 'Pending', ...status },
  }) as never;
const missing = (reason: string) => ({ blockedOn: { kind: 'Worker', name: '', reason } });

test('runs that no worker can take stand by what they miss, the most first, each the longest wait first', () => {
  const groups = untakeableGroups([
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
