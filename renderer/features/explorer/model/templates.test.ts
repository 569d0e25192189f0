// The initial text of an editor: requested until it has loaded, then never again, whatever the stream does.
import { QueryObserver } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { kindNamed } from '../../../kinds/kind-table.ts';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { queryClient } from '../../../live/query-client.ts';
import { serve } from '../../../testing/fake-link.ts';
import { startQuery } from './templates.ts';

test('is requested again by a returning stream while absent, and never once it was found', async () => {
  const tool = { apiVersion: 'v1', kind: 'Tool', metadata: { namespace: 'default', name: 'a', labels: {}, annotations: {} }, spec: {} };
  const get = vi.fn();
  serve({ resources: { get } });
  get.mockRejectedValueOnce(new Error('away')).mockResolvedValue(tool);
  const start = { template: '', from: 'default/a', lost: '', name: '', with: '' };
  const options = { ...startQuery(kindNamed('Tool') as KindSummary, 'default', start), retry: false };
  const observer = new QueryObserver(queryClient, options);
  observer.subscribe(() => undefined);
  await expect.poll(() => observer.getCurrentResult().isError).toBe(true);
  await queryClient.invalidateQueries();
  expect(observer.getCurrentResult().data).toContain('kind: Tool');
  await queryClient.invalidateQueries();
  expect(get).toHaveBeenCalledTimes(2);
});
