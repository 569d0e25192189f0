// Resumption of streams, and the size of batches.
import { BATCH_CALLS_MAX } from '@svc/shared/api/batch';
import { afterEach, expect, test, vi } from 'vitest';
import { client, mayFollowAgain } from './api.ts';

afterEach(() => void vi.unstubAllGlobals());

const refused = (code: string) => ({ data: { error: { code, message: '' } } });

test.each([
  ['subscription', 'live.events', 'unavailable', true],
  ['subscription', 'runs.followTrace', 'internal', true],
  ['subscription', 'runs.followTrace', 'not_found', false],
  ['subscription', 'live.events', 'unauthorized', false],
  ['subscription', 'live.changes', 'unavailable', false],
  ['mutation', 'approvals.decide', 'unavailable', false],
  ['query', 'resources.list', 'unavailable', false],
] as const)('%s %s after %s: %s', (type, path, code, expected) => expect(mayFollowAgain({ type, path }, refused(code))).toBe(expected));

test('simultaneous calls are sent in requests within the server’s limit', async () => {
  const sizes: number[] = [];
  const answer = (url: string) => {
    const calls = new URL(url, 'http://here').pathname.split(',').length;
    sizes.push(calls);
    return Promise.resolve(new Response(JSON.stringify(Array.from({ length: calls }, () => ({ result: { data: {} } })))));
  };
  vi.stubGlobal('fetch', answer);
  await Promise.all(Array.from({ length: 3 * BATCH_CALLS_MAX }, (_, index) => client.decisions.get.query({ seq: index + 1 })));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(BATCH_CALLS_MAX);
});
