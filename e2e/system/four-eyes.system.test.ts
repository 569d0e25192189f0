// Decisions that require another person, over whole servers and both databases: refused deciders, and bypasses that a writer may try.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPostgres, withoutPostgres, type PostgresServer } from '../../server/testing/postgres-server.ts';
import { startTestServer, type TestServer } from '../../server/testing/running-server.ts';

const PEOPLE = {
  root: 'admin',
  boss: 'admin',
  ann: 'writer',
  bob: 'writer',
  eve: 'writer',
  carl: 'approver',
  dora: 'approver',
  rea: 'reader',
};
type Person = keyof typeof PEOPLE;
const tokenOf = (person: string) => `the-long-token-of-${person}`;
const env = {
  SVC_API_TOKENS: Object.entries(PEOPLE)
    .map(([name, role]) => `${name}:${tokenOf(name)}:${role}`)
    .join(','),
};

interface Answer {
  readonly status: number;
  readonly body: any;
}
type Send = (who: Person | undefined, method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

function sender(url: () => string): Send {
  return async (who, method, path, body, more = {}) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { ...(who && { authorization: `Bearer ${tokenOf(who)}` }), 'content-type': type, ...more };
    const response = await fetch(`${url()}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    return { status: response.status, body: await response.json() };
  };
}

/** Calls that could never run fail before an approval is requested. */
const REACHABLE = '--allow-private-tool-endpoints';
const ASK = { operation_rules: [{ operation_class: '*', verdict: 'approval_required' }] };
const REQUIRED = { ...ASK, approval: { require_other: true, reason: 'money' } };

/** A set of objects whose names begin with `p`: `p-sys` with an agent that calls the tool `p-pay` once. */
async function world(send: Send, p: string, { rule, by = 'bob', as = 'ann' }: { rule?: object; by?: Person; as?: Person } = {}) {
  const post = async (who: Person | undefined, plural: string, name: string, spec: object) => {
    const { status, body } = await send(who, 'POST', `/v1/${plural}`, { metadata: { name }, spec });
    if (status >= 300) throw new Error(JSON.stringify(body));
  };
  await post('root', 'tools', `${p}-pay`, { type: 'http', endpoint: 'http://127.0.0.1:1/', runtime: { retry: { max_attempts: 1 } } });
  const script = `- tool: ${p}-pay\n  input: { sum: 1 }\n- text: done\n`;
  await post('root', 'model-endpoints', `${p}-model`, { provider: 'mock', options: { script } });
  await post('root', 'agents', `${p}-agent`, { model_ref: `${p}-model`, tools: [`${p}-pay`] });
  await post('root', 'agent-systems', `${p}-sys`, { agents: [`${p}-agent`], graph: { [`${p}-agent`]: {} } });
  await post(by, 'tool-permissions', `${p}-pay`, rule ?? REQUIRED);
  await post(as, 'tasks', `${p}-job`, { system: `${p}-sys` });
  return approvalOf(send, `${p}-job`);
}

async function approvalOf(send: Send, task: string, plural = 'tool-approvals'): Promise<{ name: string; path: string; view: any }> {
  let view: any;
  const query = `fieldSelector=${encodeURIComponent(`spec.task_ref=${task},status.phase=Pending`)}`;
  await expect.poll(async () => (view = (await send('rea', 'GET', `/v1/${plural}?${query}`)).body[0])).toBeDefined();
  const name = view.metadata.name as string;
  return { name, path: `/v1/${plural}/${name}`, view };
}

const engines = [
  { name: 'SQLite', skip: false },
  { name: 'PostgreSQL with two servers', skip: withoutPostgres('four eyes over PostgreSQL') },
];

describe.each(engines.filter(({ skip }) => !skip))('over $name', ({ name: engine }) => {
  let postgres: PostgresServer | undefined;
  const servers: TestServer[] = [];
  const start = async (flags: readonly string[] = [], url?: string) => {
    const database =
      url === undefined ? [] : ['--database-url', url, '--embedded-worker', 'true', '--worker-id', `four-eyes-${servers.length}`];
    const server = await startTestServer([REACHABLE, ...database, ...flags], env);
    servers.push(server);
    return server.url;
  };
  let first = '';
  let second = '';
  beforeAll(async () => {
    if (engine === 'SQLite') return void (first = second = await start());
    postgres = await startPostgres();
    const url = await postgres.createDatabase();
    first = await start([], url);
    second = await start([], url);
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    await postgres?.remove();
  });
  const write = sender(() => first);
  /** Decisions go to another server than writes where there are two. */
  const decide = sender(() => second);
  const refused = { status: 403, body: { error: { code: 'forbidden', message: expect.stringContaining('another person') as string } } };

  test('refuses a decision by the creator of the Task or the last writer of the rule, and accepts one by another person', async () => {
    const { path, view } = await world(write, 'basic');
    expect(view.status).toMatchObject({ phase: 'Pending', needs_other: true });
    const shown = await decide('rea', 'GET', path);
    expect(shown.body.status.cannot_decide).toEqual([
      { name: 'ann', because: 'created Task default/basic-job' },
      { name: 'bob', because: 'last changed ToolPermission default/basic-pay' },
    ]);
    for (const word of ['approve', 'deny']) {
      expect(await decide('ann', 'POST', `${path}/${word}`)).toMatchObject(refused);
      expect(await decide('bob', 'POST', `${path}/${word}`)).toMatchObject(refused);
      expect(await decide('ann', 'POST', `${path}/${word}`, { decided_by: 'carl' })).toMatchObject(refused);
    }
    const { body } = await decide('ann', 'POST', `${path}/approve`);
    expect(body.error.message).toBe(
      `${path.includes('tool') ? 'ToolApproval' : ''} default/${view.metadata.name} needs the decision of another person: ann created Task default/basic-job; another person of role approver may decide, except bob`,
    );
    expect(await decide('rea', 'POST', `${path}/approve`)).toMatchObject({ status: 403 });
    expect(await decide('carl', 'POST', `${path}/approve`)).toMatchObject({ status: 200, body: { status: { decided_by: 'carl' } } });
  });

  test('accepts a decision by the creator where neither rule nor server requires another person', async () => {
    const { path, view } = await world(write, 'plain', { rule: ASK });
    expect(view.status.needs_other).toBeUndefined();
    expect(await decide('ann', 'POST', `${path}/approve`)).toMatchObject({ status: 200 });
  });

  test('writes of labels by another person do not hide the last writer of the rule', async () => {
    const { path } = await world(write, 'labels');
    await write('eve', 'PATCH', '/v1/tool-permissions/labels-pay', { metadata: { labels: { seen: 'yes' } } });
    expect(await decide('bob', 'POST', `${path}/approve`)).toMatchObject(refused);
    expect(await decide('eve', 'POST', `${path}/approve`)).toMatchObject({ status: 200 });
  });

  test('rules weakened after the request still bind, and bar their new writer too', async () => {
    const { path } = await world(write, 'weaker');
    await write('eve', 'PATCH', '/v1/tool-permissions/weaker-pay', { spec: { approval: { require_other: false } } });
    for (const who of ['ann', 'bob', 'eve'] as const) expect(await decide(who, 'POST', `${path}/approve`)).toMatchObject(refused);
    expect(await decide('carl', 'POST', `${path}/approve`)).toMatchObject({ status: 200 });
  });

  test('rules tightened after the request bind', async () => {
    const { path } = await world(write, 'tighter', { rule: ASK });
    await write('eve', 'PATCH', '/v1/tool-permissions/tighter-pay', { spec: { approval: { require_other: true } } });
    expect(await decide('ann', 'POST', `${path}/approve`)).toMatchObject(refused);
    expect(await decide('carl', 'POST', `${path}/approve`)).toMatchObject({ status: 200 });
  });

  test('rules created after the request bar its deciders in an approval of their own', async () => {
    const { path } = await world(write, 'later', { rule: ASK });
    const rule = { ...REQUIRED, tool_ref: 'later-pay' };
    await write('eve', 'POST', '/v1/tool-permissions', { metadata: { name: 'later-other' }, spec: rule });
    expect(await decide('ann', 'POST', `${path}/approve`)).toMatchObject({ status: 200 });
    const next = await approvalOf(write, 'later-job');
    for (const who of ['ann', 'bob', 'eve'] as const) expect(await decide(who, 'POST', `${next.path}/approve`)).toMatchObject(refused);
    expect(await decide('carl', 'POST', `${next.path}/approve`)).toMatchObject({ status: 200 });
  });

  test('rules deleted and created again still bar their writer at the time of the request', async () => {
    const { path } = await world(write, 'again');
    await write('eve', 'DELETE', '/v1/tool-permissions/again-pay');
    expect(await decide('bob', 'POST', `${path}/approve`)).toMatchObject(refused);
    await write('eve', 'POST', '/v1/tool-permissions', { metadata: { name: 'again-pay' }, spec: ASK });
    for (const who of ['ann', 'bob', 'eve'] as const) expect(await decide(who, 'POST', `${path}/approve`)).toMatchObject(refused);
    expect(await decide('carl', 'POST', `${path}/approve`)).toMatchObject({ status: 200 });
  });

  test('Tasks retried by another person bar their first creator too', async () => {
    await world(write, 'retry');
    await write('ann', 'POST', '/v1/tasks/retry-job/cancel');
    expect(await write('eve', 'POST', '/v1/tasks/retry-job/retry')).toMatchObject({ status: 201 });
    const { path } = await approvalOf(write, 'retry-job-retry-1');
    for (const who of ['ann', 'eve', 'bob'] as const) expect(await decide(who, 'POST', `${path}/approve`)).toMatchObject(refused);
    expect(await decide('dora', 'POST', `${path}/deny`)).toMatchObject({ status: 200 });
  });

  test('approvals of a run cannot be rewritten, and deleting one ends the run as denied', async () => {
    const { path, name, view } = await world(write, 'object');
    expect(await write('ann', 'PATCH', path, { spec: { task_ref: 'another' } })).toMatchObject({ status: 409 });
    expect(await write('ann', 'PATCH', path, { metadata: { annotations: { 'svc.dev/approval-rule': null } } })).toMatchObject({
      status: 409,
    });
    const marks = [
      { labels: { 'svc.dev/door': 'schedule' } },
      { labels: { 'svc.dev/task-uid': null } },
      { annotations: { 'svc.dev/origin': 'TaskSchedule default/nightly' } },
    ];
    for (const metadata of marks) expect(await write('ann', 'PATCH', path, { metadata })).toMatchObject({ status: 409 });
    expect(await write('ann', 'PATCH', path, { metadata: { labels: { seen: 'yes' } } })).toMatchObject({ status: 200 });
    expect(await write('ann', 'DELETE', path)).toMatchObject({ status: 200 });
    await write('ann', 'POST', '/v1/tool-approvals', { metadata: { name }, spec: view.spec });
    await decide('ann', 'POST', `${path}/approve`);
    const task = async () => (await write('rea', 'GET', '/v1/tasks/object-job')).body.status;
    await expect.poll(task).toMatchObject({ phase: 'Failed', reason: 'approval_denied' });
  });

  test('refuses a status written by an administrator who created the Task, and accepts one by another administrator', async () => {
    const { path } = await world(write, 'status', { as: 'boss' });
    const put = async (who: Person, phase: string) => {
      const { metadata } = (await write('rea', 'GET', path)).body;
      return write(who, 'PUT', `${path}/status`, { metadata, status: { phase, decision: phase.toLowerCase() } });
    };
    expect(await put('ann', 'Approved')).toMatchObject({ status: 403 });
    expect(await put('boss', 'Approved')).toMatchObject(refused);
    expect(await put('boss', 'Denied')).toMatchObject(refused);
    expect((await write('rea', 'GET', path)).body.status.phase).toBe('Pending');
    expect(await put('root', 'Approved')).toMatchObject({ status: 200, body: { status: { decided_by: 'root' } } });
  });

  test('authorization checks report that a decision requires another person', async () => {
    await world(write, 'ahead');
    const { body } = await decide('rea', 'POST', '/v1/authorize/check', { agent: 'ahead-agent', tool: 'ahead-pay' });
    expect(body).toMatchObject({ verdict: 'approval_required', approval: { needs_other: true } });
  });
});

describe('with --approvals-need-other', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer([REACHABLE, '--approvals-need-other'], env);
  });
  afterAll(() => server.stop());
  const send = sender(() => server.url);

  test('refuses a decision on a tool call by the creator of the Task, under every rule', async () => {
    const { path } = await world(send, 'wide', { rule: ASK });
    expect((await send('rea', 'GET', path)).body.status).toMatchObject({ needs_other: true });
    expect(await send('ann', 'POST', `${path}/approve`)).toMatchObject({ status: 403 });
    expect(await send('carl', 'POST', `${path}/approve`)).toMatchObject({ status: 200 });
  });

  test('refuses a decision on a review by the creator of the Task and by the last writer of its system', async () => {
    const spec = { agents: ['r-agent'], graph: { 'r-agent': {} }, completion_review: { checkpoint_id: 'final' } };
    const script = '- text: draft\n- text: better\n';
    await send('root', 'POST', '/v1/model-endpoints', { metadata: { name: 'r-model' }, spec: { provider: 'mock', options: { script } } });
    await send('root', 'POST', '/v1/agents', { metadata: { name: 'r-agent' }, spec: { model_ref: 'r-model' } });
    await send('bob', 'POST', '/v1/agent-systems', { metadata: { name: 'r-sys' }, spec });
    await send('ann', 'POST', '/v1/tasks', { metadata: { name: 'r-job' }, spec: { system: 'r-sys' } });
    const { path } = await approvalOf(send, 'r-job', 'task-approvals');
    for (const who of ['ann', 'bob'] as const)
      for (const word of ['approve', 'deny', 'request-changes'])
        expect(await send(who, 'POST', `${path}/${word}`, { comment: 'x' })).toMatchObject({ status: 403 });
    expect(await send('carl', 'POST', `${path}/request-changes`, { comment: 'again' })).toMatchObject({ status: 200 });
  });

  test('refuses a decision on a turn of a forked Session by the creators of the Sessions before it', async () => {
    const script = JSON.stringify([{ cases: [{ when: 'pay', tool: 'f-pay', input: { sum: 1 } }, { text: 'hello' }] }]);
    for (const [plural, name, spec] of [
      ['tools', 'f-pay', { type: 'http', endpoint: 'http://127.0.0.1:1/' }],
      ['tool-permissions', 'f-pay', ASK],
      ['model-endpoints', 'f-model', { provider: 'mock', options: { script } }],
      ['agents', 'f-agent', { model_ref: 'f-model', tools: ['f-pay'] }],
      ['agent-systems', 'f-sys', { agents: ['f-agent'] }],
    ] as const)
      expect(await send('bob', 'POST', `/v1/${plural}`, { metadata: { name }, spec })).toMatchObject({ status: 201 });
    await send('ann', 'POST', '/v1/sessions', { metadata: { name: 'f-one' }, spec: { system: 'f-sys' } });
    const say = async (who: Person, session: string, content: string) =>
      (await send(who, 'POST', `/v1/sessions/${session}/turns`, { content }, { 'idempotency-key': content })).body.turn.task_name as string;
    await say('boss', 'f-one', 'hello');
    const checkpoint = async (session: string) => (await send('rea', 'GET', `/v1/sessions/${session}/checkpoints`)).body.items[0];
    await expect.poll(() => checkpoint('f-one')).toBeDefined();
    for (const [who, from, name] of [
      ['eve', 'f-one', 'f-two'],
      ['root', 'f-two', 'f-three'],
    ] as const) {
      const path = `/v1/sessions/${from}/checkpoints/${(await checkpoint(from)).id}/fork`;
      expect(await send(who, 'POST', path, { name, resume: true })).toMatchObject({ status: 201 });
    }
    const { path } = await approvalOf(send, await say('boss', 'f-three', 'pay'));
    for (const who of ['ann', 'eve', 'root', 'boss'] as const)
      expect(await send(who, 'POST', `${path}/approve`)).toMatchObject({ status: 403 });
    expect(await send('carl', 'POST', `${path}/approve`)).toMatchObject({ status: 200 });
  });

  test('refuses a decision on a manual approval by its creator', async () => {
    await send('ann', 'POST', '/v1/tool-approvals', { metadata: { name: 'by-hand' }, spec: { task_ref: 't', tool: 'mail' } });
    expect(await send('ann', 'POST', '/v1/tool-approvals/by-hand/approve')).toMatchObject({ status: 403 });
    expect(await send('carl', 'POST', '/v1/tool-approvals/by-hand/approve')).toMatchObject({ status: 200 });
  });
});

test('without authentication refuses every such decision and explains the remedy', async () => {
  const server = await startTestServer(['--approvals-need-other']);
  const send = sender(() => server.url);
  await send(undefined, 'POST', '/v1/tool-approvals', { metadata: { name: 'a' }, spec: { task_ref: 't', tool: 'mail' } });
  const { status, body } = await send(undefined, 'POST', '/v1/tool-approvals/a/approve', { decided_by: 'carl' });
  expect(status).toBe(403);
  expect(body.error.message).toContain('turn authentication on');
  await server.stop();
});
