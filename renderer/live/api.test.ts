// Resumption of streams, the size of batches, and retries of the live connection.
import { BATCH_CALLS_MAX } from '@svc/shared/api/batch';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { client, mayFollowAgain } from './api.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

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

describe('a retry of the live connection', () => {
  const sockets: FakeSocket[] = [];

  class FakeSocket extends EventTarget {
    static readonly CONNECTING = 0;
    static readonly OPEN = 1;
    readyState = FakeSocket.CONNECTING;
    closes = 0;
    constructor() {
      super();
      sockets.push(this);
    }
    send(): void {}
    close(): void {
      this.closes += 1;
    }
  }

  /** A client whose first socket has begun its handshake. */
  async function connecting() {
    vi.resetModules();
    vi.useFakeTimers();
    vi.stubGlobal('WebSocket', FakeSocket);
    sockets.length = 0;
    const own = await import('./api.ts');
    own.client.live.changes.subscribe({}, {});
    await vi.advanceTimersByTimeAsync(0);
    return { ...own, socket: sockets[0]! };
  }

  test('leaves a handshake in flight alone, which browsers would report as a fault', async () => {
    const { reconnectNow, socket } = await connecting();
    reconnectNow();
    expect(socket.closes).toBe(0);
  });

  test('ends a handshake that has had five seconds', async () => {
    const { reconnectNow, socket } = await connecting();
    await vi.advanceTimersByTimeAsync(5_000);
    reconnectNow();
    expect(socket.closes).toBe(1);
  });

  test('ends an open socket that is not live', async () => {
    const { reconnectNow, socket } = await connecting();
    socket.readyState = FakeSocket.OPEN;
    reconnectNow();
    expect(socket.closes).toBe(1);
  });

  test('follows a server that sends nothing for 15 seconds, without its closing handshake', async () => {
    const { socket } = await connecting();
    const { connection } = await import('./connection.ts');
    socket.readyState = FakeSocket.OPEN;
    socket.dispatchEvent(new Event('open'));
    connection.synced();
    await vi.advanceTimersByTimeAsync(14_000);
    expect(connection.state().phase).toBe('live');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(connection.state().phase).toBe('reconnecting');
    expect(sockets).toHaveLength(2);
    connection.synced();
    socket.dispatchEvent(new Event('close'));
    expect(connection.state().phase).toBe('live');
  });

  test('ends a handshake of the person before a sign-in', async () => {
    const { reopen, socket } = await connecting();
    reopen();
    expect(socket.closes).toBe(1);
  });
});
