// Optimistic changes, and their rollback.
import type { Resource } from '@svc/shared/resource';
import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { showObject } from './cache.ts';

const KEY = [['resources', 'list'], { input: { kind: 'TaskSchedule', limit: 5 }, type: 'query' }];

function schedule(resourceVersion: string, suspend: boolean): Resource {
  const metadata = { namespace: 'default', name: 'nightly', uid: 'u', resourceVersion };
  return { kind: 'TaskSchedule', metadata, spec: { suspend }, status: {} } as unknown as Resource;
}

test('rolling back a refused change keeps changes that the stream delivered meanwhile', () => {
  const queryClient = new QueryClient();
  const shown = () => queryClient.getQueryData<{ items: Resource[] }>(KEY)?.items[0];
  queryClient.setQueryData(KEY, { items: [schedule('4', false)] });
  showObject(queryClient, schedule('4', true));
  expect(shown()?.spec.suspend).toBe(true);
  queryClient.setQueryData(KEY, { items: [schedule('5', true)] });
  showObject(queryClient, schedule('4', false));
  expect(shown()).toEqual(schedule('5', true));
});
