// The initial text of an editor: requested until it has loaded, then never again, whatever the stream does.
import { QueryObserver } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { kindNamed } from '../../../kinds/kind-table.ts';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { queryClient } from '../../../live/query-client.ts';
import { startQuery } from './templates.ts';

const get = vi.hoisted(() => vi.fn());
vi.mock('../../../live/api.ts', () => ({ client: { resources: { get: { query: get } } } }));

test('is requested again by a returning stream while absent, and never once it was found', async () => {
  const tool = { apiVersion: 'v1', kind: 'Tool', metadata: { namespace: 'default', name: 'a', labels: {}, annotations: {} }, spec: {} };
  get.mockRejectedValueOnce(new Error('away')).mockResolvedValue(tool);
  const start = { template: '', from: 'default/a', lost: '', name: '', with: '' };
  const options = { ...startQuery(kindNamed('Tool') as KindSummary, 'default', start), retry: false };
  const observer = new QueryObserver(queryClient, options);
  observer.subscribe(() => undefined);
  await vi.waitFor(() => expect(observer.getCurrentResult().isError).toBe(true));
  await queryClient.invalidateQueries();
  expect(observer.getCurrentResult().data).toContain('kind: Tool');
  await queryClient.invalidateQueries();
  expect(get).toHaveBeenCalledTimes(2);
});
