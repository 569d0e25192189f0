// The conversation of a page: polled while the tab has no live stream.
import type { SessionEvent } from '@svc/shared/api/sessions';
import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connection } from '../../../live/connection.ts';
import { queryClient } from '../../../live/query-client.ts';
import type { SessionPort } from './follow-session.ts';
import type { Session } from './session.ts';
import { useConversation } from './use-session.ts';
import { queryWrapper } from '../../../testing/query-wrapper.tsx';

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  connection.signedIn();
});

const SESSION = { metadata: { uid: 'u', namespace: 'default', name: 's' }, status: {} } as Session;
const timestamp = '2026-01-01T00:00:00.000Z';
const message = (seq: number): SessionEvent => ({
  ...{ seq, type: 'message.created', session_name: 's', namespace: 'default', timestamp, turn_id: `t${seq}`, payload: { content: 'x' } },
});
/** Its stream never opens. */
function setup({ lost = false } = {}) {
  const stored = [message(1)];
  const server = { lost };
  const page = vi.fn<SessionPort['page']>((after) =>
    server.lost ? Promise.reject(new TypeError('Failed to fetch')) : Promise.resolve({ items: stored.slice(after) }),
  );
  const port: SessionPort = { page, follow: () => () => undefined, turns: () => Promise.resolve([]) };
  const { result } = renderHook(() => useConversation(SESSION, () => undefined, port), { wrapper: queryWrapper(queryClient) });
  const shown = () => `${result.current.view.phase} ${result.current.view.conversation.turns.length}`;
  return { stored, server, page, shown };
}
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

test('a conversation without a stream is shown, and polled', async () => {
  const { stored, shown } = setup();
  await pass(1_000);
  expect(shown()).toBe('following 1');
  stored.push(message(2));
  await pass(31_000);
  expect(shown()).toBe('following 2');
});

test('a live conversation is not polled', async () => {
  connection.synced();
  const { page } = setup();
  await pass(100_000);
  expect(page).toHaveBeenCalledTimes(1);
});

test('a conversation that could not be read is shown with its error until it can', async () => {
  const { server, shown } = setup({ lost: true });
  await pass(10_000);
  expect(shown()).toBe('failed 0');
  server.lost = false;
  await pass(31_000);
  expect(shown()).toBe('following 1');
});
