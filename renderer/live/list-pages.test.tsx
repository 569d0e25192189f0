// A list that is being requested must not claim to be empty: that was the answer to other filters. A search by name is bounded.
import { QueryClient } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { serve } from '../testing/fake-link.ts';
import { useListPages } from './list-pages.ts';
import { queryWrapper } from '../testing/query-wrapper.tsx';

test('a list that was empty under other filters is loading under the new ones', async () => {
  let answer: (page: object) => void = () => undefined;
  const list = vi.fn();
  serve({ resources: { list } });
  list.mockResolvedValueOnce({ items: [] }).mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
  const queryClient = new QueryClient();
  const rowsOf = (read: readonly unknown[]) => read;
  const { result, rerender } = renderHook(
    ({ labelSelector }) => {
      const { rows, loading } = useListPages({ input: { kind: 'Agent', labelSelector, order: 'name', limit: 10 }, rowsOf });
      return { count: rows.length, loading };
    },
    { wrapper: queryWrapper(queryClient), initialProps: { labelSelector: 'a=1' } },
  );
  await waitFor(() => expect(result.current).toEqual({ count: 0, loading: false }));
  rerender({ labelSelector: 'a=2' });
  expect(result.current).toEqual({ count: 0, loading: true });
  answer({ items: [{ metadata: { name: 'one' } }] });
  await waitFor(() => expect(result.current).toEqual({ count: 1, loading: false }));
});

test('a rare name is searched in a bounded number of names, and further on request', async () => {
  const list = vi.fn(() => Promise.resolve({ items: [], continue: 'team/x', examined: 20_000 }));
  serve({ resources: { list } });
  const queryClient = new QueryClient();
  const input = { kind: 'Agent', nameContains: 'rare', order: 'name', limit: 10 };
  const rowsOf = (read: readonly unknown[]) => read;
  const { result } = renderHook(() => useListPages({ input, rowsOf }), { wrapper: queryWrapper(queryClient) });
  await waitFor(() => expect(result.current).toMatchObject({ loading: false, examined: 60_000 }));
  expect(list).toHaveBeenCalledTimes(3);
  expect(result.current.hasMore).toBe(false);
  act(() => result.current.lookFurther?.());
  await waitFor(() => expect(result.current).toMatchObject({ loading: false, examined: 120_000 }));
  expect(list).toHaveBeenCalledTimes(6);
});
