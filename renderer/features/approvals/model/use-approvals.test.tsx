// Requests that the lists of approvals make besides the approvals themselves, with a fake server.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, test, vi } from 'vitest';
import { serve } from '../../../testing/fake-link.ts';
import { toolApproval } from './test-approvals.ts';
import { useRunSystems } from './use-approvals.ts';

test('the system of a run is loaded without its records', async () => {
  const get = vi.fn(() => ({ metadata: { namespace: 'ops', name: 'job' }, spec: { system: 'desk' } }));
  serve({ resources: { list: () => ({ items: [] }), get } });
  const queryClient = new QueryClient();
  const wrapper = ({ children }: { readonly children: ReactNode }) => (
    <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
  );
  const approvals = [toolApproval()];
  const { result } = renderHook(() => useRunSystems('ops', approvals), { wrapper });
  await waitFor(() => expect(result.current.get('ops/job')).toBe('desk'));
  expect(get).toHaveBeenCalledWith({ kind: 'Task', namespace: 'ops', name: 'job', brief: true });
});
