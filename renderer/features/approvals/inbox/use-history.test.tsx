// The history of approvals as the server's two lists give it, with a fake server.
import { QueryClient } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { taskApproval, toolApproval } from '../../../testing/approvals.ts';
import { serve } from '../../../testing/fake-link.ts';
import { queryWrapper } from '../../../testing/query-wrapper.tsx';
import { useHistory } from './use-history.ts';

const FILTER = { namespace: 'ops', kinds: [], phase: '', text: '' };

const closed = (name: string, hour: number) => ({ name, status: { phase: 'Approved', closed_at: `2026-03-01T${hour}:00:00.000Z` } });
const call = (name: string, hour: number) => toolApproval(closed(name, hour)).resource;
const review = (name: string, hour: number) => taskApproval(closed(name, hour)).resource;

function renderHistory() {
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return renderHook(() => useHistory(FILTER, true), { wrapper: queryWrapper(queryClient) });
}

test('both kinds are one list, the last one closed first, as far back as both lists were read', async () => {
  const orders = new Set<string | undefined>();
  serve({
    resources: {
      list: ({ kind, order, after }) => {
        orders.add(order);
        if (kind === 'TaskApproval') return { items: [review('review-21', 21), review('review-11', 11)] };
        return after === undefined
          ? { items: [call('call-22', 22), call('call-20', 20)], continue: 'more' }
          : { items: [call('call-12', 12), toolApproval({ name: 'by-hand', status: { phase: 'Denied' } }).resource] };
      },
    },
  });
  const { result } = renderHistory();
  const names = () => result.current.items.map(({ name }) => name);
  await waitFor(() => expect(names()).toEqual(['call-22', 'review-21', 'call-20']));
  expect(orders).toEqual(new Set(['-status.closed_at']));
  act(() => result.current.onMore());
  await waitFor(() => expect(names()).toEqual(['call-22', 'review-21', 'call-20', 'call-12', 'review-11', 'by-hand']));
});
