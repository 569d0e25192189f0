// Discovery, credentials, signatures and bounds of calls to remote agents, against servers that tests script, hostile ones included.
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CompactSign, exportJWK } from 'jose';
import { describe, expect, onTestFinished, test } from 'vitest';
import { canonicalJson, type JsonObject } from '@svc/shared/json';
import { createCardSigner } from '../cards/card-signer.ts';
import { checkCard, readTrustedKeys } from '../cards/card-check.ts';
import { openAgentPort, type AgentPortOptions } from '../../testing/a2a/agent-port.ts';
import { callFailure } from '../../testing/tool-deps.ts';
import { createManualClock } from '../../testing/manual-clock.ts';
import { CARD_FRESH_MS } from './limits.ts';

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: any;
}
type Handler = (response: ServerResponse, seen: Seen) => void;

/** Routes by path; what has none is 404. */
async function serve(routes: (url: string) => Readonly<Record<string, Handler>>) {
  const seen: Seen[] = [];
  let table: Readonly<Record<string, Handler>> = {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { method = '', url: path = '', headers } = request;
      const entry = { method, path, headers, body: text === '' ? undefined : JSON.parse(text) };
      seen.push(entry);
      const handler = table[`${method} ${path}`];
      if (handler) handler(response, entry);
      else response.writeHead(404).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  table = routes(url);
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return { url, seen, paths: () => seen.map(({ method, path }) => `${method} ${path}`) };
}

const json =
  (value: unknown, headers: Record<string, string> = {}): Handler =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
const done = {
  kind: 'task',
  id: 't1',
  contextId: 'c1',
  status: { state: 'completed' },
  artifacts: [{ artifactId: 'a', parts: [{ kind: 'text', text: 'ok' }] }],
};
const says = (text: string) => ({ kind: 'message', role: 'agent', messageId: 'm1', parts: [{ kind: 'text', text }] });
const rpc =
  (result: unknown): Handler =>
  (response, { body }) =>
    json({ jsonrpc: '2.0', id: body.id, result })(response, {} as Seen);
const rpcError =
  (code: number, message: string): Handler =>
  (response, { body }) =>
    json({ jsonrpc: '2.0', id: body.id, error: { code, message } })(response, {} as Seen);
const card = (url: string, more: object = {}): JsonObject => ({
  ...{ name: 'far', description: 'd', version: '1', protocolVersion: '0.3.0', url: `${url}/rpc`, preferredTransport: 'JSONRPC' },
  ...{ capabilities: {}, skills: [], defaultInputModes: ['text'], defaultOutputModes: ['text'], ...more },
});

const CARD = '/.well-known/agent-card.json';

function open(options: AgentPortOptions = {}) {
  const port = openAgentPort(options);
  onTestFinished(() => port.close());
  return port;
}

describe('discovery', () => {
  test('tries the address, then both well-known paths, and calls the address that the card names', async () => {
    const server = await serve((url) => ({ 'GET /.well-known/agent.json': json(card(url)), 'POST /rpc': rpc(done) }));
    expect(await open().call(server.url)).toMatchObject({ text: 'ok' });
    expect(server.paths()).toEqual(['GET /', `GET ${CARD}`, 'GET /.well-known/agent.json', 'POST /rpc']);
  });

  test('caches a card for five minutes, then revalidates it by its ETag', async () => {
    const server = await serve((url) => ({
      [`GET ${CARD}`]: (response, { headers }) =>
        headers['if-none-match'] === '"1"' ? void response.writeHead(304).end() : json(card(url), { etag: '"1"' })(response, {} as Seen),
      'POST /rpc': rpc(done),
    }));
    const clock = createManualClock();
    const port = open({ clock });
    await port.call(server.url);
    await port.call(server.url);
    expect(server.paths().filter((path) => path.startsWith('GET'))).toEqual(['GET /', `GET ${CARD}`]);
    clock.advance(CARD_FRESH_MS);
    await port.call(server.url);
    expect(server.seen.filter(({ headers }) => headers['if-none-match'] === '"1"')).toHaveLength(1);
    expect(server.paths().filter((path) => path.startsWith('GET'))).toHaveLength(3);
  });

  test('without a card calls the address itself, in the first version that it has the methods of', async () => {
    const server = await serve(() => ({
      'POST /agent': (response, seen) =>
        (seen.body.method === 'tasks/send'
          ? rpc({ id: seen.body.params.id, status: { state: 'completed' }, artifacts: [] })
          : rpcError(-32601, 'no'))(response, seen),
    }));
    const port = open();
    expect(await port.call(`${server.url}/agent`)).toEqual({ text: '', task_id: 'req-1', state: 'completed' });
    await port.call(`${server.url}/agent`);
    expect(server.seen.filter(({ method }) => method === 'POST').map(({ body }) => body.method)).toEqual([
      'SendMessage',
      'message/send',
      'tasks/send',
      'tasks/send',
    ]);
  });

  test.each([400, 404])('without a card calls the next version when the error of an unknown method comes with HTTP %i', async (status) => {
    const server = await serve(() => ({
      'POST /agent': (response, seen) => {
        if (seen.body.method === 'message/send') return rpc(done)(response, seen);
        const error = { jsonrpc: '2.0', id: seen.body.id, error: { code: -32601, message: 'nope' } };
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(error));
      },
    }));
    expect(await open().call(`${server.url}/agent`)).toMatchObject({ text: 'ok' });
  });

  test('calls an endpoint that takes no GET itself when the card of its server is that of another agent', async () => {
    const server = await serve((url) => ({
      [`GET ${CARD}`]: json(card(url, { url: `${url}/other` })),
      'GET /mine': (response) => void response.writeHead(405).end(),
      'POST /mine': rpc({ task: { ...done, status: { state: 'TASK_STATE_COMPLETED' } } }),
      'POST /other': rpcError(-32603, 'the wrong agent'),
    }));
    expect(await open().call(`${server.url}/mine`)).toMatchObject({ text: 'ok', state: 'completed' });
  });

  test.each([
    ['an unknown transport', { preferredTransport: 'GRPC' }, 'only JSON-RPC'],
    ['an unknown version', { protocolVersion: '7.0' }, 'does not speak'],
  ])('refuses a card with %s', async (_what, more, words) => {
    const server = await serve((url) => ({ [`GET ${CARD}`]: json(card(url, more)) }));
    const error = await callFailure(open().call(server.url));
    expect(error).toMatchObject({ reason: 'no_common_protocol', retryable: false });
    expect(error.message).toContain(words);
  });
});

describe('credentials', () => {
  const auth = { profile: 'bearer', secretRef: 'token' };
  const token = 'the-secret-token';

  test.each([
    ['an error of JSON-RPC', () => rpcError(-32602, `${'x'.repeat(990)}${token}`)],
    ['a failed task', () => rpc({ ...done, status: { state: 'failed', message: says(`${'x'.repeat(990)}${token}`) } })],
  ])('leave no part in a message that %s cuts', async (_, answer) => {
    const server = await serve((url) => ({ [`GET ${CARD}`]: json(card(url)), 'POST /rpc': answer() }));
    const error = await callFailure(open({ token }).call(server.url, { auth }));
    expect(error.message).toContain('xxx');
    expect(error.message).not.toContain('the-');
  });

  test('leave no part in progress', async () => {
    const working = { ...done, status: { state: 'working', message: says(`with ${token}`) } };
    const answers = [rpc(working), rpc(done)];
    const server = await serve((url) => ({
      [`GET ${CARD}`]: json(card(url)),
      'POST /rpc': (response, seen) => (answers.shift() ?? rpc(done))(response, seen),
    }));
    const progress: string[] = [];
    await open({ token }).call(server.url, { auth, onProgress: ({ message }) => void progress.push(message) });
    expect(progress).toEqual(['with ***']);
  });

  test('go to the origin of agent_url alone, and the refusal of another origin names it', async () => {
    const elsewhere = await serve(() => ({ 'POST /rpc': (response) => void response.writeHead(401).end() }));
    const server = await serve((url) => ({ [`GET ${CARD}`]: json(card(url, { url: `${elsewhere.url}/rpc` })) }));
    const error = await callFailure(open({ token }).call(server.url, { auth }));
    expect(error).toMatchObject({ code: 'auth_invalid' });
    expect(error.message).toContain(server.url);
    expect(elsewhere.seen[0]?.headers.authorization).toBeUndefined();
  });

  test('do not follow a redirect to another origin', async () => {
    const elsewhere = await serve(() => ({ 'POST /rpc': rpc(done) }));
    const server = await serve((url) => ({
      [`GET ${CARD}`]: json(card(url)),
      'POST /rpc': (response) => void response.writeHead(307, { location: `${elsewhere.url}/rpc` }).end(),
    }));
    expect(await open({ token }).call(server.url, { auth })).toMatchObject({ text: 'ok' });
    expect(server.seen.at(-1)?.headers.authorization).toBe(`Bearer ${token}`);
    expect(elsewhere.seen[0]?.headers.authorization).toBeUndefined();
  });

  test('are sent for a card only when it is refused without them', async () => {
    const server = await serve((url) => ({
      [`GET ${CARD}`]: (response, { headers }) =>
        headers.authorization === undefined ? void response.writeHead(401).end() : json(card(url))(response, {} as Seen),
      'POST /rpc': rpc(done),
    }));
    await open({ token }).call(server.url, { auth });
    expect(server.seen.slice(0, 3).map(({ headers }) => headers.authorization)).toEqual([undefined, undefined, `Bearer ${token}`]);
  });
});

describe('the egress guard', () => {
  test('blocks an agent at a private address without the option', async () => {
    const error = await callFailure(open({ allowPrivate: false }).call('http://127.0.0.1:9/'));
    expect(error).toMatchObject({ code: 'egress_blocked', reason: 'loopback' });
    expect(error.message).toContain('--a2a-allow-private-endpoints');
  });

  test.each([
    [
      'a card that names a metadata address',
      (): Record<string, Handler> => ({ [`GET ${CARD}`]: json(card('', { url: 'http://169.254.169.254/rpc' })) }),
    ],
    [
      'a card behind a redirect to one',
      () => ({
        [`GET ${CARD}`]: (response: ServerResponse) => void response.writeHead(302, { location: 'http://169.254.169.254/c' }).end(),
      }),
    ],
    [
      'an endpoint that redirects to one',
      (url: string) => ({
        [`GET ${CARD}`]: json(card(url)),
        'POST /rpc': (response: ServerResponse) => void response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
      }),
    ],
  ])('blocks %s', async (_what, routes) => {
    const server = await serve(routes);
    expect(await callFailure(open().call(server.url))).toMatchObject({ code: 'egress_blocked', reason: 'metadata' });
  });
});

describe('signatures of cards', () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
  const signer = createCardSigner(pem);
  const other = createCardSigner(
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
  );
  const trustedKeys = readTrustedKeys(JSON.stringify(signer.keys));
  const [kid] = [...trustedKeys.byId.keys()];
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  const call = async (write: (plain: JsonObject) => unknown, requireSigned = true) => {
    const server = await serve((url) => ({ [`GET ${CARD}`]: json(write(card(url))), 'POST /rpc': rpc(done) }));
    return open({ trustedKeys, requireSigned }).call(server.url);
  };

  test('by a trusted key are accepted', async () => {
    expect(await call((plain) => signer.sign(plain))).toMatchObject({ text: 'ok' });
  });

  test('read the card once, however many there are', () => {
    let reads = 0;
    const protectedText = encoded({ alg: 'EdDSA', kid });
    const hostile = {
      get name() {
        reads += 1;
        return 'a';
      },
      signatures: Array.from({ length: 20 }, () => ({ protected: protectedText, signature: encoded('x') })),
    };
    expect(checkCard(hostile, trustedKeys)).toMatchObject({ kind: 'refused', reason: 'card_signature_invalid' });
    expect(reads).toBe(1);
  });

  test('by another implementation over the card without empty values are accepted', async () => {
    const jws = async (plain: JsonObject) => {
      const bytes = Buffer.from(canonicalJson({ ...plain, capabilities: undefined, skills: undefined }));
      const compact = await new CompactSign(bytes)
        .setProtectedHeader({ alg: 'EdDSA', kid: kid ?? '', typ: 'JOSE' })
        .sign(createPrivateKey(pem));
      const [header, , signature] = compact.split('.');
      return { ...plain, signatures: [{ protected: header, signature }] };
    };
    const server = await serve(() => ({
      'POST /rpc': rpc(done),
      [`GET ${CARD}`]: (response) => void jws(card(server.url)).then((signed) => json(signed)(response, {} as Seen)),
    }));
    expect(await open({ trustedKeys, requireSigned: true }).call(server.url)).toMatchObject({ text: 'ok' });
  });

  test.each<[string, string, (plain: JsonObject) => unknown]>([
    ['no signature', 'card_unsigned', (plain) => plain],
    ['an unknown key', 'card_key_unknown', (plain) => other.sign(plain)],
    ['changed content', 'card_signature_invalid', (plain) => ({ ...signer.sign(plain), url: 'https://evil.example' })],
    [
      'alg none',
      'card_algorithm_refused',
      (plain) => ({ ...plain, signatures: [{ protected: encoded({ alg: 'none', kid }), signature: '' }] }),
    ],
    [
      'alg HS256',
      'card_algorithm_refused',
      (plain) => ({ ...plain, signatures: [{ protected: encoded({ alg: 'HS256', kid }), signature: 'AA' }] }),
    ],
    [
      'the alg of another key',
      'card_algorithm_refused',
      (plain) => ({ ...plain, signatures: [{ protected: encoded({ alg: 'ES256', kid }), signature: 'AA' }] }),
    ],
    ['an unreadable signature', 'card_signature_invalid', (plain) => ({ ...plain, signatures: [{ protected: '%', signature: 7 }, null] })],
  ])('refuses a card with %s (%s)', async (_what, reason, write) => {
    const error = await callFailure(call(write));
    expect(error).toMatchObject({ code: 'egress_blocked', reason, retryable: false });
    expect(error.message).toContain('The card of Tool "team/search"');
  });

  test('are demanded also of an agent without a card', async () => {
    const server = await serve(() => ({ 'POST /': rpc(done) }));
    expect(await callFailure(open({ trustedKeys, requireSigned: true }).call(server.url))).toMatchObject({ reason: 'card_unsigned' });
  });

  test('are checked where they are present, while unsigned cards are not refused', async () => {
    expect(await call((plain) => plain, false)).toMatchObject({ text: 'ok' });
    expect(await callFailure(call((plain) => other.sign(plain), false))).toMatchObject({ reason: 'card_key_unknown' });
  });

  test.each([
    ['no JSON', 'hello'],
    ['no list of keys', '{}'],
    ['no keys', '{"keys":[]}'],
    ['a symmetric key', '{"keys":[{"kid":"1","kty":"oct","k":"AAAA"}]}'],
    ['a key without an id', JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'AA' }] })],
  ])('a set of keys with %s is refused', (_what, text) => {
    expect(() => readTrustedKeys(text)).toThrow();
  });

  test('a set of keys as other programs write it is read', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    expect([...readTrustedKeys(JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'r' }] })).byId.keys()]).toEqual(['r']);
  });
});

describe('answers', () => {
  const answering = async (handler: Handler, more: object = {}, options = {}) => {
    const server = await serve((url) => ({ [`GET ${CARD}`]: json(card(url, more)), 'POST /rpc': handler }));
    return callFailure(open().call(server.url, { a2a: { prefer_streaming: 'capabilities' in more }, ...options }));
  };
  const streams = { capabilities: { streaming: true } };
  const sse = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });
  const flood = (response: ServerResponse, block: string) => {
    const push = () => {
      while (!response.destroyed && response.write(block));
      if (!response.destroyed) response.once('drain', push);
    };
    push();
  };

  test.each<[string, Handler, object, object]>([
    ['no JSON-RPC', json({ hello: 1 }), {}, { code: 'execution_failed', reason: 'protocol' }],
    ['a list', json([]), {}, { code: 'execution_failed', reason: 'protocol' }],
    ['a result that is no task', rpc(42), {}, { code: 'execution_failed', reason: 'protocol' }],
    [
      'a web page',
      (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      {},
      { code: 'execution_failed' },
    ],
    ['a task without an id', rpc({ kind: 'task', status: { state: 'working' } }), {}, { code: 'execution_failed', reason: 'protocol' }],
    ['an error', rpcError(-32602, 'no such skill'), {}, { code: 'execution_failed', reason: 'rpc_-32602', retryable: false }],
    ['an internal error', rpcError(-32603, 'oops'), {}, { code: 'execution_failed', reason: 'rpc_-32603', retryable: true }],
    ['429', (response) => void response.writeHead(429, { 'retry-after': '7' }).end(), {}, { code: 'execution_failed', retryAfterMs: 7000 }],
    [
      'an answer without end',
      (response) => flood(response.writeHead(200, { 'content-type': 'application/json' }), ' '.repeat(65536)),
      {},
      { code: 'execution_failed', reason: 'response_too_large' },
    ],
    ['a stream without end', (response) => flood(sse(response), `: ${'x'.repeat(65536)}\n\n`), streams, { reason: 'response_too_large' }],
    ['an event without end', (response) => flood(sse(response), `data: ${'x'.repeat(65536)}`), streams, { code: 'execution_failed' }],
    [
      'an event that is no JSON',
      (response) => void sse(response).end('data: {\n\n'),
      streams,
      { code: 'execution_failed', reason: 'protocol' },
    ],
  ])('ends a call in a typed error on %s', async (_what, handler, more, expected) => {
    expect(await answering(handler, more)).toMatchObject(expected);
  });

  test('ends a call at its time limit on a stream of heartbeats', async () => {
    const handler: Handler = (response) => {
      const timer = setInterval(() => response.write(': heartbeat\n\n'), 20);
      sse(response);
      response.on('close', () => clearInterval(timer));
    };
    expect(await answering(handler, streams, { timeout: '200ms' })).toMatchObject({ code: 'timeout' });
  });

  test('completes a stream that breaks off by reading the task', async () => {
    const working = { kind: 'task', id: 't1', contextId: 'c1', status: { state: 'working' } };
    const server = await serve((url) => ({
      [`GET ${CARD}`]: json(card(url, streams)),
      'POST /rpc': (response, seen) => {
        if (seen.body.method === 'tasks/get') return rpc(done)(response, seen);
        sse(response).write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: '1', result: working })}\n\n`, () => response.destroy());
      },
    }));
    expect(await open().call(server.url, { a2a: { prefer_streaming: true } })).toMatchObject({ text: 'ok' });
    expect(server.seen.filter(({ method }) => method === 'POST').map(({ body }) => body.method)).toEqual(['message/stream', 'tasks/get']);
  });

  test('sends the message plainly where the method of streams is unknown', async () => {
    const server = await serve((url) => ({
      [`GET ${CARD}`]: json(card(url, streams)),
      'POST /rpc': (response, seen) => (seen.body.method === 'message/send' ? rpc(done) : rpcError(-32601, 'no'))(response, seen),
    }));
    expect(await open().call(server.url, { a2a: { prefer_streaming: true } })).toMatchObject({ text: 'ok' });
    expect(server.seen.filter(({ method }) => method === 'POST').map(({ body }) => body.method)).toEqual([
      'message/stream',
      'message/send',
    ]);
  });

  test.each([
    ['reads a task again after internal errors', 3, { text: 'ok' }, 'tasks/get'],
    ['cancels a task that it cannot read', 99, { code: 'execution_failed', reason: 'rpc_-32603' }, 'tasks/cancel'],
  ])('%s', async (_what, errors, expected, last) => {
    let reads = 0;
    const server = await serve((url) => ({
      [`GET ${CARD}`]: json(card(url)),
      'POST /rpc': (response, seen) => {
        const working = { kind: 'task', id: 't1', contextId: 'c1', status: { state: 'working' } };
        if (seen.body.method !== 'tasks/get') return rpc(working)(response, seen);
        return ((reads += 1) <= errors ? rpcError(-32603, 'busy') : rpc(done))(response, seen);
      },
    }));
    const outcome: unknown = await open()
      .call(server.url)
      .catch((error: unknown) => error);
    expect(outcome).toMatchObject(expected);
    await expect.poll(() => server.seen.at(-1)?.body.method).toBe(last);
  });

  test('ends a call in a typed error on a card that is too large', async () => {
    const server = await serve((url) => ({ [`GET ${CARD}`]: json(card(url, { description: 'x'.repeat(2 ** 21) })) }));
    expect(await callFailure(open().call(server.url))).toMatchObject({ code: 'execution_failed', reason: 'response_too_large' });
  });

  test.each([
    ['an answer', 'message/send', {}],
    ['a first event', 'message/stream', streams],
  ])('cancels the task of %s that comes after its caller has gone', async (_what, method, more) => {
    const task = { kind: 'task', id: 'late', contextId: 'c1', status: { state: 'working' } };
    const caller = new AbortController();
    let answerLate = (): void => undefined;
    const server = await serve((url) => ({
      [`GET ${CARD}`]: json(card(url, more)),
      'POST /rpc': (response, seen) => {
        if (seen.body.method !== method) return rpc(task)(response, seen);
        const answer = { jsonrpc: '2.0', id: seen.body.id, result: task };
        answerLate = () => {
          if (method === 'message/send') json(answer)(response, seen);
          else sse(response).write(`data: ${JSON.stringify(answer)}\n\n`);
        };
        caller.abort();
      },
    }));
    const error = await callFailure(open().call(server.url, { signal: caller.signal, a2a: { prefer_streaming: true } }));
    expect(error.code).toBe('canceled');
    answerLate();
    await expect.poll(() => server.seen.at(-1)?.body).toMatchObject({ method: 'tasks/cancel', params: { id: 'late' } });
    const asked = server.seen.filter((seen) => seen.method === 'POST').map(({ body }) => body.method as string);
    expect(asked).toEqual([method, 'tasks/cancel']);
  });
});
