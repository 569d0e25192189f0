import type { IncomingMessage } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { createAuth } from '../../auth/create-auth.ts';
import { systemClock } from '../../clock.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { Store } from '../../store/store.ts';
import { CallerGate } from './caller.ts';
import { browserPolicy } from './origin.ts';

let store: Store;
beforeEach(async () => {
  store = await openSqliteStore({ path: ':memory:', clock: systemClock });
  return () => store.close();
});

interface Setup {
  readonly apiKey?: string;
  readonly corsOrigins?: readonly string[];
  readonly publicUrl?: string;
}

async function setup({ apiKey, corsOrigins = [], publicUrl }: Setup = {}): Promise<{ gate: CallerGate; cookie: string }> {
  const auth = await createAuth({ store, clock: systemClock, apiKey });
  const { key } = await auth.signIn({ credential: { type: 'bearer', token: apiKey ?? '' }, requestId: 'r', clientAddress: '' });
  const policy = browserPolicy({ host: '127.0.0.1', corsOrigins, publicUrl });
  return { gate: new CallerGate({ auth, policy, isTrustedPeer: () => false, basePath: '' }), cookie: `svc_session=${key}` };
}

const upgrade = (headers: Record<string, string>) =>
  ({
    method: 'GET',
    httpVersion: '1.1',
    socket: {},
    headers: { host: '127.0.0.1:8080', upgrade: 'websocket', ...headers },
    rawHeaders: [],
  }) as unknown as IncomingMessage;
const outcome = (promise: Promise<{ name: string }>) =>
  promise.then(
    ({ name }) => name,
    (error: { code: string }) => error.code,
  );
const identify = (gate: CallerGate, headers: Record<string, string>) => outcome(gate.identify(upgrade(headers), { websocket: true }));

describe('a WebSocket while authentication is off', () => {
  test.each([
    ['the own page', { origin: 'http://127.0.0.1:8080' }, 'anonymous'],
    ['a program, which has no origin', {}, 'anonymous'],
    ['another port', { origin: 'http://127.0.0.1:8081' }, 'forbidden'],
    ['another origin', { origin: 'https://evil.example' }, 'forbidden'],
    ['a sandboxed page', { origin: 'null' }, 'forbidden'],
    ['a rebound name', { origin: 'http://evil.example', host: 'evil.example' }, 'forbidden'],
  ])('from %s', async (_, headers: Record<string, string>, expected) => {
    const { gate } = await setup();
    expect(await identify(gate, headers)).toBe(expected);
  });

  test.each([
    ['https://svc.example', 'anonymous'],
    ['http://svc.example', 'forbidden'],
  ])('from %s, where the public URL has TLS', async (origin, expected) => {
    const { gate } = await setup({ publicUrl: 'https://svc.example/agents' });
    expect(await identify(gate, { origin, host: 'svc.example' })).toBe(expected);
  });

  test('may come from an origin that is allowed', async () => {
    const { gate } = await setup({ corsOrigins: ['https://friend.example'] });
    expect(await identify(gate, { origin: 'https://friend.example' })).toBe('anonymous');
  });
});

describe('a WebSocket while authentication is on', () => {
  test.each([
    ['the own page', { origin: 'http://127.0.0.1:8080' }, 'api-token'],
    ['another origin', { origin: 'https://evil.example' }, 'forbidden'],
    ['an allowed origin, which may not use the cookie', { origin: 'https://friend.example' }, 'forbidden'],
    ['a program that has found a cookie', {}, 'forbidden'],
  ])('with a cookie from %s', async (_, headers: Record<string, string>, expected) => {
    const { gate, cookie } = await setup({ apiKey: 'key', corsOrigins: ['https://friend.example'] });
    expect(await identify(gate, { cookie, ...headers })).toBe(expected);
  });

  test('with a token needs no Origin, but is refused from a foreign one', async () => {
    const { gate } = await setup({ apiKey: 'key' });
    expect(await identify(gate, { authorization: 'Bearer key' })).toBe('api-token');
    expect(await identify(gate, { authorization: 'Bearer key', origin: 'https://evil.example' })).toBe('forbidden');
    expect(await identify(gate, {})).toBe('unauthorized');
  });
});

test('a request without Host is malformed', async () => {
  const { gate } = await setup();
  const request = { method: 'GET', httpVersion: '1.1', socket: {}, headers: {}, rawHeaders: [] } as unknown as IncomingMessage;
  expect(await outcome(gate.identify(request))).toBe('invalid');
});
