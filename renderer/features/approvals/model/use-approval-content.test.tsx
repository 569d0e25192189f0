// The plan is not shown before the run has answered: the current Tool may differ.
import { QueryClient } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { serve } from '../../../testing/fake-link.ts';
import type { ToolApproval } from './approval.ts';
import { useApprovalContent, useRecordedTool } from './use-approval-content.ts';
import { queryWrapper } from '../../../testing/query-wrapper.tsx';

test('the current Tool replaces nothing before the run has answered', async () => {
  let answer: (of: object) => void = () => undefined;
  const get = vi.fn(() => ({ spec: { type: 'current' } }));
  serve({ resources: { get }, approvals: { request: () => new Promise((resolve) => (answer = resolve)) } });
  const approval = {
    kind: 'ToolApproval',
    namespace: 'ops',
    name: 'one',
    uid: 'u1',
    phase: 'Pending',
    tool: { namespace: 'ops', name: 'pay' },
  } as unknown as ToolApproval;
  const queryClient = new QueryClient();
  const { result } = renderHook(() => useRecordedTool(approval, useApprovalContent(approval)), { wrapper: queryWrapper(queryClient) });
  await waitFor(() => expect(queryClient.isFetching({ queryKey: [['resources', 'get']] })).toBe(0));
  expect(get).toHaveBeenCalledTimes(1);
  expect(result.current.spec).toBeUndefined();
  answer({ uid: 'u1', call: { tool: { spec: { type: 'of the run' } } } });
  await waitFor(() => expect(result.current.spec).toEqual({ type: 'of the run' }));
});
