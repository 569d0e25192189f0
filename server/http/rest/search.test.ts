// Lists of Tasks by the words of their texts, and of any kind by a part of the name, over HTTP.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { createReferenceIndexer } from '../../registry/reference-indexer.ts';
import { startHttpFixture, type HttpFixture } from '../../testing/http-fixture.ts';

let http: HttpFixture;
const fail = (error: unknown) => {
  throw error;
};

interface Ended {
  readonly output?: string;
  readonly error?: string;
}

async function run(name: string, topic: string, { output, error }: Ended = {}, namespace = 'find'): Promise<void> {
  const body = { metadata: { name, labels: { odd: String(name.length % 2) } }, spec: { system: 's', input: { topic } } };
  const created = await http.send('POST', `/v1/tasks?namespace=${namespace}`, { body });
  expect(created.status).toBe(201);
  if (output === undefined && error === undefined) return;
  const status = {
    phase: error === undefined ? 'Succeeded' : 'Failed',
    completedAt: '2026-01-01T00:00:00.000Z',
    ...(output !== undefined && { output: { last_output: output } }),
    ...(error !== undefined && { lastError: error }),
  };
  const { metadata } = created.body;
  expect((await http.send('PUT', `/v1/tasks/${name}/status?namespace=${namespace}`, { body: { metadata, status } })).status).toBe(200);
}

beforeAll(async () => {
  http = await startHttpFixture();
  await createReferenceIndexer({ ...http, clock: systemClock, reportError: fail }).runOnce();
  await run('tides', 'Ebb and flood');
  await run('answered', 'ebb', { output: 'The flood of 1953, "as told" in Zeeland' });
  await run('broken', 'weather', { error: 'ECONNREFUSED flood-gate' });
  await run('elsewhere', 'flood', {}, 'other');
});
afterAll(() => http.close());

const find = async (query: string): Promise<string[]> => {
  const { status, body } = await http.send('GET', `/v1/tasks?namespace=find&${query}`);
  expect(status).toBe(200);
  return ((body.items ?? body) as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
};

describe('a search of Tasks', () => {
  test.each([
    ['flood', ['broken', 'answered', 'tides']],
    ['FLOOD%20ebb', ['answered', 'tides']],
    ['1953', ['answered']],
    ['zee', ['answered']],
    ['econnrefused', ['broken']],
    ['tides', ['tides']],
    ['zeeland%20flo', ['answered']],
    ['flo%20zeeland', []],
    ['flood%20NOT%20ebb', []],
    ['%22as%20told%22*', ['answered']],
    ['s', []],
  ])('for %s finds name, input, output and error, newest first', async (q, names) => expect(await find(`q=${q}`)).toEqual(names));

  test('narrows with selectors and namespaces', async () => {
    expect(await find('q=flood&fieldSelector=status.phase=Failed')).toEqual(['broken']);
    expect(await find('q=flood&labelSelector=odd=0')).toEqual(['broken', 'answered']);
    const { body } = await http.send('GET', '/v1/tasks?namespace=*&q=flood');
    expect(body.map((each: any) => each.metadata.name)).toEqual(['elsewhere', 'broken', 'answered', 'tides']);
  });

  test('pages with limit and continue', async () => {
    const first = await http.send('GET', '/v1/tasks?namespace=find&q=flood&limit=2');
    expect(first.body.items.map((each: any) => each.metadata.name)).toEqual(['broken', 'answered']);
    expect(first.headers['warning']).toBeUndefined();
    const after = encodeURIComponent(first.body.continue as string);
    const second = await http.send('GET', `/v1/tasks?namespace=find&q=flood&limit=2&after=${after}`);
    expect(second.body.items.map((each: any) => each.metadata.name)).toEqual(['tides']);
    expect(second.body.continue).toBeUndefined();
    expect((await http.send('GET', '/v1/tasks?namespace=find&q=flood&offset=2')).body).toHaveLength(1);
  });

  test('finds a new input at once, and a deleted run no more', async () => {
    await run('late', 'monsoon', {}, 'fresh');
    const list = async () => (await http.send('GET', '/v1/tasks?namespace=fresh&q=monsoon')).body.length as number;
    expect(await list()).toBe(1);
    await http.send('DELETE', '/v1/tasks/late?namespace=fresh');
    expect(await list()).toBe(0);
  });

  test('finds the current input, and no output after a retry', async () => {
    await run('changed', 'before', { output: 'result' }, 'changes');
    const found = async (q: string) => (await http.send('GET', `/v1/tasks?namespace=changes&q=${q}`)).body.length as number;
    expect([await found('before'), await found('result')]).toEqual([1, 1]);
    const { metadata } = (await http.send('GET', '/v1/tasks/changed?namespace=changes')).body;
    await http.send('PUT', '/v1/tasks/changed/status?namespace=changes', { body: { metadata, status: { phase: 'Pending' } } });
    expect([await found('before'), await found('result')]).toEqual([1, 0]);
  });

  test.each([
    ['/v1/tasks?q=', 'q must hold a letter or a digit'],
    ['/v1/tasks?q=%22*%22', 'q must hold a letter or a digit'],
    [`/v1/tasks?q=${'x'.repeat(257)}`, 'q must be at most 256 characters'],
    [`/v1/tasks?q=${Array.from({ length: 33 }, (_, i) => `w${i}`).join('+')}`, 'q must be at most 32 words'],
    ['/v1/tasks?q=a%00b', 'q must not hold control characters'],
    ['/v1/tasks?q=a&q=b', 'q is given more than once'],
    ['/v1/tasks?q=a&sort=cost', 'sort must be -createdAt or absent with q'],
    ['/v1/agents?q=a', 'q is not supported by this list'],
    ['/v1/tasks?q=a&after=find/tides', 'the cursor is of a list without q'],
    ['/v1/tasks?after=search:7', 'the cursor is of a search'],
    ['/v1/tasks?q=a&after=search:x', 'is not a valid cursor'],
  ])('refuses %s', async (path, message) => {
    const { status, body } = await http.send('GET', path);
    expect(status).toBe(400);
    const details = (body.error.details ?? []) as { path: string; message: string }[];
    expect([body.error.message, ...details.map((each) => `${each.path} ${each.message}`)].join('\n')).toContain(message);
  });

  test('accepts sort=-createdAt, its only order', async () => expect(await find('q=flood&sort=-createdAt&limit=1')).toEqual(['broken']));

  test('reads whole statuses on request', async () => {
    const { body } = await http.send('GET', '/v1/tasks?namespace=find&q=flood&view=full&limit=1');
    expect(body.items[0].status.phase).toBe('Failed');
  });

  test('reports that it may lack runs while the index is built', async () => {
    const other = await startHttpFixture();
    const { headers } = await other.send('GET', '/v1/tasks?q=flood');
    expect(headers['warning']).toContain('the index of stored runs is still being built');
    await other.close();
  });
});

describe('a list by a part of the name', () => {
  const names = (body: { metadata: { name: string } }[]) => body.map(({ metadata }) => metadata.name);

  test('finds it in any case, in any kind, sorted as asked', async () => {
    expect(await find('nameContains=KEN')).toEqual(['broken']);
    expect(await find('nameContains=E&sort=-name')).toEqual(['tides', 'broken', 'answered']);
    expect(await find('nameContains=e&labelSelector=odd=0&sort=createdAt')).toEqual(['answered', 'broken']);
    const spec = { provider: 'mock', default_model: 'm' };
    await http.send('POST', '/v1/model-endpoints?namespace=find', { body: { metadata: { name: 'invoice-cleanup' }, spec } });
    const { body } = await http.send('GET', '/v1/model-endpoints?namespace=*&nameContains=cleanup');
    expect(names(body)).toEqual(['invoice-cleanup']);
  });

  test('is read page by page', async () => {
    const first = await http.send('GET', '/v1/tasks?namespace=find&nameContains=e&limit=2');
    expect(names(first.body.items)).toEqual(['answered', 'broken']);
    const after = encodeURIComponent(first.body.continue as string);
    const second = await http.send('GET', `/v1/tasks?namespace=find&nameContains=e&limit=2&after=${after}`);
    expect(second.body).toMatchObject({ items: [{ metadata: { name: 'tides' } }] });
    expect(second.body.continue).toBeUndefined();
  });

  test.each([
    ['nameContains=', 'nameContains must have 1 to 253 characters'],
    [`nameContains=${'a'.repeat(254)}`, 'nameContains must'],
    ['nameContains=a&sort=duration', 'sort must be name or createdAt'],
    ['nameContains=a&q=flood', 'nameContains cannot be combined with q'],
  ])('%s is refused', async (query, message) => {
    const { status, body } = await http.send('GET', `/v1/tasks?namespace=find&${query}`);
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(message)]);
  });
});
