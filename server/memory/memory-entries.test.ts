// Entries of Memories over the REST API of a real server, with the providers in-memory and embedded.
import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { atFileEnd } from '../testing/file-end.ts';
import { startTestServer } from '../testing/running-server.ts';
import { canMount, onSmallDisk } from '../testing/small-disk.ts';

type Json = Readonly<Record<string, unknown>>;

let url = '';
beforeAll(async () => {
  const server = await startTestServer(['--embedded-worker', 'false']);
  atFileEnd(server.stop);
  ({ url } = server);
});

async function send(method: string, path: string, body?: unknown, base = url): Promise<{ status: number; body: Json }> {
  const init = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(`${base}${path}`, { method, ...init });
  return { status: answer.status, body: (await answer.json()) as Json };
}

const create = (name: string, spec: object, base = url) => send('POST', '/v1/memories', { kind: 'Memory', metadata: { name }, spec }, base);
const put = (memory: string, key: string, value: unknown, base = url) =>
  send('PUT', `/v1/memories/${memory}/entries/${encodeURIComponent(key)}`, { value }, base);
const list = async (memory: string, query = '', base = url) =>
  (await send('GET', `/v1/memories/${memory}/entries${query}`, undefined, base)).body;

describe.each(['in-memory', 'embedded'])('entries of provider %s', (provider) => {
  beforeAll(async () => expect(await create(provider, { provider })).toMatchObject({ status: 201 }));

  it('are made of a document, which replaces an earlier one of its source', async () => {
    const ingest = (document: object) => send('POST', `/v1/memories/${provider}/ingest`, document);
    const [first, second] = ['doc.md/chunk-0000', 'doc.md/chunk-0001'];
    expect(await ingest({ source: 'doc.md', content: 'x'.repeat(1_500) })).toEqual({ status: 200, body: { keys: [first, second] } });
    expect((await ingest({ source: 'doc.md', content: 'short' })).body).toEqual({ keys: [first] });
    expect(await list(provider, '?prefix=doc.md/')).toMatchObject({ entries: [{ key: first, value: 'short' }] });
    const refused = [
      { source: 'doc.md' },
      { content: 'x' },
      { source: 'a', content: 1 },
      { source: 'a', content: 'x'.repeat(2 * 1024 * 1024 + 1) },
    ];
    for (const document of refused) expect((await ingest(document)).status).toBe(400);
    await send('DELETE', `/v1/memories/${provider}/entries/doc.md%2Fchunk-0000`);
  });

  it('are written, replaced, listed by the bytes of their keys, and deleted', async () => {
    expect(await put(provider, 'b/2', 'two')).toEqual({ status: 200, body: { key: 'b/2', created: true } });
    expect(await put(provider, 'b/2', 'second')).toEqual({ status: 200, body: { key: 'b/2', created: false } });
    for (const key of ['b/10', 'ä', '\u{1F600}', '\uFFFD', 'a']) await put(provider, key, `value of ${key}`);
    const page = await list(provider);
    expect((page['entries'] as Json[]).map(({ key }) => key)).toEqual(['a', 'b/10', 'b/2', 'ä', '\uFFFD', '\u{1F600}']);
    expect(page).toMatchObject({ count: 6 });
    expect(await list(provider, '?prefix=b%2F')).toEqual({
      entries: [
        { key: 'b/10', value: 'value of b/10', score: 0 },
        { key: 'b/2', value: 'second', score: 0 },
      ],
      count: 2,
    });
    expect(await send('DELETE', `/v1/memories/${provider}/entries/b%2F10`)).toEqual({ status: 200, body: { key: 'b/10' } });
    expect(await send('DELETE', `/v1/memories/${provider}/entries/b%2F10`)).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
  });

  it('are paged with after and continue', async () => {
    for (let i = 0; i < 5; i += 1) await put(provider, `page/${i}`, `${i}`);
    const first = await list(provider, '?prefix=page%2F&limit=2');
    expect(first).toMatchObject({ count: 2, continue: 'page/1' });
    const rest = await list(provider, '?prefix=page%2F&limit=10&after=page%2F1');
    expect((rest['entries'] as Json[]).map(({ value }) => value)).toEqual(['2', '3', '4']);
    expect(rest).not.toHaveProperty('continue');
  });

  it('are found by stems, prefixes and without accents, best first', async () => {
    await put(provider, 'tides', 'The tides are running high at noon');
    await put(provider, 'shoes', 'Red running shoes');
    await put(provider, 'city', 'Grüße aus Köln');
    const keys = async (q: string) => ((await list(provider, `?q=${encodeURIComponent(q)}`))['entries'] as Json[]).map(({ key }) => key);
    expect(await keys('tide run')).toEqual(['tides', 'shoes']);
    expect(await keys('koln')).toEqual(['city']);
    expect(await keys('what are the shoe')).toEqual(['shoes']);
    expect(await keys('"shoes" OR (')).toEqual(['shoes']);
    expect(await keys('???')).toEqual([]);
    const found = await list(provider, '?q=shoes&prefix=ignored');
    expect(found).toMatchObject({ count: 1, search: 'keyword' });
    const [{ score } = { score: 0 }] = found['entries'] as { score: number }[];
    expect(score).toBeGreaterThan(0);
    expect(score).toBeLessThanOrEqual(1);
  });

  it('keep every character of a value', async () => {
    const value = 'a\u0000b\r\n\u2028\u{1F600}\u202e"\\';
    await put(provider, 'odd', value);
    expect(((await list(provider, '?prefix=odd'))['entries'] as Json[])[0]).toMatchObject({ value });
  });

  it.each([
    ['an empty value', 'k', '', 200],
    ['a key of 512 bytes', 'ä'.repeat(256), 'v', 200],
    ['a key of 513 bytes', `${'ä'.repeat(256)}x`, 'v', 400],
    ['a key with U+0000', 'a\u0000', 'v', 400],
    ['a value of 256 KiB', 'big', 'x'.repeat(256 * 1024), 200],
    ['a value past 256 KiB', 'big', 'x'.repeat(256 * 1024 + 1), 400],
    ['a value that is no text', 'k', { a: 1 }, 400],
    ['an unpaired surrogate', 'k', 'a\ud800', 400],
  ])('with %s have the expected status', async (_what, key, value, status) => {
    expect((await put(provider, key, value)).status).toBe(status);
  });

  it('are refused with 413 for a body of 10 MB', async () => {
    expect((await put(provider, 'huge', 'x'.repeat(10 * 1024 * 1024))).status).toBe(413);
    expect(await list(provider, '?prefix=huge')).toMatchObject({ count: 0 });
  });

  it('are those of their namespace alone', async () => {
    const other = `/v1/memories/${provider}/entries`;
    await put(provider, 'own', 'of default');
    expect(await send('GET', `${other}?namespace=others`)).toMatchObject({ status: 404 });
    await send('POST', '/v1/memories?namespace=others', {
      kind: 'Memory',
      metadata: { name: provider, namespace: 'others' },
      spec: { provider },
    });
    expect((await send('GET', `${other}?namespace=others`)).body).toEqual({ entries: [], count: 0 });
    expect(await send('DELETE', `${other}/own?namespace=others`)).toMatchObject({ status: 404 });
    expect(await list(provider, '?prefix=own')).toMatchObject({ count: 1 });
  });

  it.each([
    ['%', 'percent'],
    ['_', 'underscore'],
    ['*', 'star'],
    ['"', 'quote'],
    ["' OR 1=1 --", 'SQL'],
  ])('with the prefix %s are those whose keys begin with it', async (prefix, word) => {
    await put(provider, `${prefix}${word}`, 'v');
    const found = (await list(provider, `?prefix=${encodeURIComponent(prefix)}`))['entries'] as Json[];
    expect(found.map(({ key }) => key)).toEqual([`${prefix}${word}`]);
  });

  it('are empty after the Memory is deleted and created again', async () => {
    expect(await send('DELETE', `/v1/memories/${provider}`)).toMatchObject({ status: 200 });
    expect(await send('GET', `/v1/memories/${provider}/entries`)).toMatchObject({ status: 404 });
    await create(provider, { provider });
    expect(await list(provider)).toEqual({ entries: [], count: 0 });
  });
});

describe.each(['in-memory', 'embedded'])('a Memory of provider %s', (provider) => {
  it.each([
    {
      missing: 'Secret',
      names: (name: string) => ({ auth: { secretRef: name } }),
      reports: (name: string) => `the Secret "${name}" could not be resolved`,
      plural: 'secrets',
      spec: { stringData: { value: 'pw' } },
    },
    {
      missing: 'ModelEndpoint',
      names: (name: string) => ({ embedding_model: name }),
      reports: (name: string) => `spec.embedding_model: ModelEndpoint "default/${name}" does not exist`,
      plural: 'model-endpoints',
      spec: { provider: 'mock' },
    },
  ])(
    'is in Error until the $missing that it names exists',
    async ({ missing, names, reports, plural, spec }) => {
      const name = `${provider}-${missing}`.toLowerCase();
      const status = async () => (await send('GET', `/v1/memories/${name}`)).body['status'];
      await create(name, { provider, ...names(name) });
      await expect.poll(status).toMatchObject({ phase: 'Error', lastError: expect.stringContaining(reports(name)) as string });
      expect((await send('POST', `/v1/${plural}`, { kind: missing, metadata: { name }, spec })).status).toBe(201);
      await expect.poll(status, { timeout: 20_000 }).toMatchObject({ phase: 'Ready' });
    },
    30_000,
  );
});

it.skipIf(!canMount)('entries on a full disk are refused with 503 until it has room again', async ({ skip }) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svcd-memory-'));
  atFileEnd(() => rm(dataDir, { recursive: true, force: true }));
  const path = join(dataDir, 'memories');
  await onSmallDisk({ path, size: '2m', skip }, async () => {
    const server = await startTestServer(['--embedded-worker', 'false', '--data-dir', dataDir]);
    await create('notes', { provider: 'embedded' }, server.url);
    await put('notes', 'k', 'v', server.url);
    expect(() => writeFileSync(join(path, 'filler'), Buffer.alloc(4_000_000))).toThrow('ENOSPC');
    const refused = { status: 503, body: { error: { message: expect.stringContaining('the disk that holds it is full') as string } } };
    expect(await put('notes', 'big', 'x'.repeat(200_000), server.url)).toMatchObject(refused);
    expect(await send('DELETE', '/v1/memories/notes/entries/k', undefined, server.url)).toMatchObject(refused);
    expect(await list('notes', '', server.url)).toMatchObject({ count: 1 });
    rmSync(join(path, 'filler'));
    expect(await send('DELETE', '/v1/memories/notes/entries/k', undefined, server.url)).toMatchObject({ status: 200 });
    await server.stop();
  });
});

describe('the entries endpoint', () => {
  it('answers 404 for a Memory that does not exist', async () => {
    expect(await send('GET', '/v1/memories/absent/entries')).toMatchObject({ status: 404 });
    expect(await put('absent', 'k', 'v')).toMatchObject({ status: 404 });
  });

  it('answers an empty list for a provider that the server does not have', async () => {
    await create('hosted', { provider: 'acme' });
    expect(await list('hosted')).toEqual({ entries: [], count: 0 });
    expect(await put('hosted', 'k', 'v')).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('acme') as string } },
    });
  });

  it('answers the entries of provider embedded after a restart', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svcd-memory-'));
    atFileEnd(() => rm(dataDir, { recursive: true, force: true }));
    const flags = ['--embedded-worker', 'false', '--data-dir', dataDir];
    const first = await startTestServer(flags);
    await create('kept', { provider: 'embedded' }, first.url);
    await put('kept', 'k', 'still here', first.url);
    await first.stop();
    const second = await startTestServer(flags);
    expect(await list('kept', '?q=here', second.url)).toMatchObject({ entries: [{ key: 'k', value: 'still here' }] });
    await second.stop();
  });
});
