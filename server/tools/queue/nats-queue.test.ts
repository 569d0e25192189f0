import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { connect, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startNats, withoutNats, type NatsServer } from '../../testing/nats-server.ts';
import { queueFixture } from '../../testing/queue-fixture.ts';
import { createTestAuthority, withoutOpenssl, type TestAuthority } from '../../testing/test-certificates.ts';

const TOKEN = 'nats-secret-token';
const OK = { status: 'ok', output: { result: 'done' } };
const auth = (secretRef: string, profile = 'bearer') => ({ auth: { profile, secretRef } });
const secrets: Record<string, Record<string, string>> = {
  token: { value: TOKEN },
  wrong: { value: 'nats-other-token' },
  login: { value: 'me:nats-secret-word' },
};
const port = queueFixture(secrets);
afterAll(() => port.close());

async function start(...args: string[]): Promise<NatsServer> {
  const server = await startNats(...args);
  onTestFinished(() => server.stop());
  return server;
}

/** A tool that answers on a subject. */
async function answering(server: NatsServer, reply: (message: Msg) => void, login: object = {}): Promise<NatsConnection> {
  const connection = await connect({ servers: `127.0.0.1:${server.port}`, ...login });
  onTestFinished(() => connection.close());
  connection.subscribe('tools.search', { callback: (_, message) => reply(message) });
  await connection.flush();
  return connection;
}

describe.skipIf(withoutNats('queue tools over NATS') || withoutOpenssl('queue tools over NATS'))('a queue tool over NATS', () => {
  test('sends the request with its headers and takes the reply', async () => {
    const server = await start('--auth', TOKEN);
    const seen: Msg[] = [];
    const tell = (message: Msg) => {
      seen.push(message);
      message.respond(JSON.stringify(OK));
    };
    await answering(server, tell, { token: TOKEN });
    const endpoint = `nats://127.0.0.1:${server.port}/tools.search`;
    expect(await port.invoke(endpoint, { spec: auth('token') })).toEqual({ output: 'done', attempts: 1, contractVersion: 'v1' });
    expect(seen[0]?.json()).toMatchObject({ tool_contract_version: 'v1', request_id: 'req-1', input: { q: 'tides' }, attempt: 1 });
    expect([seen[0]?.headers?.get('idempotency-key'), seen[0]?.headers?.get('Nats-Msg-Id')]).toEqual(['req-1', 'req-1']);
    const refused = await port.failure(endpoint, { spec: auth('wrong') });
    expect(refused).toMatchObject({ code: 'auth_invalid', retryable: false });
    expect(refused.message).not.toContain('nats-other-token');
    expect(await port.failure(endpoint)).toMatchObject({ code: 'auth_invalid' });
  });

  test('reports a subject without responders, retries it, and shares one connection', async () => {
    const server = await start();
    const endpoint = `nats://127.0.0.1:${server.port}/tools.search`;
    const retrying = { runtime: { retry: { max_attempts: 2 } } };
    expect(await port.failure(endpoint, { spec: retrying })).toMatchObject({
      code: 'execution_failed',
      reason: 'no_responders',
      retryable: true,
      attempts: 2,
    });
    let answers = 0;
    await answering(server, (message) => {
      answers += 1;
      message.respond(JSON.stringify(answers === 1 ? { status: 'error', error: { code: 'execution_failed', retryable: true } } : OK));
    });
    expect(await port.invoke(endpoint, { spec: retrying })).toMatchObject({ output: 'done', attempts: 2 });
    const before = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
    await Promise.all(Array.from({ length: 200 }, (_, call) => port.invoke(endpoint, { requestId: `req-${call}` })));
    expect(process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length).toBe(before);
  });

  test('ends at its timeout and with its caller, and at a reply that is too large', async () => {
    const server = await start();
    const endpoint = `nats://127.0.0.1:${server.port}/tools.search`;
    const asked: Msg[] = [];
    const connection = await answering(server, (message) => void asked.push(message));
    expect(await port.failure(endpoint, { spec: { runtime: { timeout: '1s' } } })).toMatchObject({ code: 'timeout', retryable: true });
    const abort = new AbortController();
    const call = port.failure(endpoint, { signal: abort.signal });
    await expect.poll(() => asked.length).toBe(2);
    abort.abort();
    expect(await call).toMatchObject({ code: 'canceled', retryable: false });
    const flooded = port.failure(endpoint);
    await expect.poll(() => asked.length).toBe(3);
    asked[2]?.respond(new Uint8Array(1_000_000));
    expect(await flooded).toMatchObject({ code: 'execution_failed', retryable: false });
    const cut = port.failure(endpoint);
    await expect.poll(() => asked.length).toBe(4);
    await connection.close();
    await server.stop();
    expect(await cut).toMatchObject({ code: 'execution_failed', reason: 'connection_reset', retryable: true });
    expect(await port.failure(endpoint)).toMatchObject({ code: 'execution_failed', reason: 'connection_refused', retryable: true });
  });

  test('carries U+0000 and lone surrogates in the input and in the reply', async () => {
    const server = await start();
    const seen: unknown[] = [];
    await answering(server, (message) => {
      const { input } = message.json<{ input: { q: string } }>();
      seen.push(input.q);
      message.respond(JSON.stringify({ status: 'ok', output: { result: { q: input.q } } }));
    });
    const endpoint = `nats://127.0.0.1:${server.port}/tools.search`;
    for (const q of ['a\u0000b', 'a\ud800b', 'a\udc00b']) {
      const { output } = await port.invoke(endpoint, { input: { q }, requestId: `req-${seen.length}` });
      expect([seen.at(-1), JSON.parse(output)]).toEqual([q, { q }]);
    }
  });

  test('refuses an input above the message limit of the server once', async () => {
    const server = await start();
    await answering(server, (message) => message.respond(JSON.stringify(OK)));
    const endpoint = `nats://127.0.0.1:${server.port}/tools.search`;
    const retrying = { runtime: { retry: { max_attempts: 3 } } };
    const error = await port.failure(endpoint, { spec: retrying, input: { q: 'x'.repeat(1024 * 1024) } });
    expect(error).toMatchObject({ code: 'invalid_input', reason: 'request_too_large', retryable: false, attempts: 1 });
    expect((await port.invoke(endpoint)).output).toBe('done');
  });

  test('reports what a login may not do', async () => {
    const authority = createTestAuthority();
    onTestFinished(() => authority.remove());
    const config = authority.issue('DNS:x').keyFile.replace(/key$/, 'conf');
    const permissions = '{ publish: { deny: ["tools.>"] } }';
    writeFileSync(config, `authorization { users = [ { user: me, password: "nats-secret-word", permissions: ${permissions} } ] }`);
    const server = await start('-c', config);
    const error = await port.failure(`nats://127.0.0.1:${server.port}/tools.search`, { spec: auth('login', 'basic') });
    expect(error).toMatchObject({ code: 'auth_forbidden', reason: 'nats_permission', retryable: false });
  });

  describe('with TLS', () => {
    let authority: TestAuthority;
    beforeAll(() => {
      authority = createTestAuthority();
      secrets['trusting'] = { value: TOKEN, 'ca.crt': authority.ca };
    });
    afterAll(() => authority.remove());

    test.each<[string, string, string, string | undefined]>([
      ['trusts the Secret’s ca.crt for the endpoint’s host', 'DNS:localhost', 'trusting', undefined],
      ['refuses an unknown authority', 'DNS:localhost', 'token', 'tls_failed'],
      ['refuses another host’s certificate', 'DNS:elsewhere.test', 'trusting', 'tls_failed'],
    ])('%s', async (...[, name, secret, reason]) => {
      const { certFile, keyFile } = authority.issue(name);
      const server = await start('--auth', TOKEN, '--tls', '--tlscert', certFile, '--tlskey', keyFile);
      await answering(server, (message) => message.respond(JSON.stringify(OK)), {
        token: TOKEN,
        tls: { ca: authority.ca, rejectUnauthorized: false, checkServerIdentity: () => undefined },
      });
      const endpoint = `tls://localhost:${server.port}/tools.search`;
      if (reason === undefined) return void expect((await port.invoke(endpoint, { spec: auth(secret) })).output).toBe('done');
      expect(await port.failure(endpoint, { spec: auth(secret) })).toMatchObject({ code: 'execution_failed', reason, retryable: false });
    });

    test('is not dropped for a server without TLS', async () => {
      const server = await start();
      const error = await port.failure(`tls://127.0.0.1:${server.port}/tools.search`);
      expect(error).toMatchObject({ code: 'execution_failed', reason: 'tls_failed', retryable: false });
      expect(error.message).toContain('does not offer TLS; use nats://');
    });

    test('is named as missing for a server that requires it', async () => {
      const { certFile, keyFile } = authority.issue('DNS:localhost');
      const server = await start('--tls', '--tlscert', certFile, '--tlskey', keyFile);
      const error = await port.failure(`nats://127.0.0.1:${server.port}/tools.search`);
      expect(error).toMatchObject({ code: 'execution_failed', reason: 'tls_failed', retryable: false });
      expect(error.message).toContain('requires TLS; use tls://');
    });
  });
});

/** A server of a test's own that is no NATS server; its sockets are for the test. */
async function listen(onSocket: (socket: Socket) => void = () => undefined): Promise<{ port: number; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined).resume());
    onSocket(socket);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

test.each([
  ['sends another protocol', (socket: Socket) => void socket.write('SSH-2.0-OpenSSH_9.2\r\n'), 'malformed_greeting'],
  ['sends a greeting that cannot be read', (socket: Socket) => void socket.write('INFO {x}\r\n'), 'malformed_greeting'],
  ['closes the connection', (socket: Socket) => void socket.end(), 'connection_reset'],
])('a server that %s is named by what it did', async (_title, onSocket, reason) => {
  const server = await listen(onSocket);
  expect(await port.failure(`nats://127.0.0.1:${server.port}/tools.search`)).toMatchObject({ reason, retryable: true });
});

test.each<[string, (request: string) => string | undefined]>([
  ['the line that introduces it', () => 'INFO {"server_name":"'],
  [
    'one message',
    (request) => {
      const [, inbox, id] = /SUB (\S+) (\S+)/.exec(request) ?? [];
      return inbox === undefined ? undefined : `MSG ${inbox} ${id} 60000000\r\n`;
    },
  ],
])('a server that sends %s without end is given up', async (_, begin) => {
  const flood = (socket: Socket) => {
    while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 'x'))) continue;
    socket.once('drain', () => flood(socket));
  };
  const { port: at, sockets } = await listen((socket) => {
    const start = (request: string) => {
      const first = begin(request);
      if (first === undefined) return;
      socket.off('data', hear).write(first);
      flood(socket);
    };
    const hear = (data: Buffer) => {
      if (data.includes('PING')) socket.write('PONG\r\n');
      start(data.toString('latin1'));
    };
    socket.on('data', hear);
    if (begin('') === undefined) socket.write('INFO {"version":"2.10.0","headers":true,"max_payload":1048576}\r\n');
    else start('');
  });
  expect(await port.failure(`nats://127.0.0.1:${at}/t`)).toMatchObject({ code: 'execution_failed', reason: 'response_too_large' });
  await expect.poll(() => sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
});

describe('addresses', () => {
  test.each([
    ['nats://127.0.0.1:4222/t', 'loopback'],
    ['nats://169.254.169.254/t', 'metadata'],
    ['postgres://10.0.0.1/db?queue=q', 'private'],
  ])('%s is blocked', async (endpoint, reason) => {
    const strict = queueFixture(secrets, false);
    onTestFinished(() => strict.close());
    expect(await strict.failure(endpoint, { spec: auth('login', 'basic') })).toMatchObject({
      code: 'egress_blocked',
      reason,
      retryable: false,
    });
  });

  test.each(['nats://93.184.216.34/t', 'postgres://93.184.216.34/db?queue=q&sslmode=disable'])(
    '%s is not called without TLS',
    async (endpoint) => {
      expect(await port.failure(endpoint, { spec: auth('login', 'basic') })).toMatchObject({
        code: 'egress_blocked',
        reason: 'plaintext_refused',
      });
    },
  );

  test.each(['nats://', 'postgres://'])('a %s server that says nothing is a timeout, and its connection is closed', async (scheme) => {
    const silent = await listen();
    const endpoint = `${scheme}127.0.0.1:${silent.port}/db?queue=q`.replace(/^(nats.*)\?.*/, '$1');
    const spec = { ...auth('login', 'basic'), runtime: { timeout: '300ms' } };
    expect(await port.failure(endpoint, { spec })).toMatchObject({ code: 'timeout', retryable: true });
    // The PostgreSQL client has a limit of its own, which is later.
    if (scheme === 'nats://') await expect.poll(() => silent.sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
  });
});
