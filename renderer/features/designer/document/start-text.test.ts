// The initial text of a design is requested until it has loaded, and never again.
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { startTextQuery, type StartText } from './start-text.ts';

test('a general refetch loads the first text again only after a failure', async () => {
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const queryFn = vi
    .fn<() => Promise<StartText>>()
    .mockRejectedValueOnce(new Error('away'))
    .mockResolvedValue({ text: 'a: 1\n', missed: false });
  const options = startTextQuery('default', { template: '', from: 'default/desk', lost: '', name: '' });
  const unsubscribe = new QueryObserver(queryClient, { ...options, queryFn }).subscribe(() => undefined);
  const data = () => queryClient.getQueryData(options.queryKey);
  await expect.poll(() => queryClient.getQueryState(options.queryKey)?.status).toBe('error');
  await queryClient.invalidateQueries();
  expect([data()?.text, queryFn.mock.calls.length]).toEqual(['a: 1\n', 2]);
  await queryClient.invalidateQueries();
  expect(queryFn).toHaveBeenCalledTimes(2);
  unsubscribe();
});
