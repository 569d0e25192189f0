import { afterEach, describe, expect, test } from 'vitest';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { request } from 'undici';
import { connect } from 'node:net';
import { ServiceError } from '@svc/shared/errors';
import { startHttpFixture, type HttpFixture, type HttpFixtureOptions } from '../../testing/http-fixture.ts';

let http: HttpFixture;
const start = async (options: HttpFixtureOptions = {}) => (http = await startHttpFixture(options));
afterEach(() => http.close());

interface Reader {
  /** Events up to and including the first that `last` accepts. */
  until(last: (event: Event) => boolean): Promise<Event[]>;
  readonly comments: string[];
  readonly ended: Promise<void>;
  close(): void;
}
interface Event {
  id?: string;
  event: string;
  data: any;
}

async function open(
  path: string,
  headers: Record<string, string> = {},
): Promise<Reader & { status: number; headers: any; text: () => Promise<string> }> {
  const response = await request(`${http.url}${path}`, { headers, headersTimeout: 5_000, bodyTimeout: 0 });
  if (response.statusCode !== 200) {
    const text = await response.body.text();
    return { status: response.statusCode, headers: response.headers, text: async () => text } as never;
  }
  const queue: Event[] = [];
  const comments: string[] = [];
  let wake = () => {};
  const onEvent = ({ id, event, data }: EventSourceMessage) =>
    queue.push({ ...(id && { id }), event: event ?? 'message', data: JSON.parse(data) });
  const parser = createParser({ onEvent, onComment: (text) => comments.push(text) });
  response.body.on('data', (chunk: Buffer) => {
    parser.feed(chunk.toString());
    wake();
  });
  response.body.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => response.body.on('close', () => resolve()));
  void ended.then(() => wake());
  let over = false;
  void ended.then(() => (over = true));
  return {
    status: 200,
    headers: response.headers,
    text: async () => '',
    comments,
    ended,
    close: () => response.body.destroy(),
    async until(last) {
      const taken: Event[] = [];
      for (;;) {
        for (let next = queue.shift(); next; next = queue.shift()) {
          taken.push(next);
          if (last(next)) return taken;
        }
        if (over) throw new Error(`the stream ended after ${JSON.stringify(taken)}`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

const role = (name: string, description = 'd', labels = {}) => ({ kind: 'AgentRole', metadata: { name, labels }, spec: { description } });
const put = (name: string, description?: string, labels?: object) =>
  http.send('POST', '/v1/agent-roles', { body: role(name, description, labels) });
const isNamed = (name: string) => (event: Event) => event.data.name === name;
const isEvent = (name: string) => (event: Event) => event.event === name;

describe('a resource watch', () => {
  test('sends the existing objects, then a synced event, then live changes', async () => {
    await start();
    await put('a');
    const watch = await open('/v1/agent-roles/watch');
    expect(watch.headers['content-type']).toBe('text/event-stream');
    expect(watch.headers['cache-control']).toBe('no-store');
    const opening = await watch.until(isEvent('synced'));
    expect(opening).toEqual([
      {
        id: '1',
        event: 'resource',
        data: expect.objectContaining({
          type: 'created',
          kind: 'AgentRole',
          namespace: 'default',
          name: 'a',
          resourceVersion: '1',
          snapshot: true,
        }),
      },
      { id: '1', event: 'synced', data: { seq: 1 } },
    ]);
    expect(opening[0]?.data.resource.spec.description).toBe('d');
    await put('a', 'changed');
    await put('b');
    await http.send('DELETE', '/v1/agent-roles/a');
    const live = await watch.until((event) => event.data.type === 'deleted');
    expect(live.map(({ id, data }) => `${id} ${data.type} ${data.name} ${data.snapshot}`)).toEqual([
      '2 updated a undefined',
      '3 created b undefined',
      '4 deleted a undefined',
    ]);
    expect(live[2]?.data.resource.spec.description).toBe('changed');
    watch.close();
  });

  test('continues after the cursor of the header or the query, without loss or repetition', async () => {
    await start();
    for (const name of ['a', 'b', 'c']) await put(name);
    const byHeader = await open('/v1/agent-roles/watch?since=3', { 'last-event-id': '1' });
    expect((await byHeader.until(isNamed('c'))).map((event) => event.data.name)).toEqual(['b', 'c']);
    const byQuery = await open('/v1/agent-roles/watch?since=2');
    expect((await byQuery.until(isNamed('c'))).map((event) => event.data.name)).toEqual(['c']);
  });

  test('gives every item an id, and a client cut off in the snapshot misses nothing', async () => {
    await start();
    for (const name of ['a', 'b', 'c']) await put(name);
    const cut = await open('/v1/agent-roles/watch');
    const opening = await cut.until(isEvent('synced'));
    expect(opening.map(({ id, event }) => `${id} ${event}`)).toEqual(['0 resource', '0 resource', '3 resource', '3 synced']);
    const resumed = await open('/v1/agent-roles/watch', { 'last-event-id': opening[1]?.id ?? '' });
    expect((await resumed.until(isNamed('c'))).map((event) => event.data.name)).toEqual(['a', 'b', 'c']);
  });

  test('starts over with a resync event for a cursor from the future', async () => {
    await start();
    await put('a');
    const watch = await open('/v1/agent-roles/watch?since=99');
    expect((await watch.until(isEvent('synced'))).map((event) => event.event)).toEqual(['resync', 'resource', 'synced']);
  });

  test('filters by name, namespace and labels', async () => {
    await start();
    await put('a', 'd', { tier: 'gold' });
    await put('b');
    const gold = await open('/v1/agent-roles/watch?labelSelector=tier=gold');
    expect((await gold.until(isEvent('synced'))).map((event) => event.data.name)).toEqual(['a', undefined]);
    await put('a', 'd', {});
    expect((await gold.until(() => true))[0]?.data).toMatchObject({ type: 'deleted', name: 'a' });
    const named = await open('/v1/agent-roles/watch?name=b&namespace=*');
    expect((await named.until(isEvent('synced'))).map((event) => event.data.name)).toEqual(['b', undefined]);
    const elsewhere = await open('/v1/agent-roles/watch?namespace=elsewhere');
    expect(await elsewhere.until(isEvent('synced'))).toHaveLength(1);
  });

  test.each(['since=x', 'since=-1', 'namespace=UPPER', 'name=-x', 'labelSelector=(', 'since=1&since=2'])('refuses ?%s', async (query) => {
    await start();
    expect((await http.send('GET', `/v1/agent-roles/watch?${query}`)).status).toBe(400);
  });

  test('refuses a malformed Last-Event-ID', async () => {
    await start();
    expect((await http.send('GET', '/v1/agent-roles/watch', { headers: { 'last-event-id': '1x' } })).body.error.message).toContain(
      'Last-Event-ID',
    );
  });

  test('answers HEAD without opening a stream', async () => {
    await start();
    expect(await http.send('HEAD', '/v1/agent-roles/watch')).toMatchObject({ status: 200, text: '' });
  });
});

describe('the event log', () => {
  test('is listed and watched with durable ids', async () => {
    await start();
    const watch = await open('/v1/events/watch?kind=AgentRole');
    await put('a');
    await put('a', 'changed');
    const [created, updated] = await watch.until((event) => event.data.type === 'resource.updated');
    expect(created).toMatchObject({
      id: '1',
      event: 'event',
      data: { id: '1', type: 'resource.created', kind: 'AgentRole', namespace: 'default', name: 'a', action: 'created' },
    });
    const resumed = await open('/v1/events/watch', { 'last-event-id': '1' });
    expect((await resumed.until(() => true))[0]?.data).toEqual(updated?.data);
    expect((await http.send('GET', '/v1/events')).body).toEqual([created?.data, updated?.data]);
    const page = await http.send('GET', '/v1/events?limit=1');
    expect(page.body).toEqual({ items: [created?.data], continue: '1' });
    expect((await http.send('GET', '/v1/events?limit=1&after=1')).body.items).toEqual([updated?.data]);
    expect((await http.send('GET', '/v1/events?sort=-createdAt')).body[0]).toEqual(updated?.data);
    expect((await http.send('GET', '/v1/events?type=resource.updated&namespace=default&name=a&since=0')).body).toEqual([updated?.data]);
    expect((await http.send('GET', '/v1/events?namespace=nowhere')).body).toEqual([]);
    expect((await http.send('GET', '/v1/events?after=x')).status).toBe(400);
  });
});

describe('a stream', () => {
  test('sends keep-alive comments and ends after its time', async () => {
    await start({ limits: { streamKeepAliveMs: 20, streamDurationMs: 150 } });
    const watch = await open('/v1/agent-roles/watch');
    expect((await watch.until(isEvent('close'))).at(-1)).toEqual({ event: 'close', data: { reason: 'max_watch_duration_reached' } });
    await watch.ended;
    expect(watch.comments).toContain('keep-alive');
  });

  test('reports that the server is shutting down', async () => {
    await start();
    const watch = await open('/v1/agent-roles/watch');
    await watch.until(isEvent('synced'));
    const closing = http.front.close(2_000);
    expect((await watch.until(isEvent('close'))).at(-1)?.data).toEqual({ reason: 'server_shutting_down' });
    await closing;
  });

  test.each([
    ['warn', new ServiceError('unavailable', 'the database is away')],
    ['error', new Error('a defect')],
  ])('ends with its store, which is logged at the level of its error: %s', async (level, error) => {
    const empty = async function* (problem?: Error): AsyncGenerator<never> {
      yield* [];
      if (problem) throw problem;
    };
    await start({ runs: { followTrace: async () => empty(error), followText: async () => empty() } });
    const stream = await open('/v1/tasks/t/trace/stream');
    await stream.ended;
    expect(http.logged.filter(({ message }) => message === 'stream failed')).toMatchObject([{ level, fields: { err: error } }]);
  });

  test('ends what it has begun for a HEAD', async () => {
    const signals: AbortSignal[] = [];
    const follow = async (signal: AbortSignal) => {
      signals.push(signal);
      return (async function* () {})();
    };
    await start({
      runs: { followTrace: (_context, _task, { signal }) => follow(signal), followText: (_context, _task, signal) => follow(signal) },
    });
    expect(await http.send('HEAD', '/v1/tasks/t/trace/stream')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
    });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  test('is refused past the caps of the process and of the address, and makes room when it ends', async () => {
    await start({ maxWatches: 3, maxWatchesPerIp: 2, trustedProxies: ['127.0.0.1'] });
    const from = (address: string) => open('/v1/agent-roles/watch', { 'x-forwarded-for': address });
    const first = await from('10.0.0.1');
    await from('10.0.0.1');
    const third = await from('10.0.0.1');
    expect({ status: third.status, retry: Number(third.headers['retry-after']) > 0 }).toEqual({ status: 429, retry: true });
    await from('10.0.0.2');
    const fifth = await from('10.0.0.3');
    expect({ status: fifth.status, retry: Number(fifth.headers['retry-after']) > 0 }).toEqual({ status: 503, retry: true });
    first.close();
    await expect.poll(async () => (await from('10.0.0.3')).status).toBe(200);
  });

  test('is closed when its reader falls behind, and loses nothing when it resumes', { timeout: 30_000 }, async () => {
    await start({ limits: { streamBufferedMaxBytes: 65_536, streamSlowGraceMs: 100 } });
    const { hostname, port } = new URL(http.url);
    const socket = connect(Number(port), hostname);
    const received: string[] = [];
    socket.write(`GET /v1/agent-roles/watch HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    await new Promise((resolve) => socket.once('data', (chunk) => resolve(received.push(chunk.toString()))));
    socket.pause();
    const text = 'x'.repeat(200_000);
    for (let i = 0; i < 60; i++) await put(`big-${i}`, text);
    const ended = new Promise((resolve) => socket.once('close', resolve));
    // The reader returns only after its time was up.
    await expect.poll(async () => (await http.send('GET', '/metrics')).text).toContain('svc_http_open_streams{stream="watch"} 0');
    socket.on('data', (chunk) => received.push(chunk.toString()));
    socket.resume();
    await ended;
    const all = received.join('');
    const lastId = [...all.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? '0';
    expect(Number(lastId)).toBeLessThan(60);
    const resumed = await open('/v1/agent-roles/watch', { 'last-event-id': lastId });
    const rest = await resumed.until(isNamed('big-59'));
    expect(rest.map((event) => Number(event.id))).toEqual(Array.from({ length: 60 - Number(lastId) }, (_, i) => Number(lastId) + 1 + i));
  });

  test('ends when its token is revoked', async () => {
    await start({ apiKey: 'root', limits: { streamKeepAliveMs: 20 } });
    const root = { authorization: 'Bearer root' };
    const { body } = await http.send('POST', '/v1/tokens', { body: { name: 'watcher', role: 'reader' }, headers: root });
    const watch = await open('/v1/agent-roles/watch', { authorization: `Bearer ${body.token}` });
    await watch.until(isEvent('synced'));
    await http.send('DELETE', '/v1/tokens/watcher', { headers: root });
    expect((await watch.until(isEvent('close')))[0]?.data).toEqual({ reason: 'unauthorized' });
  });
});

describe('many watchers of one kind', () => {
  test('all see every change once, in order', { timeout: 20_000 }, async () => {
    await start();
    const watches = await Promise.all(Array.from({ length: 50 }, () => open('/v1/agent-roles/watch')));
    await Promise.all(watches.map((watch) => watch.until(isEvent('synced'))));
    await Promise.all(Array.from({ length: 40 }, (_, i) => put(`n${i}`)));
    await put('last');
    for (const watch of watches) {
      const ids = (await watch.until(isNamed('last'))).map((event) => Number(event.id));
      expect(ids).toEqual(Array.from({ length: 41 }, (_, i) => i + 1));
      watch.close();
    }
  });
});
