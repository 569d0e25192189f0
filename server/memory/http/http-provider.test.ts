// Provider http over real HTTP: conformance with an adapter, its requests, and adapters that answer nonsense.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../clock.ts';
import { createEgress } from '../../egress/create-egress.ts';
import { CallError } from '../../engine/ports.ts';
import {
  flood,
  hang,
  json,
  redirect,
  reset,
  startLoopbackServer,
  text,
  type Answer,
  type LoopbackServer,
} from '../../testing/loopback-server.ts';
import { startMemoryAdapter, type MemoryAdapter } from '../../testing/memory-adapter.ts';
import { describeMemoryProvider, memoryTarget } from '../../testing/memory-conformance.ts';
import type { MemoryBackend, MemoryProvider } from '../backend.ts';
import { createHttpProvider } from './http-provider.ts';

const TOKEN = 'adapter-token-1';
const permittedBy = 'the server option --allow-private-tool-endpoints';
const egress = createEgress();
const providerOf = (allowPrivate = true): MemoryProvider => createHttpProvider({ egress, clock: systemClock, allowPrivate, permittedBy });
const secret = () => Promise.resolve(TOKEN);
const signal = () => AbortSignal.timeout(60_000);

let adapter: MemoryAdapter;
beforeAll(async () => {
  adapter = await startMemoryAdapter(TOKEN);
});
afterAll(async () => {
  await egress.close();
  await adapter.stop();
});

const withSecret = (provider: MemoryProvider): MemoryProvider => ({ ...provider, open: (target) => provider.open({ ...target, secret }) });
describeMemoryProvider('http', {
  provider: () => withSecret(providerOf()),
  // Entries of an adapter outlast a uid: start empty.
  spec: () => {
    adapter.entries.clear();
    return { provider: 'http', endpoint: adapter.endpoint };
  },
  keepsVectors: false,
  writesAtOnce: false,
  searchesWords: false,
});

async function over(...answers: Answer[]): Promise<{ server: LoopbackServer; backend: MemoryBackend }> {
  const server = await startLoopbackServer(...answers);
  onTestFinished(() => server.close());
  const spec = { provider: 'http', endpoint: `${server.url}/base?tenant=7` };
  return { server, backend: providerOf().open(memoryTarget(spec, { secret })) };
}

async function failure(work: Promise<unknown>): Promise<CallError> {
  const error: unknown = await work.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof CallError)) throw error;
  return error;
}

it('posts the namespace, the name and the fields of the operation, with the Secret as bearer token', async () => {
  const { server, backend } = await over(
    json({ key: 'k', created: true }),
    json({ found: true, key: 'k', value: 'v' }),
    json({ results: [{ key: 'k', value: 'v', score: 12.5 }], count: 1 }),
    json({ entries: [{ key: 'pk', value: 'v' }], count: 1, continue: 'pk' }),
    json({ key: 'k' }),
    json({ status: 'ok' }),
  );
  expect(await backend.write({ puts: [{ key: 'k', value: 'v' }], deletes: [] }, signal())).toEqual({ created: ['k'], deleted: [] });
  expect(await backend.get('k', signal())).toBe('v');
  expect(await backend.search({ query: 'q', vector: undefined, limit: 3 }, signal())).toEqual([{ key: 'k', value: 'v', score: 12.5 }]);
  expect(await backend.list({ prefix: 'p', after: 'a', limit: 5 }, signal())).toEqual({ entries: [{ key: 'pk', value: 'v' }], next: 'pk' });
  expect(await backend.write({ puts: [], deletes: ['k'] }, signal())).toEqual({ created: [], deleted: ['k'] });
  await backend.ping(signal());
  const place = { namespace: 'default', memory: 'notes' };
  expect(server.seen.map(({ method, path, body }) => [method, path, body === '' ? undefined : (JSON.parse(body) as object)])).toEqual([
    ['POST', '/base/put?tenant=7', { ...place, key: 'k', value: 'v' }],
    ['POST', '/base/get?tenant=7', { ...place, key: 'k' }],
    ['POST', '/base/search?tenant=7', { ...place, query: 'q', top_k: 3 }],
    ['POST', '/base/list?tenant=7', { ...place, prefix: 'p', limit: 5, after: 'a' }],
    ['POST', '/base/delete?tenant=7', { ...place, key: 'k' }],
    ['GET', '/base/ping?tenant=7', undefined],
  ]);
  expect(new Set(server.seen.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${TOKEN}`]));
});

it('reads 404 as an absent entry and an empty answer as a deletion', async () => {
  const { backend } = await over(json({ error: 'gone' }, 404), text('', 204), json({ key: 'k', deleted: false }));
  const deleted = async () => (await backend.write({ puts: [], deletes: ['k'] }, signal())).deleted;
  expect([await deleted(), await deleted(), await deleted()]).toEqual([[], ['k'], []]);
});

describe('an adapter', () => {
  it.each<[string, Answer]>([
    ['text', text('hello')],
    ['half of a JSON text', text('{"found":true,')],
    ['a list', json([])],
    ['nothing', text('')],
    ['no found', json({ key: 'k', value: 'v' })],
    ['a value that is no text', json({ found: true, key: 'k', value: { a: 1 } })],
    ['a value past the limit', json({ found: true, key: 'k', value: 'x'.repeat(256 * 1024 + 1) })],
    ['an unpaired surrogate', text('{"found":true,"value":"\\ud800"}')],
    ['JSON of a great depth', text('{"found":'.repeat(100_000))],
    ['a compressed answer', text('x', 200, { 'content-encoding': 'gzip' })],
    ['an answer without an end', flood('application/json')],
  ])('fails with malformed_response for an answer of %s', async (_, answer) => {
    const { backend } = await over(answer);
    const error = await failure(backend.get('k', signal()));
    expect(error).toMatchObject({ code: 'malformed_response', retryable: false });
    expect(error.message).toContain('the adapter of Memory "default/notes"');
  });

  it.each<[string, unknown]>([
    ['more entries than the limit', { entries: Array.from({ length: 6 }, (_, i) => ({ key: `p${i}`, value: 'v' })) }],
    ['no entries', { count: 0 }],
    ['an entry without a value', { entries: [{ key: 'k' }] }],
    ['an empty key', { entries: [{ key: '', value: 'v' }] }],
    ['a continue that is no text', { entries: [], continue: 7 }],
    ['a continue of a great length', { entries: [], continue: 'x'.repeat(1_000_000) }],
    ['a key with U+0000', { entries: [{ key: 'p\u0000', value: 'v' }] }],
    ['a key outside of the prefix', { entries: [{ key: 'other/chunk-0000', value: 'v' }] }],
  ])('fails with malformed_response for a list with %s', async (_, body) => {
    const { backend } = await over(json(body));
    expect(await failure(backend.list({ prefix: 'p', after: undefined, limit: 5 }, signal()))).toMatchObject({
      code: 'malformed_response',
    });
  });

  it.each<[string, unknown]>([
    ['a score that is no number', { results: [{ key: 'k', value: 'v', score: '1' }] }],
    ['no score', { results: [{ key: 'k', value: 'v' }] }],
    ['more results than were asked for', { results: Array.from({ length: 6 }, () => ({ key: 'k', value: 'v', score: 1 })) }],
    ['something else than results', { entries: [] }],
  ])('fails with malformed_response for a search with %s', async (_, body) => {
    const { backend } = await over(json(body));
    expect(await failure(backend.search({ query: 'q', vector: undefined, limit: 5 }, signal()))).toMatchObject({
      code: 'malformed_response',
    });
  });

  it('fails with malformed_response for a score that is not a finite number', async () => {
    for (const score of ['1e999', '-1e999', 'NaN', 'Infinity']) {
      const { backend } = await over(text(`{"results":[{"key":"k","value":"v","score":${score}}]}`));
      const found = backend.search({ query: 'q', vector: undefined, limit: 5 }, signal());
      expect(await failure(found)).toMatchObject({ code: 'malformed_response' });
    }
  });

  it('fails listing when it answers empty pages without an end', { timeout: 60_000 }, async () => {
    let page = 0;
    const { backend } = await over((response, request) => json({ entries: [], continue: `k${(page += 1)}` })(response, request));
    await expect(backend.write({ puts: [], deletes: [], replaces: 'k' }, AbortSignal.timeout(1_000))).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    expect(page).toBeGreaterThan(1);
  });

  it('ends with the signal of the call when it sends its answer drop by drop', async () => {
    const { backend } = await over((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const drops = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(drops));
    });
    await expect(backend.get('k', AbortSignal.timeout(200))).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('fails listing and erasure when it repeats a page', async () => {
    const { backend } = await over(json({ entries: [{ key: 'k', value: 'v' }], continue: 'k' }));
    expect(await failure(backend.write({ puts: [], deletes: [], replaces: 'k' }, signal()))).toMatchObject({ code: 'malformed_response' });
    expect(await failure(backend.erase(signal()))).toMatchObject({ code: 'malformed_response' });
  });

  it.each<[number, Partial<CallError>]>([
    [400, { code: 'invalid_input', retryable: false }],
    [401, { code: 'auth_invalid', retryable: false }],
    [403, { code: 'auth_forbidden', retryable: false }],
    [404, { code: 'execution_failed', retryable: false }],
    [429, { code: 'rate_limited', retryable: true, retryAfterMs: 2_000 }],
    [503, { code: 'execution_failed', retryable: true }],
    [507, { code: 'execution_failed', retryable: false, reason: 'backend_full' }],
  ])('fails with the error of status %i, without the token in its text', async (status, expected) => {
    const { backend } = await over(json({ error: `bad ${TOKEN}` }, status, { 'retry-after': '2' }));
    const error = await failure(backend.get('k', signal()));
    expect(error).toMatchObject(expected);
    expect(error.message).not.toContain(TOKEN);
  });

  it('gets the token masked in a value', async () => {
    const { backend } = await over(json({ found: true, key: 'k', value: `token ${TOKEN}` }));
    expect(await backend.get('k', signal())).toBe('token ***');
  });

  it('aborts a hanging call with the signal of the caller', async () => {
    const { backend } = await over(hang);
    await expect(backend.get('k', AbortSignal.timeout(100))).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('fails with a retryable error when it cuts the connection', async () => {
    const { backend } = await over(reset('{"found":'));
    expect(await failure(backend.get('k', signal()))).toMatchObject({ code: 'execution_failed', retryable: true });
  });

  it.each([
    ['inward, to an address that is always blocked', 'http://169.254.169.254/latest', 'egress_blocked'],
    ['to another origin', 'http://localhost:1/base/get', 'egress_blocked'],
    ['to a file', 'file:///etc/passwd', 'egress_blocked'],
  ])('is not followed %s', async (_, location, code) => {
    const { backend } = await over(redirect(location, 307));
    expect(await failure(backend.get('k', signal()))).toMatchObject({ code, retryable: false });
  });

  it('is called at a private address by the option of the operator alone', async () => {
    const { server } = await over(json({ found: false }));
    const strict = (endpoint: string) =>
      providerOf(false)
        .open(memoryTarget({ provider: 'http', endpoint }))
        .get('k', signal());
    expect(await failure(strict(server.url))).toMatchObject({
      code: 'egress_blocked',
      message: expect.stringContaining(permittedBy) as string,
    });
    expect(await failure(strict('http://user:pw@memory.example'))).toMatchObject({ code: 'egress_blocked' });
    expect(server.seen).toEqual([]);
  });
});
