// The authorizer on the surfaces of a real server: denied requests are refused, denied objects are left out, and without an answer nothing is allowed.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { atFileEnd } from '../testing/file-end.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { startTestServer } from '../testing/running-server.ts';
import { sseMessages } from '../testing/sse-messages.ts';
import type { RunService } from '../engine/runs/run-service.ts';
import { outsideFirst } from '../store/outside-first.ts';
import { createAuthorizer, type AuthorizerAnswer, type AuthorizerQuestion } from './authorizer.ts';
import { guardRuns } from './guard.ts';

type Json = Readonly<Record<string, unknown>>;

let questions: AuthorizerQuestion[] = [];
let delayMs = 0;
let rule: (question: AuthorizerQuestion) => AuthorizerAnswer | 'silent' | 'broken' = () => ({ allow: true });

/** Denies objects whose name begins with "hidden". */
const hides = ({ name }: AuthorizerQuestion): AuthorizerAnswer =>
  name.startsWith('hidden') ? { allow: false, reason: 'not your team' } : { allow: true };

async function startAuthorizer(): Promise<string> {
  const server: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
    request.on('end', () => {
      const question = JSON.parse(text) as AuthorizerQuestion;
      questions.push(question);
      const answer = rule(question);
      if (answer === 'silent') return;
      setTimeout(() => {
        response.writeHead(answer === 'broken' ? 500 : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(answer));
      }, delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atFileEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/ask`;
}

let url = '';
beforeAll(async () => {
  const flags = ['--embedded-worker', 'false', '--authorizer-url', await startAuthorizer()];
  const server = await startTestServer(flags, {
    SVC_API_TOKENS: ['alice', 'bob'].map((name) => `${name}:${name}-token-0123456789:admin`).join(','),
  });
  atFileEnd(server.stop);
  ({ url } = server);
  for (const name of ['hidden-a', 'open-a']) expect(await send('POST', '/v1/agents', agent(name))).toMatchObject({ status: 201 });
});

const SIGN_IN = 'a'.repeat(64);

/** Another caller for each test: answers are kept for some seconds. */
let caller = 'alice';
let tests = 0;
beforeEach(async () => {
  rule = () => ({ allow: true });
  const name = `caller-${(tests += 1)}`;
  const { body } = await send('POST', '/v1/tokens', { name, role: 'admin' }, 'alice-token-0123456789');
  caller = String(body['token']);
  questions = [];
  rule = hides;
});

const agent = (name: string) => ({ kind: 'Agent', metadata: { name }, spec: { model_ref: 'm' } });

async function send(
  method: string,
  path: string,
  body?: unknown,
  token = caller === 'alice' ? 'alice-token-0123456789' : caller,
): Promise<{ status: number; body: Json }> {
  const headers = { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) };
  const answer = await fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return { status: answer.status, body: (await answer.json()) as Json };
}

const query = (procedure: string, input?: unknown) =>
  send('GET', `/trpc/${procedure}${input === undefined ? '' : `?input=${encodeURIComponent(JSON.stringify(input))}`}`);

const FORBIDDEN = { status: 403, body: { error: { code: 'forbidden', message: expect.stringContaining('not your team') as string } } };

describe('the authorizer', () => {
  it('receives identity, method, resource, namespace and name', async () => {
    expect(await send('GET', '/v1/agents/hidden-a')).toMatchObject(FORBIDDEN);
    expect(questions).toEqual([
      {
        identity: { name: `caller-${tests}`, role: 'admin', method: 'bearer' },
        method: 'GET',
        resource: 'agents',
        namespace: 'default',
        name: 'hidden-a',
      },
    ]);
  });

  it.each([
    ['POST', '/v1/agents', agent('hidden-b')],
    ['PUT', '/v1/agents/hidden-a', agent('hidden-a')],
    ['DELETE', '/v1/agents/hidden-a', undefined],
    ['PUT', '/v1/agents/hidden-a/status', { metadata: { name: 'hidden-a' }, status: {} }],
    ['POST', '/v1/apply', agent('hidden-b')],
    ['POST', '/v1/tasks/hidden/cancel', undefined],
    ['GET', '/v1/tasks/hidden/trace', undefined],
    ['GET', '/v1/tasks/hidden/explain', undefined],
    ['GET', '/v1/agents/hidden-a/logs', undefined],
    ['GET', '/v1/sessions/hidden/turns', undefined],
    ['POST', '/v1/sessions/hidden/pause', {}],
    ['POST', '/v1/tool-approvals/hidden/approve', {}],
    ['POST', '/v1/task-schedules/hidden/trigger', undefined],
    ['GET', '/v1/task-schedules/hidden/backfill?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z', undefined],
    ['POST', '/v1/task-schedules/hidden/backfill', { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }],
    ['GET', '/v1/task-webhooks/hidden/deliveries', undefined],
    ['GET', '/v1/memories/hidden/entries', undefined],
    ['GET', '/v1/memories/hidden/entries?q=words', undefined],
    ['PUT', '/v1/memories/hidden/entries/key', { value: 'v' }],
    ['DELETE', '/v1/memories/hidden/entries/key', undefined],
    ['POST', '/v1/tokens', { name: 'hidden', role: 'reader' }],
    ['DELETE', '/v1/tokens/hidden', undefined],
  ])('refuses %s %s', async (method, path, body) => {
    expect(await send(method, path, body)).toMatchObject(FORBIDDEN);
  });

  it.each([
    ['GET', '/v1/auth/users', undefined],
    ['POST', '/v1/auth/users', { username: 'eve', role: 'admin' }],
    ['PATCH', '/v1/auth/users/eve', { role: 'admin' }],
    ['DELETE', '/v1/auth/users/eve', undefined],
    ['POST', '/v1/auth/admin/reset-password', { username: 'eve' }],
    ['POST', '/v1/auth/change-password', { current_password: 'x', new_password: 'y' }],
    ['GET', '/v1/auth/sessions', undefined],
    ['DELETE', `/v1/auth/sessions/${SIGN_IN}`, undefined],
    ['GET', '/v1/capabilities', undefined],
    ['GET', '/v1/sealing-key/public', undefined],
    ['GET', '/trpc/users.list?input={}', undefined],
    ['POST', '/trpc/users.create', { username: 'eve', role: 'admin' }],
    ['POST', '/trpc/users.setRole', { username: 'eve', role: 'admin' }],
    ['POST', '/trpc/users.remove', { username: 'eve' }],
    ['GET', '/trpc/signIns.list?input={}', undefined],
    ['POST', '/trpc/signIns.end', { id: SIGN_IN }],
    ['GET', '/trpc/server.capabilities', undefined],
    ['GET', '/trpc/server.sealingKey', undefined],
  ])('refuses %s %s, of no namespace', async (method, path, body) => {
    rule = ({ resource }) => ({ allow: !['auth', 'capabilities', 'sealing-key'].includes(resource), reason: 'not your team' });
    expect(await send(method, path, body)).toMatchObject({ status: 403 });
    expect(questions).toHaveLength(1);
  });

  it('refuses a chat with a denied system', async () => {
    const body = { model: 'hidden-system', messages: [{ role: 'user', content: 'hello' }] };
    expect(await send('POST', '/v1/chat/completions', body)).toMatchObject({ status: 403 });
    expect(questions).toContainEqual(expect.objectContaining({ method: 'POST', resource: 'chat', name: 'hidden-system' }));
  });

  it('refuses an A2A call of a denied system', async () => {
    rule = () => ({ allow: true });
    const system = { kind: 'AgentSystem', metadata: { name: 'hidden-agent' }, spec: { agents: ['open-a'], a2a: { enabled: true } } };
    expect(await send('POST', '/v1/agent-systems', system)).toMatchObject({ status: 201 });
    rule = ({ resource }) => ({ allow: resource !== 'a2a', reason: 'not your team' });
    const call = { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: 't' } };
    const refused = { status: 403, body: { error: { message: expect.stringContaining('not your team') as string } } };
    expect(await send('POST', '/v1/agent-systems/hidden-agent/a2a', call)).toMatchObject(refused);
    expect(questions).toContainEqual(expect.objectContaining({ method: 'POST', resource: 'a2a', name: 'hidden-agent' }));
  });

  it('answers an MCP call of a denied system as one of an absent system', async () => {
    rule = () => ({ allow: true });
    const write = (name: string) => {
      const [metadata, spec] = [
        { name, namespace: 'hidden-team' },
        { agents: ['open-a'], mcp: { enabled: true } },
      ];
      return send('POST', '/v1/agent-systems?namespace=hidden-team', { kind: 'AgentSystem', metadata, spec });
    };
    expect(await write('there')).toMatchObject({ status: 201 });
    rule = ({ namespace }) => ({ allow: namespace !== 'hidden-team', reason: 'not your team' });
    const answerOf = async (name: string) => {
      const headers = { authorization: `Bearer ${caller}`, 'content-type': 'application/json' };
      const params = { name, arguments: { message: 'hello' } };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      return (await fetch(`${url}/mcp`, { method: 'POST', headers, body })).text();
    };
    const denied = await answerOf('hidden-team--there');
    expect(denied).toContain('not your team');
    expect(await answerOf('hidden-team--absent')).toBe(denied.replaceAll('there', 'absent'));
    expect(await answerOf('absent')).toContain('unknown tool absent');
  });

  it.each([
    ['decisions', '/v1/decisions'],
    ['sealing-key', '/v1/sealing-key/public'],
    ['tokens', '/v1/tokens'],
    ['namespaces', '/v1/namespaces'],
  ])('decides on %s as a whole', async (resource, path) => {
    rule = (question) => ({ allow: question.resource !== resource, reason: 'not your team' });
    expect(await send('GET', path)).toMatchObject(FORBIDDEN);
  });

  it('leaves denied objects out of lists and events', async () => {
    const { body } = await send('GET', '/v1/agents?limit=100');
    expect((body['items'] as { metadata: Json }[]).map(({ metadata }) => metadata['name'])).toEqual(['open-a']);
    const events = await send('GET', '/v1/events?kind=Agent&limit=100');
    expect((events.body['items'] as Json[]).map(({ name }) => name)).toEqual(['open-a']);
  });

  it('leaves denied runs out of searches, and reveals nothing about their number', async () => {
    const run = (name: string, topic: string) => ({ kind: 'Task', metadata: { name }, spec: { system: 's', input: { topic } } });
    for (const name of ['open-1', 'hidden-1', 'hidden-2']) await send('POST', '/v1/tasks', run(name, 'merger'), 'alice-token-0123456789');
    await send('POST', '/v1/tasks', run('hidden-3', 'takeover'), 'alice-token-0123456789');
    const { body } = await send('GET', '/v1/tasks?q=merger&limit=1');
    expect((body['items'] as { metadata: Json }[]).map(({ metadata }) => metadata['name'])).toEqual(['open-1']);
    expect((await send('GET', '/v1/tasks?q=takeover&limit=1')).body).toEqual({ items: [] });
    expect((await send('GET', '/v1/tasks?q=nowhere&limit=1')).body).toEqual({ items: [] });
  });

  it('exports objects that follow a page of denied ones', { timeout: 30_000 }, async () => {
    rule = () => ({ allow: true });
    const names = [...Array.from({ length: 501 }, (_each, n) => `hidden-${n}`), 'open-z'];
    const documents = names.map((name) => ({ ...agent(name), metadata: { name, namespace: 'crowd' } }));
    expect(await send('POST', '/v1/apply', documents, 'alice-token-0123456789')).toMatchObject({ status: 200 });
    rule = hides;
    const answer = await fetch(`${url}/v1/export?namespace=crowd`, { headers: { authorization: `Bearer ${caller}` } });
    const text = await answer.text();
    expect(text).toContain('name: open-z');
    expect(text).not.toContain('hidden-');
  });

  it('leaves denied objects out of watches', async () => {
    const names: unknown[] = [];
    for await (const { event, data } of sseMessages(`${url}/v1/agents/watch`, { authorization: `Bearer ${caller}` })) {
      if (event === 'synced') break;
      names.push((data as { name?: unknown }).name);
    }
    expect(names).toEqual(['open-a']);
  });

  it('requests permission for the Memory before each operation on its entries', async () => {
    await send('POST', '/v1/memories', { metadata: { name: 'open-notes' }, spec: {} });
    questions = [];
    await send('PUT', '/v1/memories/open-notes/entries/key', { value: 'v' });
    expect(await send('GET', '/v1/memories/open-notes/entries')).toMatchObject({ status: 200, body: { count: 1 } });
    await send('DELETE', '/v1/memories/open-notes/entries/key');
    const asked = { resource: 'memories', namespace: 'default', name: 'open-notes' };
    expect(questions).toMatchObject(['PUT', 'GET', 'DELETE'].map((method) => ({ ...asked, method })));
    expect(await query('memories.entries', { namespace: 'default', name: 'hidden' })).toMatchObject({ status: 403 });
  });

  it('is queried by the console too', async () => {
    expect(await query('resources.get', { kind: 'Agent', namespace: 'default', name: 'hidden-a' })).toMatchObject({ status: 403 });
    const list = await query('resources.list', { kind: 'Agent', namespace: 'default', limit: 10 });
    expect(JSON.stringify(list.body)).not.toContain('hidden-a');
    const found = await query('resources.search', { text: 'a', limit: 10 });
    expect(JSON.stringify(found.body)).not.toContain('hidden-a');
    rule = ({ resource }) => ({ allow: resource !== 'decisions' });
    expect(await query('decisions.head')).toMatchObject({ status: 403 });
  });

  it.each(['silent', 'broken'] as const)('allows nothing while it is %s', async (fault) => {
    rule = () => fault;
    expect(await send('GET', '/v1/agents/open-a')).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    rule = hides;
    expect(await send('GET', '/v1/agents/open-a')).toMatchObject({ status: 200 });
  });

  it('refuses a trial, a removal and numbers of a denied namespace', async () => {
    rule = ({ namespace }) => (namespace === 'secretive' ? { allow: false, reason: 'not your team' } : { allow: true });
    const spec = { provider: 'mock', auth: { secretRef: 'key' } };
    expect(await send('POST', '/trpc/models.ask', { namespace: 'secretive', name: 'm', spec, message: 'hello' })).toMatchObject({
      status: 403,
    });
    const removals = [{ kind: 'Agent', namespace: 'secretive', name: 'a', uid: 'u', resourceVersion: '1' }];
    expect(await send('POST', '/trpc/resources.applyAll', { namespace: 'default', documents: [], removals })).toMatchObject({
      status: 403,
    });
    const use = { of: { kind: 'Agent', namespace: 'secretive', name: 'a' }, days: 1 };
    expect((await query('statistics.use', use)).status).toBe(403);
    const draft = { namespace: 'default', spec: { system: 'secretive/s', cases: [], variants: [] } };
    expect(await send('POST', '/trpc/experiments.estimate', draft)).toMatchObject({ status: 403 });
  });

  it('judges each object that an apply prunes', async () => {
    rule = () => ({ allow: true });
    const labelled = (name: string, namespace: string) => ({ ...agent(name), metadata: { name, namespace, labels: { app: 'pruned' } } });
    for (const name of ['guarded', 'kept'])
      expect((await send('POST', '/v1/agents?namespace=team', labelled(name, 'team'))).status).toBe(201);
    rule = ({ method, name }) => (method === 'DELETE' && name === 'guarded' ? { allow: false, reason: 'not your team' } : { allow: true });
    const apply = () => send('POST', '/v1/apply?prune=true&labelSelector=app%3Dpruned', [labelled('kept', 'team')]);
    expect(await apply()).toMatchObject(FORBIDDEN);
    expect((await send('GET', '/v1/agents/guarded?namespace=team')).status).toBe(200);
  });

  it('ends a prune whose objects take longer to judge than answers are kept', { timeout: 30_000 }, async () => {
    rule = () => ({ allow: true });
    const labelled = (name: string) => ({ ...agent(name), metadata: { name, namespace: 'large', labels: { app: 'large' } } });
    const many = Array.from({ length: 130 }, (_, i) => labelled(`many-${i}`));
    expect(await send('POST', '/v1/apply', many)).toMatchObject({ status: 200 });
    questions = [];
    delayMs = 700;
    const pruned = send('POST', '/v1/apply?prune=true&labelSelector=app%3Dlarge', [labelled('kept')]).finally(() => (delayMs = 0));
    expect(((await pruned).body['results'] as unknown[]).length).toBe(131);
    expect(questions.filter(({ method, name }) => method === 'DELETE' && name.startsWith('many-'))).toHaveLength(130);
  });

  it('receives one question for equal requests within a few seconds', async () => {
    for (let n = 0; n < 3; n += 1) await send('GET', '/v1/agents/open-a');
    expect(questions).toHaveLength(1);
  });
});

describe('references to another namespace', () => {
  const ALICE = 'alice-token-0123456789';
  const SECRET = { auth: { secretRef: 'team-b/prod' } };
  const object = (kind: string, spec: Json, name = 'own') => ({ kind, metadata: { name }, spec });
  const tool = { endpoint: 'https://tools.example', ...SECRET };

  beforeAll(async () => {
    rule = () => ({ allow: true });
    const system = { kind: 'AgentSystem', metadata: { name: 'sys', namespace: 'team-b' }, spec: { agents: ['a'] } };
    const template = { kind: 'Task', metadata: { name: 'tpl', namespace: 'team-b' }, spec: { system: 'sys', mode: 'template' } };
    for (const document of [system, template, object('Tool', tool, 'stored'), object('Task', { system: 'team-b/sys' }, 'ended')])
      expect(await send('POST', '/v1/apply', document, ALICE)).toMatchObject({ status: 200 });
    expect(await send('POST', '/v1/tasks/ended/cancel', {}, ALICE)).toMatchObject({ status: 200 });
  });
  beforeEach(() => {
    rule = ({ namespace }) => (namespace === 'team-b' ? { allow: false, reason: 'not your team' } : { allow: true });
  });

  const refusedAt = (path: string) => ({
    status: 403,
    body: { error: { code: 'forbidden', details: [{ path, message: expect.stringContaining('not your team') as string }] } },
  });

  it.each([
    ['POST', '/v1/tools', object('Tool', tool), 'spec.auth.secretRef'],
    ['POST', '/v1/tools?dryRun=true', object('Tool', tool), 'spec.auth.secretRef'],
    [
      'PUT',
      '/v1/tools/stored',
      { ...object('Tool', tool, 'stored'), metadata: { name: 'stored', resourceVersion: '1' } },
      'spec.auth.secretRef',
    ],
    ['PATCH', '/v1/tools/stored', { spec: { endpoint: 'https://mine.example' } }, 'spec.auth.secretRef'],
    ['POST', '/v1/apply', object('Tool', tool), 'documents[0].spec.auth.secretRef'],
    ['POST', '/v1/agents', object('Agent', { model_ref: 'm', memory: { ref: 'team-b/notes' } }), 'spec.memory.ref'],
    ['POST', '/v1/tasks', object('Task', { system: 'team-b/sys' }), 'spec.system'],
    ['POST', '/v1/tasks/ended/retry', {}, 'spec.system'],
    [
      'POST',
      '/v1/tasks',
      object('Task', { system: 's', trial: { overrides: { model: { a: 'team-b/m' } } } }),
      'spec.trial.overrides.model.a',
    ],
    ['POST', '/v1/sessions', object('Session', { system: 'team-b/sys' }), 'spec.system'],
    ['POST', '/v1/task-schedules', object('TaskSchedule', { task_ref: 'team-b/tpl', schedule: '* * * * *' }), 'spec.task_ref'],
  ])('refuse %s %s by naming the field', async (method, path, body, field) => {
    expect(await send(method, path, body)).toMatchObject(refusedAt(field));
  });

  it('refuse a retry into that namespace, and let one into another through', async () => {
    const denied = await send('POST', '/v1/tasks/ended/retry', { to_namespace: 'team-b' });
    expect(denied).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
    rule = () => ({ allow: true });
    const body = { metadata: { namespace: 'team-c', annotations: { 'svc.dev/retry-of': 'default/ended' } } };
    expect(await send('POST', '/v1/tasks/ended/retry', { to_namespace: 'team-c' })).toMatchObject({ status: 201, body });
  });

  it('refuse a trial of a model with a Secret of that namespace', async () => {
    const spec = { provider: 'mock', ...SECRET };
    const trial = await send('POST', '/trpc/models.ask', { namespace: 'default', name: 'm', spec, message: 'hello' });
    expect(trial).toMatchObject({ status: 403, body: { error: { data: { error: { details: [{ path: 'spec.auth.secretRef' }] } } } } });
  });

  it('are allowed to a caller who may read their objects, with one question for each', async () => {
    rule = () => ({ allow: true });
    expect(await send('POST', '/v1/tools', object('Tool', tool, 'mine'))).toMatchObject({ status: 201 });
    expect(questions).toMatchObject([
      { method: 'POST', resource: 'tools', namespace: 'default' },
      { method: 'GET', resource: 'secrets', namespace: 'team-b', name: 'prod' },
    ]);
  });

  it('are refused when the definitions of a run are shown', async () => {
    const frozen = (namespace: string) => ({
      attempt: 1,
      system: { namespace, name: 'sys', generation: 1, graph: {} },
      ...{ agents: [], models: [], tools: [] },
    });
    const context = { identity: { method: 'bearer', name: 'w', role: 'writer' }, requestId: 'r' } as const;
    const shown = (namespace: string) => {
      const runs = { definitions: () => Promise.resolve(frozen(namespace)) } as unknown as RunService;
      const by = createAuthorizer((question) => Promise.resolve({ allow: question.namespace !== 'team-b' }), createManualClock());
      return guardRuns(runs, by).definitions(context, { namespace: 'team-a', name: 't' });
    };
    await expect(shown('team-b')).rejects.toMatchObject({ code: 'forbidden' });
    await expect(shown('team-a')).resolves.toMatchObject({ attempt: 1 });
  });
});

describe('answers of an authorizer', () => {
  const identity = { method: 'bearer', name: 'a', role: 'writer' } as const;
  const target = { method: 'GET', resource: 'agents', namespace: 'default', name: 'x' } as const;

  it.each([[{ allow: 'yes' }], [{}], [{ allow: 1 }]])('other than a plain yes deny: %j', async (answer) => {
    const authorizer = createAuthorizer(() => Promise.resolve(answer as unknown as AuthorizerAnswer), createManualClock());
    await expect(authorizer.require(identity, target)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('count as unavailable after a second, even for a function that ignores its signal', async () => {
    const authorizer = createAuthorizer(() => new Promise(() => undefined), createManualClock());
    await expect(authorizer.require(identity, target)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('count as unavailable where the function throws, and nothing is left to reject later', async () => {
    const authorizer = createAuthorizer(() => {
      throw new Error('no answer');
    }, createManualClock());
    await expect(authorizer.require(identity, target)).rejects.toMatchObject({ code: 'unavailable' });
    await new Promise((resolve) => setTimeout(resolve, 1_200));
  });

  it('refuse a request whose objects take longer than 30 s', async () => {
    const clock = createManualClock();
    const authorizer = createAuthorizer(() => {
      clock.advance(20);
      return Promise.resolve({ allow: true });
    }, clock);
    const judge = (count: number) => {
      const targets = Array.from({ length: count }, (_, i) => ({ ...target, name: `${count}-${i}` }));
      const operation = {};
      return outsideFirst(() => Promise.resolve().then(() => authorizer.denialNow(identity, targets, operation)));
    };
    expect(await judge(500)).toBeUndefined();
    await expect(judge(2_000)).rejects.toThrow(/answered for 15\d\d of 2000 objects of this request within 30 s; send less at once/);
  });

  it('are kept for five seconds', async () => {
    const clock = createManualClock();
    let allow = true;
    const authorizer = createAuthorizer(() => Promise.resolve({ allow }), clock);
    await authorizer.require(identity, target);
    allow = false;
    clock.advance(4_000);
    await authorizer.require(identity, target);
    clock.advance(1_500);
    await expect(authorizer.require(identity, target)).rejects.toMatchObject({ code: 'forbidden' });
  });
});
