import { describe, expect, test } from 'vitest';
import type { CallError } from '../../engine/ports.ts';
import { loginOf, queueEndpoint } from './endpoint.ts';
import { toolSpec } from '../../testing/specs.ts';

const tool = (endpoint?: string) => ({
  namespace: 'team',
  name: 'jobs',
  spec: toolSpec({ type: 'queue', endpoint }),
});

test.each([
  [
    'postgres://db.test:6432/tools?queue=search',
    { kind: 'postgres', host: 'db.test', port: 6432, database: 'tools', queue: 'search', tls: undefined },
  ],
  [
    'postgresql://[::1]/tools?queue=a.b-c&sslmode=verify-full',
    { kind: 'postgres', host: '::1', port: 5432, database: 'tools', queue: 'a.b-c', tls: true },
  ],
  ['postgres://db/x?queue=q&sslmode=disable', { kind: 'postgres', host: 'db', port: 5432, database: 'x', queue: 'q', tls: false }],
  ['nats://nats.test/tools.search', { kind: 'nats', host: 'nats.test', port: 4222, subject: 'tools.search', tls: false }],
  ['TLS://nats.test:443/t', { kind: 'nats', host: 'nats.test', port: 443, subject: 't', tls: true }],
])('%s', (endpoint, expected) => {
  expect(queueEndpoint(tool(endpoint))).toEqual(expected);
});

describe('is refused', () => {
  test.each([
    undefined,
    'search',
    'amqp://host/queue',
    'nats:///t',
    'nats://host/',
    'nats://host/a.*',
    'nats://host/a.>',
    'nats://host/$SYS.REQ',
    'nats://host/a b',
    'nats://host/a%0d%0aPUB',
    'nats://host/a..b',
    'nats://host/a?x=1',
    'nats://me:secret-word@host/a',
    'postgres://me:secret-word@host/db?queue=q',
    'postgres://host/db',
    'postgres://host/?queue=q',
    'postgres://host/a/b?queue=q',
    'postgres://host/db?queue=a%20b',
    'postgres://host/db?queue=q&sslmode=prefer',
    'postgres://host/db?queue=q&sslmode=constructor',
    'postgres://host/%zz?queue=q',
    'postgres://%zz/db?queue=q',
    'nats://host/%zz',
    'postgres://host/db?queue=q&host=elsewhere',
  ])('%s', (endpoint) => {
    const read = () => queueEndpoint(tool(endpoint));
    expect(read).toThrow(expect.objectContaining({ code: 'runtime_policy_invalid', retryable: false }));
    expect(read).toThrow(expect.not.objectContaining({ message: expect.stringContaining('secret-word') }));
  });
});

describe('the login', () => {
  const of = (headers: Record<string, string>) => loginOf(tool(), { headers, secrets: [] });
  test('is empty, a token or a user', () => {
    expect(of({})).toBeUndefined();
    expect(of({ authorization: 'Bearer abc' })).toEqual({ token: 'abc' });
    expect(of({ authorization: `Basic ${Buffer.from('me:a:b').toString('base64')}` })).toEqual({ user: 'me', password: 'a:b' });
  });
  test('is nothing that HTTP alone has', () => {
    expect(() => of({ 'x-key': 'abc' })).toThrow(expect.objectContaining<Partial<CallError>>({ code: 'runtime_policy_invalid' }));
  });
});
