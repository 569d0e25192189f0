import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { CallError } from '../engine/ports.ts';
import { hang, json, redirect, reset, startLoopbackServer, text, type Answer, type LoopbackServer } from '../testing/loopback-server.ts';
import { createEgress } from './create-egress.ts';
import type { Egress, EgressRequest } from './egress.ts';
import type { Resolve } from './guarded-connector.ts';
import { nextHop } from './redirects.ts';
import { readText } from './response.ts';

async function serve(...answers: Answer[]): Promise<LoopbackServer> {
  const server = await startLoopbackServer(...answers);
  onTestFinished(() => server.close());
  return server;
}

function open(resolve?: Resolve): Egress {
  const egress = createEgress(resolve ? { resolve } : {});
  onTestFinished(() => egress.close());
  return egress;
}

const request = (url: string, more: Partial<EgressRequest> = {}): EgressRequest => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json' },
  body: '{}',
  signal: new AbortController().signal,
  allowPrivate: false,
  permittedBy: 'the switch',
  ...more,
});

const failure = (promise: Promise<unknown>): Promise<CallError> =>
  promise.then(
    () => Promise.reject(new Error('it was not refused')),
    (error: unknown) => error as CallError,
  );

/** A resolver that gives the listed answers one after the other. */
const answering = (...turns: string[][]): Resolve => {
  let turn = 0;
  return (_hostname, callback) => {
    const addresses = turns[Math.min(turn++, turns.length - 1)] ?? [];
    setImmediate(() =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
    );
  };
};

describe('addresses', () => {
  const disguises = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '017700000001',
    '0177.0.0.1',
    '127.0.0.1.',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::7f00:1]',
    '0.0.0.0',
    '0',
    '[::]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '127。0。0。1',
    '①②⑦.0.0.1',
    '127.0.0.1。',
    '0x7F.0x0.0x0.0x1',
    '127.0.1',
    '127.0x1',
    '[::127.0.0.1]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[::ffff:0:7f00:1]',
    '[2001:db8::5efe:7f00:1]',
    '[2001:0:7f00:1::]',
    'LOCALHOST',
    'ⓛocalhost',
    'loc%61lhost',
  ];

  test.each(disguises)('http://%s reaches nothing without opting in', async (host) => {
    const server = await serve(text('inside'));
    const error = await failure(open().send(request(`http://${host}:${server.port}/`)));
    expect([error.code, error.retryable, server.seen]).toEqual(['egress_blocked', false, []]);
  });

  test('a name that resolves to loopback is refused, naming the address and what permits it', async () => {
    const server = await serve(text('inside'));
    const error = await failure(open(answering(['127.0.0.1'])).send(request(`http://rebind.test:${server.port}/`)));
    expect(error.message).toBe(
      'blocked connection to rebind.test (127.0.0.1): 127.0.0.1 is a loopback address; only the switch permits it',
    );
    expect(server.seen).toEqual([]);
  });

  test('localhost as the system resolves it is refused', async () => {
    const server = await serve(text('inside'));
    expect((await failure(open().send(request(`http://localhost:${server.port}/`)))).code).toBe('egress_blocked');
  });

  test('opting in permits loopback by literal and by name', async () => {
    const server = await serve(text('inside'));
    const egress = open(answering(['127.0.0.1']));
    for (const host of ['127.0.0.1', 'name.test']) {
      const response = await egress.send(request(`http://${host}:${server.port}/`, { allowPrivate: true }));
      expect(await readText(response, { maxBytes: 100, retryable: false, what: 'it' })).toBe('inside');
    }
  });

  test.each(['169.254.169.254', '100.100.100.200', '[fd00:ec2::254]', '[fe80::1]', '0.0.0.0', '169.254.1.1', '[::ffff:169.254.169.254]'])(
    'http://%s stays blocked although the caller opts in',
    async (host) => {
      const error = await failure(open().send(request(`http://${host}/latest/meta-data`, { allowPrivate: true })));
      expect(error.code).toBe('egress_blocked');
      expect(error.message).toContain('always blocked, whatever the switch says');
    },
  );

  test('dials only the permitted ones of several addresses', async () => {
    const server = await serve(text('inside'));
    const egress = open(answering(['169.254.169.254', '127.0.0.1']));
    const response = await egress.send(request(`http://mixed.test:${server.port}/`, { allowPrivate: true }));
    expect(response.status).toBe(200);
    response.discard();
  });

  test('a name is checked again at every new connection', async () => {
    const server = await serve((response) => void response.writeHead(200, { connection: 'close' }).end('inside'));
    const egress = open(answering(['127.0.0.1'], ['169.254.169.254']));
    const send = () => egress.send(request(`http://rebind.test:${server.port}/`, { allowPrivate: true }));
    await readText(await send(), { maxBytes: 100, retryable: false, what: 'it' });
    expect((await failure(send())).reason).toBe('metadata');
    expect(server.seen).toHaveLength(1);
  });

  test('a name that answers differently the second time is judged by the address that is dialled', async () => {
    const server = await serve(text('inside'));
    // There is one lookup: what it answers is judged, and that is dialled.
    const error = await failure(open(answering(['127.0.0.1'], ['93.184.216.34'])).send(request(`http://rebind.test:${server.port}/`)));
    expect([error.code, error.reason, server.seen]).toEqual(['egress_blocked', 'loopback', []]);
  });

  test('among many addresses of a name one that is not permitted is never dialled', async () => {
    const server = await serve(text('inside'));
    const hidden = [
      ...Array.from({ length: 40 }, (_, n) => `192.0.2.${n}`),
      '127.0.0.1',
      '::ffff:127.0.0.1',
      '64:ff9b::7f00:1',
      '10.0.0.1',
    ];
    const error = await failure(open(answering(hidden)).send(request(`http://many.test:${server.port}/`)));
    expect([error.code, server.seen]).toEqual(['egress_blocked', []]);
    const opted = await open(answering(hidden)).send(request(`http://many.test:${server.port}/`, { allowPrivate: true }));
    opted.discard();
    expect(server.seen).toHaveLength(1);
  });

  test('a name without an address is refused', async () => {
    expect((await failure(open(answering([])).send(request('http://empty.test/')))).code).toBe('egress_blocked');
  });

  test('proxies of the environment are not used', async () => {
    const proxy = await serve(text('through the proxy'));
    const server = await serve(text('direct'));
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy', 'NODE_USE_ENV_PROXY'];
    for (const name of names) vi.stubEnv(name, name === 'NODE_USE_ENV_PROXY' ? '1' : proxy.url);
    vi.stubEnv('NO_PROXY', '');
    try {
      const response = await open().send(request(server.url, { allowPrivate: true }));
      expect(await readText(response, { maxBytes: 100, retryable: false, what: 'it' })).toBe('direct');
      expect(proxy.seen).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('a host or connection header of the caller does not go out', async () => {
    const server = await serve(text('ok'));
    const own = {
      Host: 'metadata.internal',
      Connection: 'upgrade',
      upgrade: 'h2c',
      'Transfer-Encoding': 'chunked',
      'content-length': '999',
    };
    const response = await open().send(request(server.url, { allowPrivate: true, headers: own, credentials: { hOST: 'x', 'x-key': 'k' } }));
    response.discard();
    const { headers } = server.seen[0] ?? {};
    expect([headers?.host, headers?.upgrade, headers?.['transfer-encoding'], headers?.['content-length'], headers?.['x-key']]).toEqual([
      `127.0.0.1:${server.port}`,
      undefined,
      undefined,
      '2',
      'k',
    ]);
  });

  test('a socket that is closed as soon as it opens is a reset, not a blocked address', async () => {
    const closing = createServer((socket) => socket.resetAndDestroy());
    await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
    const { port } = closing.address() as AddressInfo;
    for (let n = 0; n < 20; n += 1) {
      const error = await failure(open().send(request(`http://127.0.0.1:${port}/`, { allowPrivate: true })));
      expect([error.code, error.retryable]).toEqual(['execution_failed', true]);
    }
    await new Promise((resolve) => closing.close(resolve));
  });

  test('a connection opened by a caller who opted in never serves one who did not', async () => {
    const server = await serve(text('inside'));
    const egress = open();
    await readText(await egress.send(request(server.url, { allowPrivate: true })), { maxBytes: 100, retryable: false, what: 'it' });
    expect((await failure(egress.send(request(server.url)))).code).toBe('egress_blocked');
    expect(server.seen).toHaveLength(1);
  });
});

describe('URLs', () => {
  test.each([
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://example.com/',
    'data:text/plain,x',
    'javascript:1',
    'not a url',
    'http://user:secret@example.com/',
  ])('%s is refused', async (url) => {
    const error = await failure(open().send(request(url, { allowPrivate: true })));
    expect(error.code).toBe('egress_blocked');
    expect(error.message).not.toContain('secret');
  });
});

describe('redirects', () => {
  const trusting = { allowPrivate: true, credentials: { authorization: 'Bearer token' } };

  test.each(['http://169.254.169.254/latest', 'http://[fd00:ec2::254]/', 'http://2852039166/', 'file:///etc/passwd', 'http://:80:80/'])(
    'to %s is refused',
    async (location) => {
      const server = await serve(redirect(location, 307));
      expect((await failure(open().send(request(server.url, trusting)))).code).toBe('egress_blocked');
    },
  );

  test('to a name that resolves to a metadata address is refused, although the first hop was permitted', async () => {
    const server = await serve(redirect('http://innocent.test/', 302));
    const egress = open(answering(['169.254.169.254']));
    const error = await failure(egress.send(request(server.url, trusting)));
    expect([error.code, error.reason]).toEqual(['egress_blocked', 'metadata']);
  });

  test('within the origin keeps credentials, method and body on 307', async () => {
    const server = await serve(redirect('/next', 307), text('done'));
    const response = await open().send(request(server.url, { ...trusting, body: '{"a":1}' }));
    response.discard();
    expect(server.seen.map(({ method, path, body, headers }) => [method, path, body, headers.authorization])).toEqual([
      ['POST', '/', '{"a":1}', 'Bearer token'],
      ['POST', '/next', '{"a":1}', 'Bearer token'],
    ]);
  });

  test('to another origin drops credentials permanently, even when a later redirect leads back', async () => {
    const back: Answer = (response) => void response.writeHead(307, { location: `${home.url}/back` }).end();
    const other = await serve(back);
    const home = await serve(redirect(`${other.url}/other`, 307), text('done'));
    (await open().send(request(home.url, trusting))).discard();
    expect([...home.seen, ...other.seen].map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/', 'Bearer token'],
      ['/back', undefined],
      ['/other', undefined],
    ]);
  });

  test('drop credentials among the headers of a caller when the origin changes', async () => {
    const other = await serve(text('done'));
    const server = await serve(redirect(other.url, 307));
    const headers = { Authorization: 'Bearer a', Cookie: 'b', 'X-Api-Key': 'c', 'content-type': 'application/json' };
    (await open().send(request(server.url, { allowPrivate: true, headers }))).discard();
    const { authorization, cookie, 'x-api-key': key, 'content-type': type } = other.seen[0]?.headers ?? {};
    expect([authorization, cookie, key, type]).toEqual([undefined, undefined, undefined, 'application/json']);
  });

  test('to another origin is refused for a body that must not leave its own', async () => {
    const other = await serve(text('done'));
    const server = await serve(redirect('/next', 307), redirect(other.url, 307));
    const error = await failure(open().send(request(server.url, { ...trusting, followRedirects: 'same-origin' })));
    expect([error.code, server.seen.length, other.seen]).toEqual(['egress_blocked', 2, []]);
  });

  test.each<[string, string, boolean]>([
    ['http://a.test/', 'https://a.test/', false],
    ['https://a.test/', 'https://a.test:444/', false],
    ['https://a.test/', 'https://b.test/', false],
    ['https://a.test/', '//a.test/x', true],
    ['https://a.test/', 'https://A.TEST:443/x', true],
  ])('from %s to %s keeps credentials: %s', (...[from, to, kept]) => {
    const hop = { method: 'POST' as const, url: new URL(from), headers: {}, credentials: { authorization: 'x' }, body: '{}' };
    const next = nextHop(hop, 307, to);
    expect(next.kind === 'hop' && 'authorization' in next.hop.credentials).toBe(kept);
  });

  test.each(['http://a.test/', 'ftp://a.test/', 'https://user:pass@a.test/', 'https://[bad/'])('from https to %s is refused', (to) => {
    const hop = { method: 'GET' as const, url: new URL('https://a.test/'), headers: {}, credentials: {}, body: undefined };
    expect(nextHop(hop, 302, to).kind).toBe('refused');
  });

  test('303 turns a POST into a GET without a body', async () => {
    const server = await serve(redirect('/see', 303), text('done'));
    (await open().send(request(server.url, trusting))).discard();
    expect(server.seen.map(({ method, body, headers }) => [method, body, headers['content-type']])[1]).toEqual(['GET', '', undefined]);
  });

  test('without end fails after five', async () => {
    const server = await serve(redirect('/', 307));
    const error = await failure(open().send(request(server.url, trusting)));
    expect([error.reason, error.retryable, server.seen.length]).toEqual(['too_many_redirects', false, 6]);
  });

  test('is handed back when the caller does not follow', async () => {
    const server = await serve(redirect('http://169.254.169.254/', 307));
    expect((await open().send(request(server.url, { ...trusting, followRedirects: false }))).status).toBe(307);
  });
});

describe('failures', () => {
  test('a refused connection, a reset and an unknown host are retryable and typed', async () => {
    const closed = await startLoopbackServer(hang);
    await closed.close();
    const cut = await serve(reset());
    const noName: Resolve = (_hostname, callback) => callback(Object.assign(new Error('x'), { code: 'ENOTFOUND' }), []);
    const errors = [
      await failure(open().send(request(closed.url, { allowPrivate: true }))),
      await failure(open().send(request(cut.url, { allowPrivate: true }))),
      await failure(open(noName).send(request('http://nowhere.test/'))),
    ];
    expect(errors.map(({ code, reason, retryable }) => [code, reason, retryable])).toEqual([
      ['execution_failed', 'connection_refused', true],
      ['execution_failed', 'connection_reset', true],
      ['execution_failed', 'host_not_found', true],
    ]);
  });

  test('an answer that is no HTTP is typed and names it', async () => {
    const raw = await serve((response) => void response.socket?.end('SSH-2.0-OpenSSH_9.7\r\n'));
    const error = await failure(open().send(request(raw.url, { allowPrivate: true })));
    expect(error).toMatchObject({ code: 'execution_failed', reason: 'malformed_http', retryable: true });
    expect(error.message).toBe(`${raw.url} did not answer in valid HTTP`);
  });

  test('a body cut short rejects as a reset', async () => {
    const server = await serve(reset('{"a":'));
    const response = await open().send(request(server.url, { allowPrivate: true }));
    expect((await failure(readText(response, { maxBytes: 1000, retryable: true, what: 'it' }))).reason).toBe('connection_reset');
  });

  test('an abort ends a call that waits for its answer, with the reason given', async () => {
    const server = await serve(hang);
    const abort = new AbortController();
    const call = failure(open().send(request(server.url, { allowPrivate: true, signal: abort.signal })));
    await server.nextRequest();
    abort.abort(new Error('enough'));
    expect((await call).message).toBe('enough');
  });

  test('an abort ends a call that still resolves its host', async () => {
    const abort = new AbortController();
    // Answers only after the test: until then, the socket that waits for the address is open.
    const late: Resolve = (_hostname, callback) => {
      onTestFinished(async () => callback(new Error('late'), []));
      abort.abort(new Error('enough'));
    };
    expect((await failure(open(late).send(request('http://slow.test/', { signal: abort.signal })))).message).toBe('enough');
  });

  test('a compressed answer is refused unread', async () => {
    const server = await serve(json({ bomb: true }, 200, { 'content-encoding': 'gzip' }));
    const response = await open().send(request(server.url, { allowPrivate: true }));
    const error = await failure(readText(response, { maxBytes: 1000, retryable: true, what: 'it' }));
    expect([error.code, error.reason]).toEqual(['malformed_response', 'content_encoding']);
    expect(server.seen[0]?.headers['accept-encoding']).toBe('identity');
  });
});
