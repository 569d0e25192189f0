// Memories with backends outside of the server: entries over REST, phases and recovery, embeddings over HTTP.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startEmbeddingsServer, type EmbeddingsServer } from '../testing/embeddings-server.ts';
import { startMemoryAdapter, type MemoryAdapter } from '../testing/memory-adapter.ts';
import { startPgvectorServer, type PgvectorServer } from '../testing/pgvector-server.ts';
import { startTestServer } from '../testing/running-server.ts';

// PGlite compiles for seconds, and much longer on a machine that has other work.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const WAIT_MS = 60_000;

let url = '';
let database: PgvectorServer;
let embeddings: EmbeddingsServer;
let stop: (() => Promise<void>) | undefined;
beforeAll(async () => {
  [database, embeddings] = await Promise.all([startPgvectorServer(), startEmbeddingsServer()]);
  ({ url, stop } = await startTestServer(['--embedded-worker', 'false', '--allow-private-tool-endpoints', 'true']));
  await create('secrets', 'embeddings', { data: { value: Buffer.from('sk-test-embeddings').toString('base64') } });
  await createModel('embed');
});
afterAll(async () => {
  await stop?.();
  await Promise.all([database.stop(), embeddings.close()]);
});

async function send(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }> {
  const init = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(`${url}${path}`, { method, ...init });
  return { status: answer.status, body: await answer.json() };
}

async function create(plural: string, name: string, spec: object): Promise<void> {
  const answer = await send('POST', `/v1/${plural}`, { metadata: { name }, spec });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
}
const createModel = (name: string, spec: object = {}) =>
  create('model-endpoints', name, {
    provider: 'gateway-a-compatible',
    base_url: `${embeddings.url}/v1`,
    default_model: 'embed-small',
    allowPrivate: true,
    auth: { secretRef: 'embeddings' },
    ...spec,
  });
const createMemory = (name: string, spec: object = {}) =>
  create('memories', name, { provider: 'pgvector', endpoint: database.endpoint, embedding_model: 'embed', ...spec });
const put = (memory: string, key: string, value: string) =>
  send('PUT', `/v1/memories/${memory}/entries/${encodeURIComponent(key)}`, { value });
const search = async (memory: string, query: string) =>
  (await send('GET', `/v1/memories/${memory}/entries?q=${encodeURIComponent(query)}`)).body;
const statusOf = async (name: string) => (await send('GET', `/v1/memories/${name}`)).body.status;
const phase = (name: string) => expect.poll(async () => (await statusOf(name)).phase, { timeout: WAIT_MS });

describe('a Memory of provider pgvector', () => {
  it('becomes Ready, and keeps, finds, lists and deletes entries', async () => {
    await createMemory('notes');
    await phase('notes').toBe('Ready');
    expect(await put('notes', 'tides', 'The Moon pulls the sea')).toEqual({ status: 200, body: { key: 'tides', created: true } });
    expect((await put('notes', 'tides', 'The Moon pulls the whole sea')).body).toEqual({ key: 'tides', created: false });
    await put('notes', 'shoes', 'Red running shoes');
    const found = await search('notes', 'moon and sea');
    expect(found).toMatchObject({ search: 'vector', entries: [{ key: 'tides', value: 'The Moon pulls the whole sea' }, { key: 'shoes' }] });
    expect(found.entries[0].score).toBeGreaterThan(found.entries[1].score);
    expect((await send('GET', '/v1/memories/notes/entries?limit=1')).body).toMatchObject({ count: 1, continue: 'shoes' });
    expect((await send('DELETE', '/v1/memories/notes/entries/shoes')).status).toBe(200);
    expect((await send('DELETE', '/v1/memories/notes/entries/shoes')).status).toBe(404);
  });

  it('calls the embedding model in its wire format, with the Secret of the ModelEndpoint', async () => {
    await put('notes', 'wire', 'checked');
    // The check of the Memory calls the model too, at its own times.
    const { headers, body, path } = embeddings.seen.find((request) => request.body.includes('checked')) ?? {};
    expect(path).toBe('/v1/embeddings');
    expect(headers?.authorization).toBe('Bearer sk-test-embeddings');
    expect(JSON.parse(body ?? '')).toMatchObject({ model: 'embed-small', input: ['checked'], encoding_format: 'float' });
  });

  it('is empty once it was deleted and created again', async () => {
    expect((await send('DELETE', '/v1/memories/notes')).status).toBe(200);
    await createMemory('notes');
    expect((await send('GET', '/v1/memories/notes/entries')).body).toEqual({ entries: [], count: 0 });
    await expect
      .poll(
        async () =>
          (await database.query(`SELECT 1 FROM pg_class WHERE relname LIKE 'svc_memory_default_notes%' AND relkind = 'r'`)).length,
        { timeout: WAIT_MS },
      )
      .toBe(1);
  });

  it('is in Error while its database is away, answers 503, and is Ready again by itself', async () => {
    await createMemory('away');
    await phase('away').toBe('Ready');
    await database.pause();
    const answer = await put('away', 'k', 'v');
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    await phase('away').toBe('Error');
    expect((await statusOf('away')).lastError).toMatch(/127\.0\.0\.1:\d+/);
    await database.resume();
    await phase('away').toBe('Ready');
    expect((await statusOf('away')).lastError).toBeUndefined();
    expect((await put('away', 'k', 'v')).status).toBe(200);
  });

  it('reports a changed length of vectors in its phase and in each call, with the remedy', async () => {
    await createMemory('longer');
    expect((await put('longer', 'k', 'v')).status).toBe(200);
    embeddings.dimensions = 32;
    await createModel('other');
    await createMemory('longer', { embedding_model: 'other' });
    const answer = await put('longer', 'k', 'v');
    expect(answer.status).toBe(503);
    expect(answer.body.error.message).toContain(
      'holds vectors of 64 dimensions, and the embedding model sent 32; set spec.embedding_model back',
    );
    await phase('longer').toBe('Error');
    expect((await statusOf('longer')).lastError).toContain('set spec.embedding_model back');
    embeddings.dimensions = 64;
    await createMemory('longer');
    await phase('longer').toBe('Ready');
  });

  it('is in Error after a call whose model has begun to send vectors of another length', async () => {
    await createMemory('turned');
    expect((await put('turned', 'k', 'v')).status).toBe(200);
    await createMemory('turned', { type: 'vector' });
    await expect.poll(async () => (await statusOf('turned')).observedGeneration, { timeout: WAIT_MS }).toBe(2);
    await phase('turned').toBe('Ready');
    embeddings.dimensions = 32;
    expect((await put('turned', 'k', 'v')).status).toBe(503);
    await phase('turned').toBe('Error');
    expect((await statusOf('turned')).lastError).toContain('holds vectors of 64 dimensions, and the embedding model sent 32');
    embeddings.dimensions = 64;
    expect((await put('turned', 'k', 'v')).status).toBe(200);
  });

  it('names what is wrong with its endpoint, its Secret or its model, and takes no password', async () => {
    const spec = { provider: 'pgvector', endpoint: 'postgres://u:hunter2@127.0.0.1/x', embedding_model: 'embed' };
    const refused = await send('POST', '/v1/memories', { metadata: { name: 'inline' }, spec });
    expect(refused).toMatchObject({ status: 400, body: { error: { details: [{ path: 'spec.endpoint' }] } } });
    expect(JSON.stringify(refused.body)).not.toContain('hunter2');
    await createMemory('inline', { endpoint: 'postgres://u@127.0.0.1/x?sslmode=strict' });
    await createMemory('secretless', { auth: { secretRef: 'absent' } });
    await phase('inline').toBe('Error');
    await phase('secretless').toBe('Error');
    expect((await statusOf('inline')).lastError).toContain('has an unknown sslmode');
    expect((await statusOf('secretless')).lastError).toContain('the Secret "absent" could not be resolved');
    await create('secrets', 'absent', { data: { value: Buffer.from('pw').toString('base64') } });
    await phase('secretless').toBe('Ready');
  });
});

describe('a Memory of provider http', () => {
  let adapter: MemoryAdapter;
  beforeAll(async () => {
    adapter = await startMemoryAdapter('adapter-token');
    await create('secrets', 'adapter', { data: { value: Buffer.from('adapter-token').toString('base64') } });
  });
  afterAll(() => adapter.stop());
  const createHttp = (name: string, spec: object = {}) =>
    create('memories', name, { provider: 'http', endpoint: adapter.endpoint, auth: { secretRef: 'adapter' }, ...spec });

  it('becomes Ready, and keeps, finds, lists and deletes entries', async () => {
    await createHttp('outside');
    await phase('outside').toBe('Ready');
    expect(await put('outside', 'tides', 'The Moon pulls the sea')).toEqual({ status: 200, body: { key: 'tides', created: true } });
    expect(await search('outside', 'Moon')).toEqual({
      entries: [{ key: 'tides', value: 'The Moon pulls the sea', score: 0.75 }],
      count: 1,
    });
    expect((await send('GET', '/v1/memories/outside/entries')).body).toMatchObject({ entries: [{ key: 'tides', score: 0 }], count: 1 });
    expect((await send('DELETE', '/v1/memories/outside/entries/tides')).status).toBe(200);
    expect((await send('DELETE', '/v1/memories/outside/entries/tides')).status).toBe(404);
  });

  it('is empty once it was deleted and created again', async () => {
    await put('outside', 'old', 'value');
    expect((await send('DELETE', '/v1/memories/outside')).status).toBe(200);
    await createHttp('outside');
    await expect
      .poll(async () => (await send('GET', '/v1/memories/outside/entries')).body, { timeout: WAIT_MS })
      .toEqual({ entries: [], count: 0 });
    expect(adapter.entries.size).toBe(0);
  });

  it('is in Error while its adapter is away or refuses the token, answers 503, and is Ready again by itself', async () => {
    adapter.away = true;
    expect(await put('outside', 'k', 'v')).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    await phase('outside').toBe('Error');
    expect((await statusOf('outside')).lastError).toContain('answered 503');
    adapter.away = false;
    await phase('outside').toBe('Ready');
    await create('secrets', 'adapter', { data: { value: Buffer.from('another-token').toString('base64') } });
    expect((await put('outside', 'k', 'v')).status).toBe(503);
    await phase('outside').toBe('Error');
    expect((await statusOf('outside')).lastError).toMatch(/answered 401$/);
  });
});

it('a Memory answers 503 while its embedding model fails, and works again afterwards', async () => {
  await create('memories', 'unembedded', { provider: 'embedded', embedding_model: 'embed' });
  embeddings.failsWith = 500;
  expect(await put('unembedded', 'k', 'v')).toMatchObject({ status: 503 });
  embeddings.failsWith = undefined;
  expect(await put('unembedded', 'k', 'v')).toMatchObject({ status: 200 });
});

it('entries that were written before there was an embedding model get their vectors', async () => {
  await create('memories', 'grown', { provider: 'embedded' });
  for (let i = 0; i < 70; i += 1) await put('grown', `k${i}`, i === 42 ? 'whales sing' : `value number ${i}`);
  await create('memories', 'grown', { provider: 'embedded', embedding_model: 'embed' });
  await expect.poll(async () => (await search('grown', 'whales sing')).entries[0]?.key, { timeout: WAIT_MS }).toBe('k42');
});
