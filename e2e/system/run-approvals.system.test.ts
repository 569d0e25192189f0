// Calls of unknown outcome, seen from outside: svcd is killed while high-risk tools run, starts again, and people report the outcome of
// each call.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hang, json } from '../../server/testing/loopback-server.ts';
import { entriesOf, historyOf, typesOf, untilTask } from '../../server/testing/run-records.ts';
import { chatOf, startRunWorld, type RunTask, type RunWorld } from '../../server/testing/run-world.ts';

interface Approval {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string; readonly annotations: object };
  readonly spec: Readonly<Record<string, string>>;
  readonly status: Readonly<Record<string, string>>;
}

const TASKS = ['done', 'not-done', 'again', 'denied', 'expired', 'deleted', 'cancelled', 'by-hand'] as const;
type TaskName = (typeof TASKS)[number];

let world: RunWorld;
const approvals = new Map<TaskName, string>();

beforeAll(async () => {
  world = await startRunWorld(['--allow-private-tool-endpoints']);
  for (const name of TASKS) {
    await world.tool(`pay-${name}`, [hang, json({ receipt: name })], {
      risk_level: 'high',
      operation_classes: ['write'],
      runtime: { isolation_mode: 'none' },
    });
    await world.model(`m-${name}`, [[`pay-${name}`, { sum: 3 }, 'c1']], 'the end');
    await world.system(name, { [`agent-${name}`]: { model_ref: `m-${name}`, tools: [`pay-${name}`] } });
    await world.put('Task', name, { system: name });
  }
  await Promise.all(TASKS.map((name) => world.called(`pay-${name}`, 1)));
  await world.restart('SIGKILL');
  for (const name of TASKS) {
    const task = await untilTask(world, name, ({ status }) => status.phase === 'WaitingApproval');
    approvals.set(name, (task.status['blockedOn'] as { name: string }).name);
  }
});
afterAll(() => world.close());

const pathOf = (name: TaskName, action = '') => `/v1/tool-approvals/${approvals.get(name)}${action}`;
const approvalOf = async (name: TaskName) => (await world.request('GET', pathOf(name))).body as Approval;
/** Last conversation that the model received. */
const lastToolResult = (name: TaskName): string => {
  const last = world.modelCalls(`m-${name}`).at(-1);
  return (last ? chatOf(last).messages.findLast(({ role }) => role === 'tool')?.content : undefined) ?? '';
};
const decide = (name: TaskName, action: 'approve' | 'deny', body: object) => world.request('POST', pathOf(name, `/${action}`), body);
const errorOf = (body: unknown) => (body as { error: { message: string } }).error.message;

test('a restart repeats no call; each call needs an approval, and explain names it', async () => {
  const { spec, status, metadata } = await approvalOf('done');
  expect(spec).toMatchObject({
    task_ref: 'done',
    tool: 'pay-done',
    agent: 'agent-done',
    operation_class: 'write',
    input: '{"sum":3}',
    ttl: '24h',
  });
  expect(status).toMatchObject({ phase: 'Pending' });
  expect(metadata.annotations).toMatchObject({ 'svc.dev/approval-reason': 'unknown_outcome' });
  const { body } = await world.request('GET', '/v1/tasks/done/explain');
  expect(body).toMatchObject({
    phase: 'WaitingApproval',
    reasons: [{ code: 'waiting_approval', until: status['expires_at'], object: { kind: 'ToolApproval', name: approvals.get('done') } }],
  });
  const listed = (await world.request('GET', '/v1/tool-approvals?fieldSelector=status.phase=Pending')).body as Approval[];
  expect(listed).toHaveLength(TASKS.length);
  const events = (await world.request('GET', '/v1/events?type=task.waiting_approval&limit=100')).body as { items: unknown[] };
  expect(events.items).toHaveLength(TASKS.length);
  for (const name of TASKS) expect(world.toolCalls(`pay-${name}`)).toHaveLength(1);
});

test('an approval without an outcome is refused with the choices; so is an edit of the sent input', async () => {
  const withoutOutcome = await decide('done', 'approve', {});
  expect([withoutOutcome.status, errorOf(withoutOutcome.body)]).toEqual([
    400,
    expect.stringMatching(/outcome is required.*done.*not_done.*run_again/),
  ]);
  const edited = await decide('done', 'approve', { outcome: 'run_again', input: { sum: 4 } });
  expect([edited.status, errorOf(edited.body)]).toEqual([400, expect.stringMatching(/input cannot be edited/)]);
  expect((await decide('done', 'approve', { outcome: 3 })).status).toBe(400);
  const misspelt = await decide('done', 'approve', { outcome: 'done', outptu: 'x' });
  expect([misspelt.status, errorOf(misspelt.body)]).toEqual([400, expect.stringMatching(/outptu is not a field.*outcome, output/)]);
  expect((await decide('done', 'deny', { outcome: 'done' })).status).toBe(400);
  expect((await world.request('POST', '/v1/tool-approvals/nope/approve', {})).status).toBe(404);
});

test('done: the model receives the answer of the tool, and the Task continues', async () => {
  const decided = await decide('done', 'approve', { outcome: 'done', output: { receipt: 'by mail' }, decided_by: 'ann', reason: 'seen' });
  expect(decided).toMatchObject({
    status: 200,
    body: { status: { phase: 'Approved', decision: 'approved', decided_by: 'ann', comment: 'seen' } },
  });
  const task = await world.ended('done');
  expect(task.status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'the end' } });
  expect(lastToolResult('done')).toBe('{"receipt":"by mail"}');
  expect(historyOf(task)).toEqual(expect.arrayContaining(['waiting_approval', 'resumed', 'succeeded']));
  expect(entriesOf(task, 'tool_approval_resolved')).toMatchObject([{ reviewer: 'ann', comment: 'seen', tool: 'pay-done' }]);
  expect(typesOf(task)).toContain('tool_approval_pending');
  expect((await decide('done', 'deny', {})).status).toBe(409);
  expect(world.toolCalls('pay-done')).toHaveLength(1);
});

test('not_done: the model receives an error', async () => {
  expect((await decide('not-done', 'approve', { outcome: 'not_done' })).status).toBe(200);
  expect((await world.ended('not-done')).status.phase).toBe('Succeeded');
  expect(lastToolResult('not-done')).toMatch(/not carried out/);
  expect(world.toolCalls('pay-not-done')).toHaveLength(1);
});

test('run_again: the same call with the same idempotency key', async () => {
  expect((await decide('again', 'approve', { outcome: 'run_again' })).status).toBe(200);
  expect((await world.ended('again')).status.phase).toBe('Succeeded');
  const keys = world.toolCalls('pay-again').map(({ headers, body }) => [headers['idempotency-key'], body]);
  expect(keys).toEqual([keys[0], keys[0]]);
  expect(lastToolResult('again')).toBe('{"receipt":"again"}');
});

const failed = async (name: TaskName): Promise<RunTask['status']> => (await world.ended(name)).status;

test('denied, expired or deleted: the Task ends as Failed with the reason, and no call is repeated', async () => {
  expect((await decide('denied', 'deny', { comment: 'fraud' })).status).toBe(200);
  expect(await failed('denied')).toMatchObject({ phase: 'Failed', reason: 'approval_denied', lastError: expect.stringContaining('fraud') });

  const { metadata, status } = await approvalOf('expired');
  const sooner = {
    metadata: { resourceVersion: metadata.resourceVersion },
    status: { ...status, expires_at: new Date(Date.now() + 200).toISOString() },
  };
  expect((await world.request('PUT', pathOf('expired', '/status'), sooner)).status).toBe(200);
  expect(await failed('expired')).toMatchObject({ phase: 'Failed', reason: 'approval_timeout' });
  expect((await approvalOf('expired')).status).toMatchObject({ phase: 'Expired' });
  expect((await decide('expired', 'approve', { outcome: 'done' })).status).toBe(409);

  expect((await world.request('DELETE', pathOf('deleted'))).status).toBe(200);
  expect(await failed('deleted')).toMatchObject({
    reason: 'approval_denied',
    lastError: expect.stringContaining('the approval was deleted'),
  });
  for (const name of ['denied', 'expired', 'deleted']) expect(world.toolCalls(`pay-${name}`)).toHaveLength(1);
});

test('cancelling the waiting Task ends it at once and closes its approval', async () => {
  expect(await world.request('POST', '/v1/tasks/cancelled/cancel')).toMatchObject({ status: 200, body: { status: { phase: 'Failed' } } });
  expect((await approvalOf('cancelled')).status).toMatchObject({ phase: 'Expired', lastError: expect.stringContaining('ended') });
});

test('a status decision by an administrator reaches the run at once', async () => {
  const { metadata, status } = await approvalOf('by-hand');
  const decided = { ...status, phase: 'Approved', decision: 'approved', outcome: 'not_done', decided_by: 'root' };
  const body = { metadata: { resourceVersion: metadata.resourceVersion }, status: decided };
  expect((await world.request('PUT', pathOf('by-hand', '/status'), body)).status).toBe(200);
  expect((await world.ended('by-hand')).status.phase).toBe('Succeeded');
});

test('a manual approval shows its expiry, and its decision affects no run', async () => {
  await world.put('ToolApproval', 'own', { task_ref: 'done', tool: 'pay-done', ttl: '10m' });
  const own = (await world.request('GET', '/v1/tool-approvals/own')).body as Approval & { metadata: { createdAt: string } };
  expect(own.metadata.resourceVersion).toBe('1');
  expect(Date.parse(own.status['expires_at'] ?? '') - Date.parse(own.metadata.createdAt)).toBe(600_000);
  expect(await world.request('POST', '/v1/tool-approvals/own/approve')).toMatchObject({
    status: 200,
    body: { status: { phase: 'Approved' } },
  });
});
