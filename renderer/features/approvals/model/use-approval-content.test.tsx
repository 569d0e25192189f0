// The plan is not shown before the run has answered: the Tool of today may differ.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, test, vi } from 'vitest';
import type { ToolApproval } from './approval.ts';
import { useApprovalContent, useRecordedTool } from './use-approval-content.ts';

const asked = vi.hoisted(() => vi.fn());
vi.mock('../../../live/api.ts', () => ({
  api: { resources: { get: { queryOptions: () => ({ queryKey: ['tool'], queryFn: () => ({ spec: { type: 'of today' } }) }) } } },
  client: { approvals: { asked: { query: asked } } },
}));

test('the current Tool replaces nothing before the run has answered', async () => {
  let answer: (of: object) => void = () => undefined;
  asked.mockReturnValue(new Promise((resolve) => (answer = resolve)));
  const approval = {
    kind: 'ToolApproval',
    namespace: 'ops',
    name: 'one',
    uid: 'u1',
    phase: 'Pending',
    tool: {},
  } as unknown as ToolApproval;
  const queryClient = new QueryClient();
  const wrapper = ({ children }: { readonly children: ReactNode }) => (
    <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
  );
  const { result } = renderHook(() => useRecordedTool(approval, useApprovalContent(approval)), { wrapper });
  await waitFor(() => expect(queryClient.getQueryData(['tool'])).toBeDefined());
  expect(result.current.spec).toBeUndefined();
  answer({ uid: 'u1', call: { tool: { spec: { type: 'of the run' } } } });
  await waitFor(() => expect(result.current.spec).toEqual({ type: 'of the run' }));
});
