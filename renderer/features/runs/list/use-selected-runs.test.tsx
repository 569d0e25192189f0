// Selected runs behind a filter, with a fake server.
import { QueryClient } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { refusal, serve } from '../../../testing/fake-link.ts';
import { phaseOf, type Run } from '../model/run.ts';
import { useSelectedRuns } from './use-selected-runs.ts';
import { queryWrapper } from '../../../testing/query-wrapper.tsx';

const run = (name: string, phase: string) =>
  ({ kind: 'Task', metadata: { namespace: 'ops', name }, spec: {}, status: { phase } }) as unknown as Run;

test('a selected run that leaves the list is shown as it is now, and a deleted one is dropped', async () => {
  serve({
    resources: {
      get: ({ name }) => {
        if (name === 'deleted') throw refusal('not_found', 'There is none.');
        return run(name, 'Failed');
      },
    },
  });
  const queryClient = new QueryClient();
  const selected = new Set(['ops/slow', 'ops/deleted']);
  const { result, rerender } = renderHook(({ rows }) => useSelectedRuns(rows, selected), {
    wrapper: queryWrapper(queryClient),
    initialProps: { rows: [run('slow', 'Running'), run('deleted', 'Running')] },
  });
  expect(result.current.map(phaseOf)).toEqual(['Running', 'Running']);
  rerender({ rows: [] });
  await waitFor(() => expect(result.current.map((each) => [each.metadata.name, phaseOf(each)])).toEqual([['slow', 'Failed']]));
});
