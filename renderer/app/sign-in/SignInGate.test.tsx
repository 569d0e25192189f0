// Renewal of the sign-in: a visible tab sends a request now and then, a hidden tab sends none.
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connection } from '../../live/connection.ts';
import { queryClient } from '../../live/query-client.ts';
import { refusal, serve } from '../../testing/fake-link.ts';
import { ALIVE_MS, SignInGate } from './SignInGate.tsx';
// Present before the clock is fake: its load on demand would wait for the real one.
import './SignInScreen.tsx';

const hello = vi.fn();

let visibility: DocumentVisibilityState = 'visible';
const look = (state: DocumentVisibilityState) => {
  visibility = state;
  // The query library listens at the window, where the event arrives by bubbling.
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
};
/** One turn of the event loop, whose clock is not fake yet. */
const { setImmediate: immediate } = globalThis;
const turn = () => new Promise<void>((resolve) => immediate(resolve));
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

function renderGate(): void {
  render(
    <QueryClientProvider client={queryClient}>
      <SignInGate>the page</SignInGate>
    </QueryClientProvider>,
  );
}

beforeEach(async () => {
  vi.useFakeTimers();
  vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => visibility);
  hello.mockReset().mockImplementation(() => Promise.resolve({ time: new Date().toISOString() }));
  serve({ server: { hello } });
  renderGate();
  connection.synced();
  await pass(10);
  hello.mockClear();
});
afterEach(() => {
  visibility = 'visible';
  queryClient.clear();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test('a visible tab that only listens renews its sign-in now and then', async () => {
  expect(screen.getByText('the page')).toBeDefined();
  await pass(ALIVE_MS * 2 + 100);
  expect(hello).toHaveBeenCalledTimes(2);
});

test('a hidden tab does not renew the sign-in, and sends a request when it becomes visible', async () => {
  act(() => look('hidden'));
  await pass(ALIVE_MS * 10);
  expect(hello).not.toHaveBeenCalled();
  act(() => look('visible'));
  await pass(100);
  expect(hello).toHaveBeenCalledTimes(1);
});

test('a short switch of tabs sends no request', async () => {
  act(() => look('hidden'));
  await pass(60_000);
  act(() => look('visible'));
  await pass(100);
  expect(hello).not.toHaveBeenCalled();
});

test('a server lost before the first stream counts as a loss until it answers', async () => {
  connection.signedIn();
  hello.mockRejectedValue(new TypeError('Failed to fetch'));
  act(() => connection.closed(1006));
  await pass(10);
  expect(connection.state().phase).toBe('reconnecting');
  hello.mockResolvedValue({ time: new Date().toISOString() });
  await pass(3_100);
  expect(connection.state().phase).toBe('connecting');
});

test('an unavailable stream of a reachable server does not count as a lost server', async () => {
  connection.signedIn();
  act(() => connection.closed(1006));
  await pass(10);
  expect(hello).toHaveBeenCalledTimes(1);
  expect(connection.state().phase).toBe('connecting');
});

test('keeps the text of the sign-in form while a new check is in flight', async () => {
  cleanup();
  queryClient.clear();
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ mode: 'native', setup_required: false, login_methods: ['token'] })));
  hello.mockRejectedValue(refusal('unauthorized', 'no valid credentials'));
  renderGate();
  // Reading the body of an answer takes turns of the real event loop.
  for (let tries = 0; tries < 100 && !screen.queryByLabelText('API token'); tries += 1) {
    await pass(10);
    await act(turn);
  }
  fireEvent.change(screen.getByLabelText('API token'), { target: { value: 'half a token' } });
  hello.mockReturnValue(new Promise(() => undefined));
  hello.mockClear();
  await pass(ALIVE_MS + 100);
  expect(hello).toHaveBeenCalledTimes(1);
  expect(screen.getByLabelText<HTMLInputElement>('API token').value).toBe('half a token');
});
