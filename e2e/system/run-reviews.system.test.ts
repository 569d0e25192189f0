// Approvals, seen from outside: a svcd of its own, calls held by a rule, outputs under review, decisions over REST and their signed
// records.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../server/testing/loopback-server.ts';
import { entriesOf, historyOf, untilTask } from '../../server/testing/run-records.ts';
import { chatOf, startRunWorld, type RunTask, type RunWorld } from '../../server/testing/run-world.ts';

interface Approval {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
}

let world: RunWorld;
beforeAll(async () => {
  world = await startRunWorld(['--allow-private-tool-endpoints']);
});
afterAll(() => world.close());

const plurals: Readonly<Record<string, string>> = { ToolApproval: 'tool-approvals', TaskApproval: 'task-approvals' };
const pathOf = ({ kind, metadata }: Approval, action = '') => `/v1/${plurals[kind]}/${metadata.name}${action}`;
const decide = (approval: Approval, action: string, body: object = {}) => world.request('POST', pathOf(approval, `/${action}`), body);
const errorOf = ({ status, body }: { status: number; body: unknown }) => [status, (body as { error: { message: string } }).error.message];
const taskApprovals = async (task: string) =>
  (await world.request('GET', `/v1/task-approvals?fieldSelector=spec.task_ref=${task}`)).body as Approval[];

/** The approval that the Task waits for, other than `before`. */
async function pendingApproval(task: string, before?: Approval): Promise<Approval> {
  const nameOf = ({ status }: RunTask) => (status['blockedOn'] as { kind: string; name: string } | undefined)?.name;
  const isPending = (found: RunTask) => found.status.phase === 'WaitingApproval' && nameOf(found) !== before?.metadata.name;
  const { status } = await untilTask(world, task, isPending);
  const { kind, name } = status['blockedOn'] as { kind: string; name: string };
  return (await world.request('GET', `/v1/${plurals[kind]}/${name}`)).body as Approval;
}

describe('a call held for approval by a rule', () => {
  const schema = { type: 'object', properties: { sum: { type: 'number', maximum: 10 } }, required: ['sum'] };
  async function held(name: string, approval: object = {}): Promise<Approval> {
    await world.tool(name, [json({ receipt: name })], { operation_classes: ['read', 'write'], input_schema: schema });
    const operation_rules = [{ operation_class: 'read' }, { operation_class: 'write', verdict: 'approval_required' }];
    await world.put('ToolPermission', name, { tool_ref: name, operation_rules, ...approval });
    await world.model(`m-${name}`, [[name, { sum: 3 }, 'c1']], 'the end');
    await world.system(name, { [`agent-${name}`]: { model_ref: `m-${name}`, tools: [name] } });
    await world.put('Task', name, { system: name });
    return pendingApproval(name);
  }

  test('is shown exactly, with the rule; approved, it runs once, and its record is signed', async () => {
    const approval = await held('pay', { approval: { ttl: '5m', reason: 'money leaves the house' } });
    expect(approval.spec).toMatchObject({
      tool: 'pay',
      operation_class: 'write',
      input: '{"sum":3}',
      ttl: '5m',
      reason: 'money leaves the house',
    });
    expect(approval.metadata.annotations['svc.dev/approval-rule']).toBe('ToolPermission default/pay spec.operation_rules[1]');
    expect(world.toolCalls('pay')).toHaveLength(0);
    const { body } = await world.request('GET', '/v1/tasks/pay/explain');
    expect(body).toMatchObject({ reasons: [{ code: 'waiting_approval', object: { kind: 'ToolApproval', name: approval.metadata.name } }] });
    const decided = await decide(approval, 'approve', { decided_by: 'ann', comment: 'fine' });
    expect(decided).toMatchObject({
      status: 200,
      body: { status: { phase: 'Approved', decided_by: 'ann', decision_record: expect.any(Number) as number } },
    });
    const task = await world.ended('pay');
    expect(task.status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'the end' } });
    expect(world.toolCalls('pay')).toHaveLength(1);
    expect(historyOf(task)).toEqual(['claim', 'running', 'waiting_approval', 'claim', 'resumed', 'succeeded']);
    expect(entriesOf(task, 'tool_approval_pending')).toMatchObject([
      { rule: { kind: 'ToolPermission', name: 'pay', path: 'spec.operation_rules[1]' } },
    ]);
    const seq = (decided.body as { status: { decision_record: number } }).status.decision_record;
    const { items } = (await world.request('GET', `/v1/decisions?after=${seq - 1}&limit=1`)).body as { items: object[] };
    expect(items).toMatchObject([
      {
        seq,
        type: 'tool',
        decision: 'approved',
        proposed_input: { sum: 3 },
        decider: { name: 'ann' },
        signature: expect.any(String) as string,
      },
    ]);
    expect(errorOf(await decide(approval, 'approve'))).toEqual([409, expect.stringMatching(/is Approved by ann; it is decided once/)]);
  });

  test('runs with the edited input, within the schema of the tool', async () => {
    const approval = await held('edit');
    const refused = await decide(approval, 'approve', { input: { sum: 11 } });
    expect(refused).toMatchObject({ status: 400, body: { error: { details: [{ path: 'input.sum', message: 'must be <= 10' }] } } });
    expect((await decide(approval, 'approve', { outcome: 'done' })).status).toBe(400);
    expect((await decide(approval, 'approve', { input: '{"sum": 2}' })).body).toMatchObject({ status: { edited_input: '{"sum":2}' } });
    expect((await world.ended('edit')).status.phase).toBe('Succeeded');
    expect(world.toolCalls('edit').map(({ body }) => body)).toEqual(['{"sum":2}']);
    const last = world.modelCalls('m-edit').at(-1);
    expect(last && chatOf(last).messages.findLast(({ role }) => role === 'tool')?.content).toMatch(/changed the input.*"sum":2/s);
  });

  test('cannot be rewritten while pending; an administrator’s status edit decides it', async () => {
    const approval = await held('rewrite');
    const rewritten = await world.request('POST', '/v1/tool-approvals', {
      metadata: { name: approval.metadata.name },
      spec: { ...approval.spec, input: '{"sum":1}' },
    });
    expect(errorOf(rewritten)).toEqual([409, expect.stringMatching(/belongs to a run that waits for it and cannot be changed/)]);
    const status = { ...approval.status, phase: 'Approved' };
    const { resourceVersion } = approval.metadata as unknown as { resourceVersion: string };
    const put = await world.request('PUT', pathOf(approval, '/status'), { metadata: { resourceVersion }, status });
    expect(put).toMatchObject({ status: 200, body: { status: { phase: 'Approved', decision_record: expect.any(Number) as number } } });
    expect((await world.ended('rewrite')).status.phase).toBe('Succeeded');
    expect(world.toolCalls('rewrite').map(({ body }) => body)).toEqual(['{"sum":3}']);
  });

  test('expires on time without a decision', async () => {
    const approval = await held('slow', { approval: { ttl: '3s' } });
    const { status } = await world.ended('slow');
    expect(status).toMatchObject({ phase: 'Failed', reason: 'approval_timeout' });
    const late = Date.parse(String(status['completedAt'])) - Date.parse(String(approval.status['expires_at']));
    expect(late).toBeGreaterThanOrEqual(0);
    // Approvals that no timer knew of would be found by polling, every 10 s.
    expect(late).toBeLessThan(5_000);
    expect(world.toolCalls('slow')).toHaveLength(0);
  });
});

describe('a reviewed output', () => {
  async function reviewed(name: string, spec: object): Promise<Approval> {
    await world.model(`m-${name}`, 'first draft', 'second draft', 'third draft');
    await world.model(`n-${name}`, 'sent');
    await world.system(name, { [`w-${name}`]: { model_ref: `m-${name}` }, [`s-${name}`]: { model_ref: `n-${name}` } }, spec);
    await world.put('Task', name, { system: name });
    return pendingApproval(name);
  }
  const byNode = (name: string, review: object = {}) => ({
    graph: { [`w-${name}`]: { next: `s-${name}`, review: { checkpoint_id: 'draft', reason: 'read it', ...review } } },
  });

  test('continues after an approval, and is revised after a request for changes', async () => {
    const first = await reviewed('mail', byNode('mail'));
    expect(first).toMatchObject({
      kind: 'TaskApproval',
      spec: {
        checkpoint_id: 'draft',
        checkpoint_type: 'agent_output',
        agent: 'w-mail',
        output: 'first draft',
        review_cycle: 1,
        reason: 'read it',
      },
      status: { phase: 'Pending' },
    });
    expect(world.modelCalls('n-mail')).toHaveLength(0);
    expect(errorOf(await decide(first, 'request-changes'))).toEqual([400, expect.stringMatching(/comment is required/)]);
    expect(errorOf(await decide(first, 'request-changes', { comment: 'x', input: {} }))).toEqual([
      400,
      expect.stringMatching(/input is not a field/),
    ]);
    expect(errorOf(await decide(first, 'approve', { outcome: 'done' }))[0]).toBe(400);
    expect(await decide(first, 'request-changes', { reason: 'say it kinder' })).toMatchObject({
      status: 200,
      body: { status: { phase: 'ChangesRequested', decision: 'request_changes', comment: 'say it kinder' } },
    });
    const second = await pendingApproval('mail', first);
    expect(second.spec).toMatchObject({ output: 'second draft', review_cycle: 2, supersedes: first.metadata.name });
    const last = world.modelCalls('m-mail').at(-1);
    expect(last && chatOf(last).messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(last && chatOf(last).messages.at(-1)?.content).toContain('say it kinder');
    expect((await decide(second, 'approve', { decided_by: 'ann' })).status).toBe(200);
    const task = await world.ended('mail');
    expect(task.status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'sent' } });
    expect(world.modelCalls('n-mail').map((request) => chatOf(request).messages.at(-1)?.content)).toEqual([
      expect.stringContaining('second draft'),
    ]);
    expect(entriesOf(task, 'task_approval_resolved')).toMatchObject([
      { decision: 'request_changes', comment: 'say it kinder' },
      { decision: 'approved', reviewer: 'ann' },
    ]);
    expect((await taskApprovals('mail')).map(({ status: { phase } }) => phase)).toEqual(['ChangesRequested', 'Approved']);
    const { items } = (await world.request('GET', '/v1/events?kind=TaskApproval&limit=100')).body as {
      items: { type: string; name: string }[];
    };
    const facts = items.filter(({ type }) => type.startsWith('taskapproval.')).map(({ type }) => type);
    expect(facts).toEqual(['taskapproval.requested', 'taskapproval.changes_requested', 'taskapproval.requested', 'taskapproval.approved']);
  });

  test('cannot be sent back at its last cycle', async () => {
    const first = await reviewed('last', byNode('last', { max_review_cycles: 2 }));
    await decide(first, 'request-changes', { comment: 'once' });
    const second = await pendingApproval('last', first);
    expect(errorOf(await decide(second, 'request-changes', { comment: 'twice' }))).toEqual([
      409,
      expect.stringMatching(/review cycle 2 of at most 2/),
    ]);
    expect((await decide(second, 'deny', { comment: 'no good' })).status).toBe(200);
    expect((await world.ended('last')).status).toMatchObject({
      phase: 'Failed',
      reason: 'approval_denied',
      lastError: expect.stringContaining('no good') as string,
    });
  });

  test('is requested once even when the server dies repeatedly, and the run continues after it', async () => {
    const first = await reviewed('crash', byNode('crash'));
    await world.restart('SIGKILL');
    expect(await taskApprovals('crash')).toMatchObject([{ metadata: { name: first.metadata.name }, status: { phase: 'Pending' } }]);
    await decide(first, 'request-changes', { comment: 'again' });
    const second = await pendingApproval('crash', first);
    await world.restart('SIGKILL');
    expect((await decide(second, 'approve')).status).toBe(200);
    expect((await world.ended('crash')).status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'sent' } });
    expect(world.modelCalls('m-crash')).toHaveLength(2);
  });

  test('becomes the output of the whole task once approved', async () => {
    const spec = { graph: { 'w-whole': { next: 's-whole' } }, completion_review: { checkpoint_id: 'final', ttl: '1h' } };
    const approval = await reviewed('whole', spec);
    expect(approval.spec).toMatchObject({ checkpoint_type: 'task_output', agent: 's-whole', output: 'sent', ttl: '1h' });
    expect((await decide(approval, 'approve')).status).toBe(200);
    expect((await world.ended('whole')).status).toMatchObject({
      phase: 'Succeeded',
      output: { last_output: 'sent', last_agent: 's-whole' },
    });
  });

  test('requested by hand expires like any other, and its decision affects no run', async () => {
    await world.put('TaskApproval', 'own', { task_ref: 'mail', checkpoint_id: 'mine', ttl: '10m', allow_request_changes: false });
    const own = (await world.request('GET', '/v1/task-approvals/own')).body as Approval & { metadata: { createdAt: string } };
    expect(Date.parse(String(own.status['expires_at'])) - Date.parse(own.metadata.createdAt)).toBe(600_000);
    expect((await decide(own, 'request-changes', { comment: 'x' })).status).toBe(409);
    expect(await decide(own, 'approve')).toMatchObject({ status: 200, body: { status: { phase: 'Approved' } } });
    expect((await world.request('POST', '/v1/task-approvals/nope/approve', {})).status).toBe(404);
  });
});
