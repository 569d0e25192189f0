// Requests that the lists of approvals make besides the approvals themselves, with a fake server.
import { QueryClient } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { problemOf } from '../../../live/problem.ts';
import { refusal, serve } from '../../../testing/fake-link.ts';
import { taskApproval, toolApproval } from '../../../testing/approvals.ts';
import { usePending, useRunSystems } from './use-approvals.ts';
import { queryWrapper } from '../../../testing/query-wrapper.tsx';

function renderWithClient<Result>(hook: () => Result) {
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return renderHook(hook, { wrapper: queryWrapper(queryClient) });
}

test('a failed list is named beside the approvals of the other list', async () => {
  serve({
    resources: {
      list: ({ kind }) => {
        if (kind === 'ToolApproval') throw refusal('forbidden', 'Calls are not for you.');
        return { items: [taskApproval().resource] };
      },
    },
  });
  const { result } = renderWithClient(() => usePending('ops'));
  await waitFor(() => expect(result.current.loading).toBe(false));
  expect(result.current.approvals).toHaveLength(1);
  expect(result.current.failed).toEqual(['ToolApproval']);
  expect(problemOf(result.current.error).message).toBe('Calls are not for you.');
});

test('the system of a run is loaded without its records', async () => {
  const get = vi.fn(() => ({ metadata: { namespace: 'ops', name: 'job' }, spec: { system: 'desk' } }));
  serve({ resources: { list: () => ({ items: [] }), get } });
  const approvals = [toolApproval()];
  const { result } = renderWithClient(() => useRunSystems('ops', approvals));
  await waitFor(() => expect(result.current.get('ops/job')).toBe('desk'));
  expect(get).toHaveBeenCalledWith({ kind: 'Task', namespace: 'ops', name: 'job', brief: true });
});
