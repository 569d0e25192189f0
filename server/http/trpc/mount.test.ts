// The console's surface over real HTTP and WebSockets: who gets in, how errors arrive, and that the live stream misses nothing.
import { EventEmitter, once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { ServiceError } from '@svc/shared/errors';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startHttpFixture, type HttpFixture, type HttpFixtureOptions } from '../../testing/http-fixture.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function setup(options: HttpFixtureOptions = {}): Promise<HttpFixture> {
  const server = await startHttpFixture(options);
  open.push(server);
  return server;
}

const withToken = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const query = (path: string, input?: unknown) =>
  `/trpc/${path}${input === undefined ? '' : `?input=${encodeURIComponent(JSON.stringify(input))}`}`;

interface Socket {
  readonly socket: WebSocket;
  /** Messages in order; awaits the next one. */
  next(): Promise<any>;
  send(message: unknown): void;
}

function connect(server: HttpFixture, headers: Record<string, string> = {}): Socket {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/trpc`, { headers: { origin: server.url, ...headers } });
  open.push({ close: () => socket.terminate() });
  // One that was refused is closed before it was open.
  socket.on('error', () => undefined);
  const queue: unknown[] = [];
  const waiting: ((message: unknown) => void)[] = [];
  socket.on('message', (data: Buffer) => {
    const text = data.toString();
    if (text === 'PING' || text === 'PONG') return;
    const message: unknown = JSON.parse(text);
    const taker = waiting.shift();
    if (taker) taker(message);
    else queue.push(message);
  });
  return {
    socket,
    next: () => (queue.length > 0 ? Promise.resolve(queue.shift()) : new Promise((resolve) => waiting.push(resolve))),
    send: (message) => socket.send(JSON.stringify(message)),
  };
}

const subscribe = (id: number, path: string, input: unknown) => ({ id, method: 'subscription', params: { path, input } });
const agent = (name: string) => ({ kind: 'Secret', metadata: { name }, spec: { stringData: { value: 'x' } } });

test('a batch answers each call, and one that fails carries the body that REST would answer with', async () => {
  const server = await setup();
  const input = encodeURIComponent(JSON.stringify({ 1: { kind: 'Secret', namespace: 'default', name: 'absent' } }));
  const { status, body, headers } = await server.send('GET', `/trpc/server.hello,resources.get?batch=1&input=${input}`);
  expect(status).toBe(207);
  expect(body[0].result.data.identity).toEqual({ method: 'none', name: 'anonymous', role: 'admin' });
  expect(body[1].error.data).toEqual({
    httpStatus: 404,
    requestId: headers['x-request-id'],
    error: (await server.send('GET', '/v1/secrets/absent')).body.error,
  });
  expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['cache-control']).toBe('no-store');
});

test.each([
  ['resources.list', { kind: 'Secret', limit: 0 }, 'limit'],
  ['resources.list', { kind: 'Secret', limit: 1, extra: 1 }, ''],
  ['resources.get', { kind: 'Secret', namespace: 'Not A Namespace', name: 'a' }, 'namespace'],
])('%s refuses %j, and says at which place', async (path, input, place) => {
  const server = await setup();
  const { status, body } = await server.send('GET', query(path, input));
  expect(status).toBe(400);
  expect(body.error.data.error.code).toBe('invalid');
  expect(body.error.data.error.details[0].path).toBe(place);
});

test('a write or a deletion that was decided on one object does not reach the next one of its name', async () => {
  const server = await setup();
  const key = { kind: 'Secret', namespace: 'default', name: 'again' };
  const call = async (path: string, body: unknown) =>
    (await server.send('POST', `/trpc/${path}`, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })).body;
  const make = async () => (await server.send('POST', '/v1/secrets', { body: agent('again') })).body.metadata.uid as string;
  const first = await make();
  expect((await call('resources.remove', { ...key, uid: first })).result.data.metadata.uid).toBe(first);
  const second = await make();
  for (const refused of [
    await call('resources.remove', { ...key, uid: first }),
    await call('resources.write', { ...key, uid: first, mode: 'patch', body: { metadata: { labels: { a: 'b' } } } }),
  ])
    expect(refused.error.data.error).toMatchObject({ code: 'conflict', details: [{ path: 'metadata.uid' }] });
  const written = await call('resources.write', { ...key, uid: second, mode: 'patch', body: { metadata: { labels: { a: 'b' } } } });
  expect(written.result.data.resource.metadata).toMatchObject({ uid: second, labels: { a: 'b' } });
});

test('documents that were tried do not overwrite what changed since', async () => {
  const server = await setup();
  const apply = async (body: unknown) =>
    (await server.send('POST', '/trpc/resources.applyAll', { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }))
      .body;
  const role = (description: string) => ({ kind: 'AgentRole', metadata: { name: 'r' }, spec: { description } });
  const input = { namespace: 'default', documents: [role('mine')] };
  await apply({ ...input, documents: [role('first')] });
  const tried = await apply({ ...input, dryRun: true });
  const { found } = tried.result.data[0];
  expect(found).toEqual({ uid: expect.any(String), resourceVersion: '1' });
  await apply({ ...input, documents: [role('theirs')] });
  const refused = await apply({ ...input, preconditions: [found] });
  expect(refused.error.data).toMatchObject({ httpStatus: 409, error: { code: 'conflict', details: [{ path: 'documents[0]' }] } });
  expect((await server.send('GET', '/v1/agent-roles/r')).body.spec.description).toBe('theirs');
  const uneven = await apply({ ...input, preconditions: [found, null] });
  expect(uneven.error.data.error).toMatchObject({ code: 'invalid', details: [{ path: 'preconditions' }] });
  const again = await apply({ ...input, preconditions: [{ ...found, resourceVersion: '2' }] });
  expect(again.result.data[0]).toMatchObject({ action: 'configured', resourceVersion: '3' });
});

test('an apply is undone as one: what it changed returns and what it made is deleted', async () => {
  const server = await setup();
  const apply = async (body: unknown) =>
    (await server.send('POST', '/trpc/resources.applyAll', { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }))
      .body;
  const role = (name: string, description: string) => ({ kind: 'AgentRole', metadata: { name }, spec: { description } });
  const key = { kind: 'AgentRole', namespace: 'default', name: 'made' };
  await apply({ namespace: 'default', documents: [role('kept', 'before')] });
  await apply({ namespace: 'default', documents: [role('kept', 'after'), role('made', 'new')] });
  const { uid } = (await server.send('GET', '/v1/agent-roles/made')).body.metadata;
  const undo = (resourceVersion: string) =>
    apply({ namespace: 'default', documents: [role('kept', 'before')], removals: [{ ...key, uid, resourceVersion }] });
  expect((await undo('7')).error.data.error).toMatchObject({ code: 'conflict' });
  expect((await server.send('GET', '/v1/agent-roles/kept')).body.spec.description).toBe('after');
  expect((await undo('1')).result.data).toMatchObject([
    { name: 'kept', action: 'configured' },
    { name: 'made', action: 'pruned' },
  ]);
  expect((await server.send('GET', '/v1/agent-roles/kept')).body.spec.description).toBe('before');
  expect((await server.send('GET', '/v1/agent-roles/made')).status).toBe(404);
  expect((await apply({ namespace: 'default', documents: [] })).error.data.error).toMatchObject({ details: [{ path: 'documents' }] });
});

test('a defect is logged and answered with its request id alone', async () => {
  const server = await setup({ runs: { explain: () => Promise.reject(new Error('the database password is hunter2')) } });
  const { status, text, body } = await server.send('GET', query('runs.explain', { namespace: 'default', name: 'x' }));
  expect(status).toBe(500);
  expect(text).not.toContain('hunter2');
  expect(body.error.data.error.message).toContain('request id');
  expect(server.logged.filter(({ level }) => level === 'error')).toHaveLength(1);
});

test('with auth on it takes a token, or the sign-in cookie from its own pages only', async () => {
  const server = await setup({ apiTokens: 'ana:secret-of-ana:writer' });
  const unauthorized = await server.send('GET', query('server.hello'));
  expect([unauthorized.status, unauthorized.headers['x-request-id']]).toEqual([401, expect.any(String)]);
  expect((await server.send('GET', query('server.hello'), withToken('wrong'))).body.error.data.error.code).toBe('unauthorized');
  const { headers } = await server.send('POST', '/v1/auth/login', { body: { token: 'secret-of-ana' } });
  const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
  const hello = await server.send('GET', query('server.hello'), { headers: { cookie } });
  expect(hello.body.result.data).toMatchObject({ identity: { method: 'session', name: 'ana', role: 'writer' }, position: '0' });
  const patch = { body: { theme: 'dark' }, headers: { cookie, 'content-type': 'application/json' } };
  expect((await server.send('POST', query('preferences.set'), patch)).status).toBe(403);
  const own = { ...patch, headers: { ...patch.headers, origin: server.url } };
  expect((await server.send('POST', query('preferences.set'), own)).body.result.data).toEqual({ theme: 'dark' });
});

test('tokens of role a2a get nothing, and the audit receives each refusal', async () => {
  const refused: [string, string, string | undefined][] = [];
  const onRefused: HttpFixtureOptions['onRefused'] = ({ code, path, identity }) => void refused.push([code, path, identity?.name]);
  const server = await setup({ apiTokens: 'bot:secret-of-bot:a2a:desk', onRefused });
  const { body } = await server.send('GET', query('server.hello'), withToken('secret-of-bot'));
  expect(body.error.data.error.code).toBe('forbidden');
  await server.send('GET', query('server.hello'));
  const { socket } = connect(server, { origin: 'https://evil.example' });
  await once(socket, 'unexpected-response');
  expect(refused).toEqual([
    ['forbidden', '/trpc/server.hello', 'bot'],
    ['unauthorized', '/trpc/server.hello', undefined],
    ['forbidden', '/trpc', undefined],
  ]);
});

test('the audit receives the reason of a refused call and the namespace of its input', async () => {
  const refused: unknown[] = [];
  const server = await setup({ apiTokens: 'bot:secret-of-bot:reader', onRefused: (access) => void refused.push(access) });
  const input = { kind: 'Agent', namespace: 'team-a', name: 'one' };
  await server.send('POST', query('resources.remove'), { body: input, ...withToken('secret-of-bot') });
  const reason = expect.stringContaining('needs role writer; you have role reader') as string;
  expect(refused).toMatchObject([{ path: '/trpc/resources.remove', namespace: 'team-a', reason }]);
});

test('the stream reports its start, sends every change after it, and resumes where it broke off', async () => {
  const server = await setup();
  const first = connect(server);
  await once(first.socket, 'open');
  first.send(subscribe(1, 'live.changes', {}));
  expect((await first.next()).result.type).toBe('started');
  const synced = (await first.next()).result;
  expect(synced.data.data).toEqual({ state: 'synced', items: [] });
  await server.send('POST', '/v1/secrets', { body: agent('one') });
  const { id, data } = (await first.next()).result.data;
  expect(data.items.map(({ type, kind, name }: any) => [type, kind, name])).toEqual([['created', 'Secret', 'one']]);
  expect(data.items[0].resource.spec).toEqual({ data: { value: '***' } });
  first.socket.terminate();

  await server.send('POST', '/v1/secrets', { body: agent('two') });
  await server.send('POST', '/v1/secrets', { body: agent('three') });
  const second = connect(server);
  await once(second.socket, 'open');
  second.send(subscribe(1, 'live.changes', { lastEventId: id }));
  const names: string[] = [];
  while (names.length < 2) {
    const { result } = await second.next();
    names.push(...(result.data?.data.items ?? []).map(({ name }: { name: string }) => name));
  }
  expect(names).toEqual(['two', 'three']);
});

test('a socket takes no changes, whose caller could have lost the right to them', async () => {
  const { socket, next, send } = connect(await setup());
  await once(socket, 'open');
  send({ id: 1, method: 'mutation', params: { path: 'tokens.create', input: { name: 'ci', role: 'reader' } } });
  const { error } = await next();
  expect(error.data.error).toMatchObject({ code: 'invalid', message: 'Changes go over HTTP, as POST requests to /trpc' });
});

test.each([
  ['another origin', { origin: 'https://evil.example' }, 403],
  ['no origin', { origin: '' }, 403],
])('an upgrade from %s is refused', async (_what, headers, status) => {
  const server = await setup();
  const { socket } = connect(server, headers);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  expect(response.statusCode).toBe(status);
});

test('sockets count against the caps of open streams, and give their place back', async () => {
  const server = await setup({ maxWatchesPerIp: 1 });
  const first = connect(server);
  await once(first.socket, 'open');
  const [, response] = (await once(connect(server).socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  expect(response.statusCode).toBe(429);
  first.socket.close();
  await once(first.socket, 'close');
  await expect
    .poll(async () => {
      const { socket } = connect(server);
      return Promise.race([once(socket, 'open').then(() => 'open'), once(socket, 'unexpected-response').then(() => 'refused')]);
    })
    .toBe('open');
});

test('a shutdown closes every socket with a message', async () => {
  const server = await setup();
  const { socket } = connect(server);
  await once(socket, 'open');
  const closed = once(socket, 'close');
  await server.close();
  expect(Number((await closed)[0])).toBe(1001);
});

test('a shutdown ends a connection once its call in flight has its answer', async () => {
  const steps = new EventEmitter();
  const metrics = async () => {
    steps.emit('called');
    await once(steps, 'release');
    throw new ServiceError('not_found', 'no run');
  };
  const server = await setup({ runs: { metrics } });
  const agent = new Agent({ keepAlive: true });
  open.push({ close: () => agent.destroy() });
  const called = once(steps, 'called');
  const answered = once(get(`${server.url}${query('runs.metrics', { namespace: 'default', name: 'a' })}`, { agent }), 'response');
  await called;
  // Longer than the test takes.
  const closed = server.front.close(600_000);
  steps.emit('release');
  const [response] = (await answered) as [IncomingMessage];
  response.resume();
  await closed;
  expect(response.statusCode).toBe(404);
});
