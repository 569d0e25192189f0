// Roles against the whole surface of a server: every route and every procedure of the console, by every role and without a token.
import { kinds } from '@svc/shared/kinds';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Role } from '../registry/registry.ts';
import { startTestServer, type TestServer } from '../testing/running-server.ts';
import type { Access } from './route.ts';
import { describeRoutes, SOCKET_PLACES } from './route-table.ts';
import { appRouter } from './trpc/router.ts';

const ROLES = ['a2a', 'reader', 'approver', 'writer', 'admin'] as const;
type Caller = (typeof ROLES)[number] | 'none';

const tokenOf = (caller: Caller) => `the-long-token-of-the-${caller}`;
const ENTRIES = ROLES.map((role) => `${role}:${tokenOf(role)}:${role}${role === 'a2a' ? ':default/sys' : ''}`);

/** Least role for each route, written down apart from the routes: a route that is opened wider, or added, fails here. */
const ROUTES: Readonly<Record<Access, readonly string[]>> = {
  a2a: ['POST /a2a', 'POST /v1/agent-systems/{name}/a2a', 'POST /v1/agents/{name}/a2a'],
  public: [
    ...['GET /healthz', 'GET /readyz', 'GET /docs', 'GET /v1/auth/config', 'GET /v1/auth/me'],
    ...['POST /v1/auth/setup', 'POST /v1/auth/login', 'POST /v1/auth/logout', 'POST /v1/tool-callbacks/{request_id}'],
    'POST /v1/webhook-deliveries/{endpoint_id}',
    ...['agent-card.json', 'agent.json'].flatMap((file) => [
      `GET /.well-known/${file}`,
      `GET /v1/agent-systems/{name}/.well-known/${file}`,
    ]),
    ...['GET /.well-known/jwks.json', 'GET /v1/a2a/agents'],
  ],
  reader: [
    'GET /v1/export',
    ...['GET /metrics', 'GET /openapi.json', 'GET /v1/capabilities', 'GET /v1/namespaces', 'GET /v1/events', 'GET /v1/events/watch'],
    ...['logs', 'messages', 'metrics', 'trace', 'explain', 'trace/stream'].map((record) => `GET /v1/tasks/{name}/${record}`),
    ...['GET /v1/agents/{name}/logs', 'POST /v1/authorize/check'],
    ...['POST /v1/auth/change-password', 'GET /v1/auth/sessions', 'DELETE /v1/auth/sessions/{id}'],
    ...['turns', 'events', 'stream', 'checkpoints'].map((record) => `GET /v1/sessions/{name}/${record}`),
    ...['', '/replay', '/diff'].map((record) => `GET /v1/sessions/{name}/checkpoints/{checkpoint_id}${record}`),
    ...['GET /v1/models', 'GET /v1/models/{model}', 'GET /v1/models/{model}/{name}'],
    ...['GET /v1/sealing-key/public', 'GET /v1/task-webhooks/{name}/deliveries', 'GET /v1/task-schedules/{name}/preview'],
    ...['GET /v1/experiments/{name}/results', 'POST /v1/experiment-estimates'],
    'GET /v1/task-schedules/{name}/backfill',
    ...['GET /v1/task-schedules/{name}/slots', 'GET /v1/memories/{name}/entries'],
    ...['GET /v1/decisions', 'GET /v1/decisions/head', 'GET /v1/decisions/key', 'GET /v1/decisions/{seq}'],
    ...kinds.flatMap(({ plural }) => ['', '/watch', '/{name}', '/{name}/status'].map((rest) => `GET /v1/${plural}${rest}`)),
    ...kinds
      .filter(({ keepsVersions }) => keepsVersions)
      .flatMap(({ plural }) => ['', '/{generation}'].map((rest) => `GET /v1/${plural}/{name}/versions${rest}`)),
  ],
  approver: [
    'PUT /v1/experiments/{name}/results/{run}/rating',
    ...['approve', 'deny'].map((decision) => `POST /v1/tool-approvals/{name}/${decision}`),
    ...['approve', 'deny', 'request-changes'].map((decision) => `POST /v1/task-approvals/{name}/${decision}`),
  ],
  writer: [
    ...['turns', 'pause', 'resume', 'cancel', 'complete'].map((action) => `POST /v1/sessions/{name}/${action}`),
    ...['rewind', 'fork'].map((action) => `POST /v1/sessions/{name}/checkpoints/{checkpoint_id}/${action}`),
    ...['POST /mcp', 'POST /v1/chat/completions', 'POST /v1/task-webhooks/{name}/deliveries/{delivery_id}/redeliver'],
    ...['GET /v1/agent-systems/{name}/bundle', 'POST /v1/bundles/review', 'POST /v1/bundles/import'],
    'POST /v1/experiments/{name}/cancel',
    ...['POST /v1/task-schedules/{name}/trigger', 'PUT /v1/memories/{name}/entries/{key}', 'DELETE /v1/memories/{name}/entries/{key}'],
    ...['POST /v1/memories/{name}/ingest', 'POST /v1/task-schedules/{name}/backfill'],
    'POST /v1/apply',
    ...['cancel', 'continue', 'retry'].map((action) => `POST /v1/tasks/{name}/${action}`),
    ...kinds.flatMap(({ plural }) => [
      `POST /v1/${plural}`,
      ...['PUT', 'PATCH', 'DELETE'].map((method) => `${method} /v1/${plural}/{name}`),
    ]),
  ],
  admin: [
    ...['POST /v1/tokens', 'GET /v1/tokens', 'DELETE /v1/tokens/{name}', 'POST /v1/auth/admin/reset-password'],
    ...['POST /v1/auth/users', 'GET /v1/auth/users', 'PATCH /v1/auth/users/{username}', 'DELETE /v1/auth/users/{username}'],
    ...kinds.map(({ plural }) => `PUT /v1/${plural}/{name}/status`),
  ],
};

/** Least role for each path that takes WebSockets. */
const SOCKETS = { '/trpc': 'reader', '/ws/terminal': 'admin' } as const;

const PROCEDURES: Readonly<Record<'reader' | 'approver' | 'writer' | 'admin', readonly string[]>> = {
  reader: [
    ...['hello', 'namespaces', 'capabilities', 'events', 'sealingKey'].map((name) => `server.${name}`),
    ...['list', 'get', 'counts', 'search', 'relations', 'referrers', 'versions', 'version'].map((name) => `resources.${name}`),
    ...[
      'trace',
      'messages',
      'logs',
      'agentLogs',
      'metrics',
      'explain',
      'held',
      'agentDefinition',
      'followTrace',
      'followText',
      'growth',
    ].map((name) => `runs.${name}`),
    ...[
      'approvals.request',
      'approvals.plan',
      'decisions.list',
      'decisions.get',
      'decisions.head',
      'decisions.key',
      'access.check',
      'access.whatIf',
      'access.toolProblem',
      'statistics.runs',
      'statistics.use',
      'runs.definitions',
    ],
    ...['sessions.turns', 'sessions.events', 'sessions.follow'],
    'memories.entries',
    'schedules.preview',
    'schedules.slots',
    'schedules.previewBackfill',
    ...['experiments.results', 'experiments.estimate'],
    ...['list', 'get', 'replay', 'diff'].map((name) => `checkpoints.${name}`),
    ...['signIns.list', 'signIns.end'],
    'webhooks.deliveries',
    ...['live.changes', 'live.held', 'live.events', 'preferences.get', 'preferences.set'],
  ],
  approver: ['approvals.decide', 'experiments.rate'],
  writer: [
    'resources.write',
    'resources.applyAll',
    'resources.remove',
    'runs.cancel',
    'runs.continue',
    'runs.retry',
    'sessions.submit',
    'sessions.control',
    'checkpoints.rewind',
    'checkpoints.fork',
    'webhooks.redeliver',
    'webhooks.test',
    'schedules.trigger',
    'schedules.backfill',
    'experiments.cancel',
    'models.ask',
    'agents.send',
    'memories.writeEntry',
    'memories.ingest',
    'memories.deleteEntry',
  ],
  admin: [
    ...['tokens.list', 'tokens.create', 'tokens.remove', 'users.list', 'users.create', 'users.setRole', 'users.remove'],
    ...['environmentKeys.list', 'environmentKeys.accept'],
    ...['terminals.list', 'terminals.ticket', 'terminals.close'],
  ],
};

/** A valid input of each procedure that refuses some role by itself: what is refused for its shape would say nothing of roles. */
const REF = { namespace: 'default', name: 'absent' };
const INPUTS: Readonly<Record<string, unknown>> = {
  'approvals.decide': { ...REF, kind: 'ToolApproval', decision: 'approved', uid: 'u' },
  'resources.write': { kind: 'Memory', namespace: 'default', mode: 'replace', name: 'absent', body: {} },
  'resources.applyAll': { namespace: 'default', documents: [{}] },
  'resources.remove': { ...REF, kind: 'Memory' },
  'runs.cancel': REF,
  'runs.continue': REF,
  'runs.retry': REF,
  'experiments.results': REF,
  'experiments.estimate': { namespace: 'default', spec: {} },
  'experiments.rate': { ...REF, run: 1, thumb: null, note: null, version: 0 },
  'experiments.cancel': REF,
  'schedules.slots': REF,
  'schedules.trigger': REF,
  'schedules.previewBackfill': { ...REF, from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
  'schedules.backfill': { ...REF, from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
  'memories.entries': REF,
  'memories.writeEntry': { ...REF, key: 'k', value: 'v' },
  'memories.ingest': { ...REF, source: 's', content: 'x' },
  'memories.deleteEntry': { ...REF, key: 'k' },
  'sessions.submit': { ...REF, content: 'x', idempotencyKey: 'k' },
  'sessions.control': { ...REF, control: 'pause' },
  'checkpoints.rewind': { ...REF, id: 'c1' },
  'checkpoints.fork': { ...REF, id: 'c1', fork: { name: 'x' } },
  'models.ask': { ...REF, message: 'hello' },
  'agents.send': { ...REF, text: 'hello', messageId: 'm1' },
  'webhooks.redeliver': { ...REF, id: '1' },
  'webhooks.test': { ...REF, body: '{}', eventId: 'e1' },
  'tokens.create': { name: 'x', role: 'nothing' },
  'tokens.remove': { name: 'absent' },
  'terminals.ticket': { namespace: 'default' },
  'terminals.close': { id: 'absent' },
  'environmentKeys.accept': { variable: 'OPENAI_API_KEY', namespace: 'default' },
  'signIns.end': { id: 'a'.repeat(64) },
  'users.list': {},
  'users.create': { username: 'ann', role: 'reader' },
  'users.setRole': { username: 'ann', role: 'reader' },
  'users.remove': { username: 'ann' },
};

const RANK: Readonly<Record<Caller, number>> = { none: -1, a2a: 0, reader: 1, approver: 2, writer: 3, admin: 4 };

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(['--embedded-worker', 'false', '--auth-mode', 'native'], { SVC_API_TOKENS: ENTRIES.join(',') });
});
afterAll(() => server.stop());

/** Status of the response; a stream is cut off after it. A rate-limited request is repeated. */
async function statusOf(caller: Caller, method: string, path: string, body?: unknown): Promise<number> {
  for (;;) {
    const end = new AbortController();
    const headers = {
      ...(caller !== 'none' && { authorization: `Bearer ${tokenOf(caller)}` }),
      ...(body !== undefined && { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }),
    };
    const init = { method, headers, signal: end.signal, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const { status, headers: said } = await fetch(`${server.url}${path}`, init);
    end.abort();
    if (status !== 429) return status;
    await new Promise((resolve) => setTimeout(resolve, Number(said.get('retry-after') ?? 1) * 1000));
  }
}

type Verdict = 'unknown' | 'refused' | 'let in';
const verdictOf = (status: number): Verdict => (status === 401 ? 'unknown' : status === 403 ? 'refused' : 'let in');
function expected(caller: Caller, least: Exclude<Access, 'public' | 'a2a'>): Verdict {
  if (caller === 'none') return 'unknown';
  return RANK[caller] < RANK[least] ? 'refused' : 'let in';
}
const CALLERS: readonly Caller[] = ['none', ...ROLES];
const LEAST = ['reader', 'approver', 'writer', 'admin'] as const;

describe('REST', () => {
  test('route table has exactly the routes whose least role is written down', () => {
    const written = Object.entries(ROUTES).flatMap(([access, routes]) => routes.map((route) => `${route}: ${access}`));
    expect(
      describeRoutes()
        .map(({ method, path, access }) => `${method} ${path}: ${access}`)
        .sort(),
    ).toEqual(written.sort());
  });

  test.each(LEAST)(
    'routes for %s take that role and higher ones and refuse the others',
    async (least) => {
      for (const route of ROUTES[least]) {
        const [method = '', template = ''] = route.split(' ');
        const path = template.replaceAll(/\{[^}]+\}/g, 'absent');
        for (const caller of CALLERS) {
          const status = await statusOf(caller, method, path, method === 'GET' || method === 'DELETE' ? undefined : {});
          expect(`${caller} ${route}: ${verdictOf(status)}`).toBe(`${caller} ${route}: ${expected(caller, least)}`);
        }
      }
    },
    240_000,
  );
});

describe('WebSockets', () => {
  function upgradeStatus(caller: Caller, path: string): Promise<number> {
    const headers = caller === 'none' ? {} : { authorization: `Bearer ${tokenOf(caller)}` };
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, { headers });
    return new Promise((resolve) => {
      socket.once('error', () => undefined);
      socket.once('unexpected-response', (_, answer) => resolve(answer.statusCode ?? 0));
      socket.once('open', () => resolve(101));
    }).finally(() => socket.terminate()) as Promise<number>;
  }

  test('table has exactly the paths whose least role is written down', () => {
    expect(Object.fromEntries(SOCKET_PLACES.map(({ path, access }) => [path, access]))).toEqual(SOCKETS);
  });

  test.each(Object.entries(SOCKETS))('path %s takes a %s and higher roles and refuses the others', async (path, least) => {
    for (const caller of CALLERS) expect([caller, verdictOf(await upgradeStatus(caller, path))]).toEqual([caller, expected(caller, least)]);
  });
});

describe('procedures of the console', () => {
  const procedures = Object.entries(
    appRouter._def.procedures as unknown as Readonly<Record<string, { readonly _def: { readonly type: string } }>>,
  );

  const subscriptions = procedures.flatMap(([path, { _def }]) => (_def.type === 'subscription' ? [path] : []));

  test.each(subscriptions)('subscription %s refuses the role a2a and takes a reader', async (path) => {
    const refusal = async (role: Role): Promise<unknown> => {
      const caller = { identity: { method: 'bearer', name: role, role }, requestId: 'r' } as const;
      const [family, name] = path.split('.') as ['live', 'changes'];
      const calls = {
        begin: () => Promise.resolve(() => undefined),
        page: <T>(read: (bytesMax: number) => Promise<T>) => read(0),
        waiting: <T>(work: () => Promise<T>) => work(),
      };
      const whileOpen = <T>(wait: (signal: AbortSignal) => Promise<T>) => wait(new AbortController().signal);
      return Promise.resolve(appRouter.createCaller({ services: {} as never, caller, calls, whileOpen })[family][name]({})).catch(
        (error: unknown) => error,
      );
    };
    expect(await refusal('a2a')).toMatchObject({ code: 'FORBIDDEN' });
    // A subscription without a WebSocket is refused for that once the role is judged.
    for (const role of ['reader', 'approver'] as const)
      expect(await refusal(role)).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('WebSocket') as string });
  });

  test('router has exactly the procedures that the matrix lists', () => {
    expect(procedures.map(([path]) => path).sort()).toEqual(Object.values(PROCEDURES).flat().sort());
  });

  test.each(LEAST)(
    'procedures for %s take that role and higher ones and refuse the others',
    async (least) => {
      for (const path of PROCEDURES[least]) {
        if (subscriptions.includes(path)) continue;
        const mutates = procedures.find(([name]) => name === path)?.[1]._def.type === 'mutation';
        const input = INPUTS[path] ?? {};
        const query = path === 'tokens.list' ? '' : `?input=${encodeURIComponent(JSON.stringify(input))}`;
        for (const caller of CALLERS) {
          const status = mutates
            ? await statusOf(caller, 'POST', `/trpc/${path}`, input)
            : await statusOf(caller, 'GET', `/trpc/${path}${query}`);
          expect(`${caller} ${path}: ${verdictOf(status)}`).toBe(`${caller} ${path}: ${expected(caller, least)}`);
        }
      }
    },
    120_000,
  );

  test('a sign-in with the token of an approver has that role', async () => {
    const headers = { 'content-type': 'application/json' };
    const signedIn = await fetch(`${server.url}/v1/auth/login`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ token: tokenOf('approver') }),
    });
    expect(signedIn.status).toBe(200);
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const me = await fetch(`${server.url}/v1/auth/me`, { headers: { cookie } });
    expect(await me.json()).toMatchObject({ authenticated: true, role: 'approver' });
    const own = { cookie, origin: server.url, 'content-type': 'application/json' };
    const write = await fetch(`${server.url}/v1/memories`, { method: 'POST', headers: own, body: '{}' });
    const decide = await fetch(`${server.url}/v1/tool-approvals/absent/approve`, { method: 'POST', headers: own });
    expect([write.status, decide.status]).toEqual([403, 404]);
  });
});
