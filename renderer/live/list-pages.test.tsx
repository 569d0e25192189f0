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

/** A list of two pages whose first one is read again; `answer` gives it. */
async function setupReread() {
  const answers: ((page: object) => void)[] = [];
  const page = (name: string, next?: string) => ({
    items: Array.from({ length: 70 }, (_, index) => ({ metadata: { name: `${name}-${index}` } })),
    ...(next !== undefined && { continue: next }),
  });
  const list = vi.fn(() => new Promise<object>((resolve) => void answers.push(resolve)));
  serve({ resources: { list } });
  const queryClient = new QueryClient();
  const input = { kind: 'Agent', order: 'name', limit: 70 };
  const rowsOf = (read: readonly { readonly metadata: { readonly name: string } }[]) => read.map(({ metadata }) => metadata.name);
  const { result } = renderHook(() => useListPages({ input, rowsOf }), { wrapper: queryWrapper(queryClient) });
  await waitFor(() => expect(answers).toHaveLength(1));
  const answer = async (...given: Parameters<typeof page>) => act(async () => answers.shift()?.(page(...given)));
  await answer('old', 'x');
  await waitFor(() => expect(result.current.rows).toHaveLength(70));
  return { result, list, answer, reread: () => act(async () => void queryClient.invalidateQueries()) };
}

test('a request for more rows waits for a list that is read again', async () => {
  const { result, list, answer, reread } = await setupReread();
  await reread();
  act(() => result.current.loadMore());
  await answer('new', 'x');
  await waitFor(() => expect(list).toHaveBeenCalledTimes(3));
  await answer('more');
  await waitFor(() => expect(result.current.rows).toHaveLength(140));
  expect([result.current.rows[0], result.current.rows[70]]).toEqual(['new-0', 'more-0']);
});

test('more rows are requested again where the list was read again instead', async () => {
  const { result, list, answer, reread } = await setupReread();
  act(() => result.current.loadMore());
  await reread();
  await answer('ignored');
  await answer('old', 'x');
  await waitFor(() => expect(list).toHaveBeenCalledTimes(4));
  await answer('more');
  await waitFor(() => expect(result.current.rows).toHaveLength(140));
});
