import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import { startHttpFixture, type HttpFixture, type HttpFixtureOptions } from '../testing/http-fixture.ts';

const open: HttpFixture[] = [];
async function start(options: HttpFixtureOptions = {}): Promise<HttpFixture> {
  const http = await startHttpFixture(options);
  open.push(http);
  return http;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((http) => http.close()));
});

/** Sends bytes as they are and resolves with all that came back once the server closed the connection. */
function raw(http: HttpFixture, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(http.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    socket.on('close', () => resolve(received));
    socket.on('error', (error: NodeJS.ErrnoException) => (received === '' ? reject(error) : resolve(received)));
  });
}

const post = (headers: string, body = '') => `POST /v1/agents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n${body}`;

describe('every answer', () => {
  test('carries a request id, taken from the request when it is sane, and headers that keep browsers at bay', async () => {
    const http = await start();
    const sane = await http.send('GET', '/healthz', { headers: { 'x-request-id': 'abc-1' } });
    expect(sane.headers).toMatchObject({
      'x-request-id': 'abc-1',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      'content-type': 'application/json',
    });
    expect(sane.headers).not.toHaveProperty('x-powered-by');
    expect(sane.headers).not.toHaveProperty('etag');
    for (const id of ['a b', 'x'.repeat(129), '<script>']) {
      expect((await http.send('GET', '/nowhere', { headers: { 'x-request-id': id } })).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test('to HEAD is the one to GET without its body', async () => {
    const http = await start();
    const [get, head] = [await http.send('GET', '/v1/capabilities'), await http.send('HEAD', '/v1/capabilities')];
    expect({ status: head.status, text: head.text, type: head.headers['content-type'] }).toEqual({
      status: 200,
      text: '',
      type: get.headers['content-type'],
    });
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });

  test('to an unknown path is 404, and to a known one with another method 405 with Allow', async () => {
    const http = await start();
    for (const path of [
      '/',
      '/v1',
      '/v1/',
      '/v1/agents/',
      '/v1/agents/a/b/c',
      '/v2/agents',
      '/v1/unknown',
      '//v1/agents',
      '/v1/agents/watch/x',
    ]) {
      expect(await http.send('GET', path)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    }
    const wrong = await http.send('DELETE', '/v1/agents');
    expect(wrong).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD, POST, OPTIONS' },
      body: { error: { code: 'method_not_allowed' } },
    });
    expect((await http.send('PUT', '/v1/agents/watch', { body: {} })).headers.allow).toBe('GET, HEAD, OPTIONS');
    expect(await http.send('OPTIONS', '/v1/agents')).toMatchObject({
      status: 204,
      headers: { allow: 'GET, HEAD, POST, OPTIONS' },
      text: '',
    });
  });

  test('a server failure is answered with the request id alone, which the log has too', async () => {
    const http = await start({
      runs: {
        metrics: async () => {
          throw new Error('secret detail');
        },
      },
    });
    const answer = await http.send('GET', '/v1/tasks/t/metrics', { headers: { 'x-request-id': 'find-me' } });
    expect(answer).toMatchObject({ status: 500, body: { error: { code: 'internal', message: expect.stringContaining('find-me') } } });
    expect(answer.text).not.toContain('secret detail');
    const logged = http.logged.find((line) => line.level === 'error');
    expect(logged?.fields).toMatchObject({ requestId: 'find-me', err: expect.objectContaining({ message: 'secret detail' }) });
  });
});

describe('probes', () => {
  test('report liveness and readiness', async () => {
    let problem: Error | undefined;
    const http = await start({
      apiKey: 'key',
      checkReady: async () => {
        if (problem) throw problem;
      },
    });
    expect((await http.send('GET', '/healthz')).body).toEqual({ status: 'ok' });
    expect((await http.send('GET', '/readyz')).body).toEqual({ status: 'ok' });
    problem = new ServiceError('unavailable', 'the store does not answer');
    expect(await http.send('GET', '/readyz')).toMatchObject({
      status: 503,
      body: { error: { code: 'unavailable', message: 'Not ready: the store does not answer' } },
    });
    problem = new Error('boom');
    expect((await http.send('GET', '/readyz')).text).not.toContain('boom');
    expect((await http.send('GET', '/healthz')).status).toBe(200);
  });

  test('count requests by route', async () => {
    const http = await start();
    await http.send('GET', '/v1/agents/absent');
    const { text, headers } = await http.send('GET', '/metrics');
    expect(headers['content-type']).toContain('text/plain');
    expect(text).toContain('svc_http_request_duration_seconds_count{method="GET",route="/v1/agents/{name}",status="404"} 1');
  });
});

describe('bodies', () => {
  const corpus = JSON.parse(readFileSync(join(import.meta.dirname, '../manifest/corpora/jsontestsuite.json'), 'utf8')).files as Record<
    string,
    any
  >;
  const bytes = (content: any) =>
    typeof content === 'string'
      ? Buffer.from(content)
      : content.base64 !== undefined
        ? Buffer.from(content.base64, 'base64')
        : Buffer.from(content.repeat[0].repeat(content.repeat[1]) + content.tail);
  let http: HttpFixture;
  beforeAll(async () => {
    http = await startHttpFixture();
  });
  afterAll(() => http.close());
  const send = (body: string | Uint8Array, type?: string) =>
    http.send('POST', '/v1/agents', { body, ...(type !== undefined && { headers: { 'content-type': type } }) });

  test('bodies that are not a resource are 400, every file of the JSON test suite among them', async () => {
    for (const [file, content] of Object.entries(corpus)) {
      for (const type of ['application/json', undefined]) {
        const answer = await send(bytes(content), type);
        expect({ file, status: answer.status, code: answer.body?.error.code }).toEqual({ file, status: 400, code: 'invalid' });
      }
    }
  });

  test.each([
    'text/plain',
    'application/xml',
    'multipart/form-data',
    'application/json-patch+json',
    'application/merge-patch+json',
    'nonsense',
    'application/json; charset=latin1',
  ])('bodies of type %s are 415', async (type) =>
    expect(await send('{}', type)).toMatchObject({ status: 415, body: { error: { code: 'unsupported_media_type' } } }),
  );

  test('bodies that are too large get an answer even when the client sends all of them first and closes', async () => {
    const body = ' '.repeat(8_000_000);
    for (const head of [`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked']) {
      const sent = head.startsWith('T') ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body;
      const answer = await raw(http, post(`Content-Type: application/json\r\n${head}\r\n`, sent));
      expect(answer).toMatch(/^HTTP\/1.1 413 .*too_large/s);
    }
  });

  test('compressed bodies are 415', async () => {
    expect(
      (await http.send('POST', '/v1/agents', { body: '{}', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } }))
        .status,
    ).toBe(415);
  });

  test('past the limit are 413 before they are read with a Content-Length, and while they are read without one', async () => {
    const declared = await raw(http, post('Content-Type: application/json\r\nContent-Length: 4194305\r\n'));
    expect(declared).toMatch(/^HTTP\/1.1 413 .*too_large/s);
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
    const streamed = await raw(
      http,
      post('Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n', `${chunk.repeat(66)}0\r\n\r\n`),
    );
    expect(streamed).toMatch(/^HTTP\/1.1 413 /);
    expect((await send(`{"a":"${'x'.repeat(5_000_000)}"}`, 'application/json')).status).toBe(413);
    expect(
      (
        await send(
          `{"kind":"Agent","metadata":{"name":"big"},"spec":{"model_ref":"m","prompt":"${'x'.repeat(4_000_000)}"}}`,
          'application/json',
        )
      ).status,
    ).toBeLessThan(500);
  });

  test('may hold the keys of prototypes without harm', async () => {
    const answer = await send(
      '{"kind":"Agent","metadata":{"name":"x","labels":{"__proto__":"y"}},"spec":{"model_ref":"m"}}',
      'application/json',
    );
    expect(answer).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('__proto__') } } });
    const odd = await send(
      '{"kind":"Agent","metadata":{"name":"odd","labels":{"constructor":"y","toString":"z"}},"spec":{"model_ref":"m"}}',
      'application/json',
    );
    expect(odd).toMatchObject({ status: 201, body: { metadata: { labels: { constructor: 'y', toString: 'z' } } } });
  });

  test('clients that disconnect or send slowly block nothing', async () => {
    const slow = await startHttpFixture({ limits: { bodyTimeoutMs: 50 } });
    expect(await raw(slow, post('Content-Type: application/json\r\nContent-Length: 10\r\n', '{'))).toMatch(
      /^HTTP\/1.1 408 .*connection: close\r\n.*"code":"timeout".*did not arrive/is,
    );
    const socket = connect(Number(new URL(slow.url).port), '127.0.0.1');
    socket.write(post('Content-Type: application/json\r\nContent-Length: 10\r\n', '{'));
    await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
    expect((await slow.send('GET', '/healthz')).status).toBe(200);
    await slow.close();
  });
});

describe('with auth on', () => {
  const tokens = 'root:admin-t:admin,w:writer-t:writer,r:reader-t:reader,b:a2a-t:a2a:sys';
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  test('roles may do what the matrix allows', async () => {
    const http = await start({ apiTokens: tokens, runs: { cancel: async () => ({}) as never } });
    const role = { kind: 'AgentRole', metadata: { name: 'r1' }, spec: {} };
    const cases: [string, string, unknown, Record<string, number>][] = [
      ['GET', '/v1/agent-roles', undefined, { 'reader-t': 200, 'writer-t': 200, 'admin-t': 200, 'a2a-t': 403, none: 401, wrong: 401 }],
      ['POST', '/v1/agent-roles', role, { 'reader-t': 403, 'a2a-t': 403, none: 401, 'writer-t': 201, 'admin-t': 200 }],
      ['POST', '/v1/apply?dryRun=true', role, { 'reader-t': 403, 'writer-t': 200 }],
      ['POST', '/v1/tasks/t/cancel', {}, { 'reader-t': 403, 'writer-t': 200 }],
      [
        'PUT',
        '/v1/agent-roles/r1/status',
        { metadata: { resourceVersion: '1' }, status: { phase: 'Pending' } },
        { 'reader-t': 403, 'writer-t': 403, 'admin-t': 200 },
      ],
      ['GET', '/v1/tokens', undefined, { 'reader-t': 403, 'writer-t': 403, 'admin-t': 200 }],
      ['POST', '/v1/tokens', { name: 'n', role: 'reader' }, { 'writer-t': 403, 'admin-t': 201 }],
      ['GET', '/metrics', undefined, { none: 401, 'reader-t': 200 }],
      ['GET', '/v1/events', undefined, { none: 401, 'a2a-t': 403, 'reader-t': 200 }],
      ['GET', '/openapi.json', undefined, { none: 401, 'reader-t': 200 }],
      ['GET', '/v1/capabilities', undefined, { none: 401, 'reader-t': 200 }],
      ['GET', '/v1/namespaces', undefined, { none: 401, 'reader-t': 200 }],
      ['GET', '/v1/agent-roles/watch', undefined, { none: 401, 'a2a-t': 403 }],
      ['GET', '/healthz', undefined, { none: 200 }],
      ['GET', '/readyz', undefined, { none: 200 }],
      ['GET', '/docs', undefined, { none: 200 }],
      ['GET', '/v1/auth/config', undefined, { none: 200 }],
    ];
    for (const [method, path, body, expected] of cases) {
      for (const [token, status] of Object.entries(expected)) {
        const answer = await http.send(method, path, { body, headers: token === 'none' ? {} : bearer(token) });
        expect(`${method} ${path} as ${token}: ${answer.status}`).toBe(`${method} ${path} as ${token}: ${status}`);
        if (status === 401) expect(answer.headers['www-authenticate']).toBe('Bearer');
      }
    }
  });

  test('the caller learns who it is, and the mode', async () => {
    const http = await start({ apiTokens: tokens });
    expect((await http.send('GET', '/v1/auth/me')).body).toEqual({ authenticated: false, method: 'none', name: '', role: '' });
    expect((await http.send('GET', '/v1/auth/me', { headers: bearer('writer-t') })).body).toEqual({
      authenticated: true,
      method: 'bearer',
      name: 'w',
      role: 'writer',
    });
    expect((await http.send('GET', '/v1/auth/me', { headers: bearer('wrong') })).status).toBe(401);
    expect((await http.send('GET', '/v1/auth/config')).body).toEqual({
      mode: 'off',
      setup_required: false,
      login_methods: ['bearer'],
      setup_token_required: false,
    });
    const off = await start();
    expect((await off.send('GET', '/v1/auth/me')).body).toEqual({ authenticated: true, method: 'none', name: 'anonymous', role: 'admin' });
    expect((await off.send('GET', '/v1/auth/config')).body.mode).toBe('off');
  });

  test('tokens live their life over HTTP', async () => {
    const http = await start({ apiKey: 'root' });
    const headers = bearer('root');
    const made = await http.send('POST', '/v1/tokens', { body: { name: 'ci', role: 'writer' }, headers });
    expect(made).toMatchObject({ status: 201, body: { name: 'ci', role: 'writer', token: expect.any(String) } });
    expect((await http.send('POST', '/v1/tokens', { body: { name: 'ci', role: 'writer' }, headers })).status).toBe(409);
    expect((await http.send('POST', '/v1/tokens', { body: { name: 'x', role: 'king' }, headers })).status).toBe(400);
    const { body: list } = await http.send('GET', '/v1/tokens', { headers });
    expect(list).toEqual({ items: [{ name: 'ci', role: 'writer', created_at: made.body.created_at }] });
    expect((await http.send('GET', '/v1/agents', { headers: bearer(made.body.token) })).status).toBe(200);
    expect((await http.send('DELETE', '/v1/tokens/ci', { headers })).body.name).toBe('ci');
    expect((await http.send('GET', '/v1/agents', { headers: bearer(made.body.token) })).status).toBe(401);
    expect((await http.send('DELETE', '/v1/tokens/ci', { headers })).status).toBe(404);
  });
});

describe('browsers', () => {
  const get = (http: HttpFixture, headers: string) => raw(http, `GET /v1/agents HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
  const status = (answer: string) => Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1]);

  test('reach a loopback server without auth only under its own names', async () => {
    const http = await start({ publicUrl: 'https://svc.example:8443' });
    for (const host of ['localhost', '127.0.0.1:8080', '[::1]:1', 'LOCALHOST:9', 'svc.example'])
      expect(status(await get(http, `Host: ${host}\r\n`))).toBe(200);
    for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil', '10.0.0.1'])
      expect(status(await get(http, `Host: ${host}\r\n`))).toBe(403);
    const guarded = await start({ apiKey: 'key' });
    expect(status(await get(guarded, 'Host: evil.example\r\nAuthorization: Bearer key\r\n'))).toBe(200);
  });

  test('may not write from another origin while auth is off', async () => {
    const http = await start({ corsOrigins: ['https://console.example'] });
    const write = (origin: string) =>
      http.send('POST', '/v1/agents?dryRun=true', { body: { metadata: { name: 'a' }, spec: { model_ref: 'm' } }, headers: { origin } });
    expect((await write('https://evil.example')).status).toBe(403);
    expect((await write('null')).status).toBe(403);
    expect((await write(http.url)).status).toBe(200);
    expect((await write('https://console.example')).status).toBe(200);
  });

  test('get CORS headers for configured origins only', async () => {
    const http = await start({ corsOrigins: ['https://console.example'] });
    const preflight = (origin: string) =>
      http.send('OPTIONS', '/v1/agents', { headers: { origin, 'access-control-request-method': 'POST' } });
    expect((await preflight('https://console.example')).headers).toMatchObject({
      'access-control-allow-origin': 'https://console.example',
      'access-control-allow-methods': expect.stringContaining('POST'),
      vary: 'Origin',
    });
    expect((await preflight('https://evil.example')).headers).not.toHaveProperty('access-control-allow-origin');
    expect(
      (await http.send('GET', '/v1/agents', { headers: { origin: 'https://console.example' } })).headers['access-control-allow-origin'],
    ).toBe('https://console.example');
  });
});

describe('odd requests', () => {
  test('an unknown expectation is ignored', async () => {
    const answer = await raw(await start(), 'GET /v1/agents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: magic\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(answer.toLowerCase()).toContain('x-request-id: ');
  });

  test('CONNECT is answered with 405', async () => {
    const answer = await raw(await start(), 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 405 Method Not Allowed\r\n.*X-Request-Id: .*Allow: GET, .*"code":"method_not_allowed"/s);
  });

  test('end in an answer that is no 5xx', { timeout: 60_000 }, async () => {
    const http = await start();
    const methods = [
      'GET',
      'HEAD',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'OPTIONS',
      'TRACE',
      'PROPFIND',
      'PURGE',
      'M-SEARCH',
      'QUERY',
      'FOO',
      'get',
    ];
    const targets = [
      '/',
      '*',
      '//',
      '/%',
      '/%00',
      '/v1/agents/%',
      '/v1/agents/%ff',
      '/v1/agents/%00',
      '/v1/agents/..%2f..',
      '/v1/agents/%2e%2e',
      '/v1/agents/é',
      '/v1/agents/a?%',
      '/v1/agents?namespace=%00',
      '/v1/agents?limit=%F0',
      'http://localhost/v1/agents',
      'http://[/v1',
      'localhost:80',
      '/v1/agents#x',
      `/${'a/'.repeat(3_000)}`,
      `/v1/agents/${'x'.repeat(6_000)}`,
      '/v1/agents?labelSelector=' + '('.repeat(3_000),
      '/v1/agents/__proto__',
      '/v1/constructor',
      '/v1/agents?__proto__=1',
      '/v1/tasks?after=%00/%00',
      '/v1/events?since=99999999999999999999',
      '/v1/events?since=9007199254740991',
      '/v1/agents/constructor/status',
      '/v1/agents?sort=constructor',
    ];
    const heads = [
      '',
      'Content-Type: application/json\r\nContent-Length: 2\r\n',
      'If-Match: "\r\n',
      'Authorization: \r\n',
      'Accept: */*;q=x\r\nContent-Type: ;;;\r\n',
      'X-Forwarded-For: ,,,\r\n',
      'Last-Event-ID: -\r\n',
      'Expect: 100-continue\r\n',
      'Expect: magic\r\n',
      'Transfer-Encoding: gzip\r\n',
      'Content-Length: -1\r\n',
      'Cookie: a=b\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n',
      'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n',
    ];
    const answers = async (request: string) => ({
      request: request.slice(0, 80),
      status: Number(/^HTTP\/1.1 (\d+)/.exec(await raw(http, request))?.[1] ?? 0),
    });
    for (const method of methods) {
      for (const target of targets) {
        const { request, status } = await answers(`${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
        expect({ request, fine: status >= 200 && status < 500 }).toEqual({ request, fine: true });
      }
    }
    for (const head of heads) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        const { request, status } = await answers(
          `${method} /v1/agents/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${head}\r\n{}`,
        );
        expect({ request, head, fine: status >= 100 && status < 500 }).toEqual({ request, head, fine: true });
      }
    }
    for (const garbage of [
      'GET\r\n\r\n',
      '\x16\x03\x01\x02',
      'GET / HTTP/9.9\r\n\r\n',
      `GET / HTTP/1.1\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`,
      'GET / HTTP/1.1\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    ]) {
      expect(await raw(http, garbage)).toMatch(/^HTTP\/1.1 4\d\d .*X-Request-Id: .*"error"/is);
    }
    expect((await http.send('GET', '/healthz')).status).toBe(200);
    expect(http.logged.filter((line) => line.level === 'error')).toEqual([]);
  });
});

test('close lets a request in flight finish and takes no new ones', async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  let reached = () => {};
  const inFlight = new Promise<void>((resolve) => (reached = resolve));
  const http = await start({
    runs: {
      metrics: async () => {
        reached();
        await gate;
        return { done: true };
      },
    },
  });
  const answer = http.send('GET', '/v1/tasks/t/metrics');
  await inFlight;
  const closing = http.front.close(5_000);
  await expect(http.send('GET', '/healthz', { headers: { connection: 'close' } })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  release();
  expect((await answer).body).toEqual({ done: true });
  await closing;
});

test('close does not wait for connections without a request', async () => {
  const http = await start();
  const { hostname, port } = new URL(http.front.address.url);
  const sockets = [connect(Number(port), hostname), connect(Number(port), hostname)];
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  sockets[1]?.write('GET /healthz HT');
  await http.send('GET', '/healthz');
  const began = performance.now();
  await http.front.close(60_000);
  expect(performance.now() - began).toBeLessThan(20_000);
});
