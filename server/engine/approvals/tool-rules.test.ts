// Calls that a rule holds back until a person has decided, over real stores: what they see, what they may say, and what runs then.
import { hashedCallText } from '@svc/shared/call-hash';
import type { ServiceError } from '@svc/shared/errors';
import type { JsonObject } from '@svc/shared/json';
import { toolApprovalSpec, toolApprovalStatus } from '@svc/shared/kinds/tool-approval/schema';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { hashText } from '../../decisions/decision-crypto.ts';
import { requireApprovalOf, openApprovals, RULE } from '../../testing/approval-fixture.ts';
import { storeEngines } from '../../testing/background.ts';
import type { StoredObject } from '../../store/store.ts';
import { putSystem, toTestResource, type EngineSetup } from '../../testing/engine.ts';
import { createApprovalHooks } from './approval-hooks.ts';
import { APPROVAL_EXPIRY_QUEUE } from './timers.ts';

const INPUT = { to: 'x', sum: 3 };
const call = (id: string, input: unknown) => ({ id, name: 'pay', arguments: JSON.stringify(input) });
const schema = {
  type: 'object',
  properties: { sum: { type: 'number' }, to: { type: 'string' } },
  required: ['sum'],
  additionalProperties: false,
};
const types = (items: unknown) => (items as { type: string }[]).map(({ type }) => type);
const entryOf = (status: Readonly<Record<string, unknown>>, type: string) =>
  (status['trace'] as JsonObject[]).find((entry) => entry['type'] === type);

describe.each(storeEngines.filter(({ skip }) => !skip))('over $name', ({ open }) => {
  /** A Task that wants to pay and waits for a person. */
  async function asked({
    inputs = [INPUT] as unknown[],
    reason = '',
    ...setup
  }: Partial<EngineSetup> & { inputs?: unknown[]; reason?: string } = {}) {
    const fixture = await openApprovals({
      store: await open(systemClock),
      governance: requireApprovalOf('pay', { reason, ttlMs: 90_000 }),
      model: ({ step, messages }) =>
        step === 1 ? { toolCalls: inputs.map((input, n) => call(`c${n}`, input)) } : { content: `told: ${messages.at(-1)?.content ?? ''}` },
      ...setup,
    });
    const { engine } = fixture;
    onTestFinished(() => engine.close());
    await engine.put('Tool', 'pay', { type: 'http', operation_classes: ['read', 'write'], input_schema: schema });
    await putSystem(engine, { agent: { tools: ['pay'] } });
    engine.worker.start();
    const task = await engine.put('Task', 'job', { system: 'system' });
    await engine.until('job', ['WaitingApproval']);
    return { ...fixture, task };
  }

  test('the approval shows the exact call, the rule that requires it, and the deadline', async () => {
    const { pending, engine, task, facts } = await asked();
    const approval = await pending();
    expect(toolApprovalSpec.parse(approval.spec)).toEqual(approval.spec);
    expect(approval.spec).toEqual({
      task_ref: 'job',
      tool: 'pay',
      operation_class: 'write',
      agent: 'agent',
      input: '{"to":"x","sum":3}',
      input_hash: hashText('{"sum":3,"to":"x"}'),
      reason: 'ToolPermission default/pay spec.operation_rules[1] asks a person before write calls of pay; agent agent wants to make one',
      ttl: '1m30s',
    });
    expect(approval.annotations).toMatchObject({
      'svc.dev/task-uid': task.metadata.uid,
      'svc.dev/approval-reason': 'policy',
      'svc.dev/approval-rule': 'ToolPermission default/pay spec.operation_rules[1]',
    });
    expect(Date.parse(String(approval.status['expires_at'])) - Date.parse(approval.createdAt)).toBe(90_000);
    expect(await engine.store.getWorkItem(APPROVAL_EXPIRY_QUEUE, approval.uid)).toMatchObject({
      notBefore: Date.parse(String(approval.status['expires_at'])),
    });
    const { status } = await engine.read('job');
    expect(status).toMatchObject({ phase: 'WaitingApproval', blockedOn: { kind: 'ToolApproval', name: approval.name } });
    expect(entryOf(status, 'tool_approval_pending')).toMatchObject({ rule: RULE, input: INPUT, approval: approval.name });
    expect(engine.toolCalls).toEqual([]);
    expect(await facts()).toEqual(['toolapproval.requested']);
  });

  test('an approval shows the permission’s own reason', async () => {
    const { pending } = await asked({ reason: 'payments are checked by two people' });
    expect((await pending()).spec['reason']).toBe('payments are checked by two people');
  });

  test('approved, the call runs once with exactly this input, bound to the signed record', async () => {
    const { pending, decide, engine, decisions, task } = await asked();
    const approval = await pending();
    const { status } = await decide(approval, { decision: 'approved', decided_by: 'ann', comment: 'fine' });
    expect(status).toMatchObject({ phase: 'Approved', decision: 'approved', decided_by: 'ann', comment: 'fine', decision_record: 1 });
    expect(toolApprovalStatus.parse(status)).toEqual(status);
    expect((await engine.until('job')).status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'told: ok' } });
    const request_id = approval.annotations['svc.dev/tool-request-id'] ?? '';
    const callHash = hashText(hashedCallText({ tool: 'default/pay', task: 'default/job', request_id, input: INPUT }));
    expect(engine.toolCalls).toMatchObject([{ input: INPUT, requestId: request_id, approved: { decision: 1, callHash } }]);
    expect(decisions.drafts).toEqual([
      {
        timestamp: status['decided_at'],
        type: 'tool',
        approval: { kind: 'ToolApproval', namespace: 'default', name: approval.name, uid: approval.uid },
        task: { namespace: 'default', name: 'job', uid: task.metadata.uid },
        agent: 'agent',
        tool: 'default/pay',
        operation: 'write',
        request_id,
        decision: 'approved',
        proposed_input: INPUT,
        call_hash: callHash,
        rule: RULE,
        decider: { name: 'ann', method: 'none', role: 'admin' },
        comment: 'fine',
      },
    ]);
    const { status: record } = await engine.read('job');
    expect(types(record['history'])).toEqual(['claim', 'running', 'waiting_approval', 'claim', 'resumed', 'succeeded']);
    expect(entryOf(record, 'tool_approval_resolved')).toMatchObject({ decision: 'approved', reviewer: 'ann', decision_record: 1 });
  });

  test('an approval with edited input runs that input and reports it to the model', async () => {
    const { pending, decide, engine, decisions } = await asked();
    const approval = await pending();
    const { status } = await decide(approval, { decision: 'approved', input: '{"sum": 2}' });
    expect(status).toMatchObject({ edited_input: '{"sum":2}' });
    const { output } = (await engine.until('job')).status as { output: Record<string, string> };
    expect(output['last_output']).toMatch(/changed the input.*\{"sum":2\}.*ok/s);
    const callHash = engine.toolCalls[0]?.approved?.callHash;
    expect(engine.toolCalls).toMatchObject([{ input: { sum: 2 } }]);
    expect(decisions.drafts).toMatchObject([{ proposed_input: INPUT, edited_input: { sum: 2 }, call_hash: callHash }]);
    expect(entryOf((await engine.read('job')).status, 'tool_approval_resolved')).toMatchObject({ edited_input: { sum: 2 } });
  });

  test('the same input in another spelling is not an edit', async () => {
    const { pending, decide, engine } = await asked();
    const { status } = await decide(await pending(), { decision: 'approved', input: { sum: 3, to: 'x' } });
    expect(status).not.toHaveProperty('edited_input');
    await engine.until('job');
    expect(engine.toolCalls).toMatchObject([{ input: INPUT }]);
  });

  test.each<[string, object, RegExp, string[]]>([
    ['is no object', { input: [1] }, /must be an object/, ['input']],
    ['is no JSON', { input: '{' }, /must be an object/, ['input']],
    ['does not fit the schema', { input: { sum: 'much', more: 1 } }, /must be number/, ['input', 'input.sum']],
    ['comes with what belongs to lost calls', { outcome: 'done', output: 'x' }, /whose outcome is unknown/, ['outcome', 'output']],
    ['comes with an answer in place of the call', { outcome: 'answered', output: 'x', input: INPUT }, /call is not made/, ['input']],
  ])('edited input that %s is refused with the places, and nothing is decided', async (_, request, message, paths) => {
    const { pending, decide, decisions } = await asked();
    const refused = await decide(await pending(), { decision: 'approved', ...request }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'invalid', message: expect.stringMatching(message) as string });
    expect((refused as ServiceError).details?.map(({ path }) => path).sort()).toEqual(paths);
    expect((await pending()).status['phase']).toBe('Pending');
    expect(decisions.drafts).toEqual([]);
  });

  test('answered, the call is not made, and the model gets the answer with a note', async () => {
    const { pending, decide, engine, decisions, facts } = await asked();
    const { status } = await decide(await pending(), { decision: 'approved', outcome: 'answered', output: 'it is paid already' });
    expect(toolApprovalStatus.parse(status)).toMatchObject({ phase: 'Approved', outcome: 'answered', output: 'it is paid already' });
    const { output } = (await engine.until('job')).status as { output: Record<string, string> };
    expect(output['last_output']).toBe('told: This call was not made. A reviewer answered in its place:\n\nit is paid already');
    expect(engine.toolCalls).toEqual([]);
    expect(decisions.drafts).toMatchObject([{ outcome: 'answered', output_hash: hashText('it is paid already'), proposed_input: INPUT }]);
    expect(decisions.drafts[0]).not.toHaveProperty('call_hash');
    expect(await facts()).toEqual(['toolapproval.requested', 'toolapproval.approved']);
    const { status: record } = await engine.read('job');
    expect(entryOf(record, 'tool_call')).toMatchObject({ message: 'completed with the answer of a person', output: 'it is paid already' });
  });

  test.each<[string, object]>([
    ['without an output', { outcome: 'answered' }],
    ['with an empty output', { outcome: 'answered', output: '' }],
    ['with an output that is a number', { outcome: 'answered', output: 3 }],
    ['with an output alone', { output: 'x' }],
  ])('an answer %s is refused, and nothing is decided', async (_, request) => {
    const { pending, decide, decisions } = await asked();
    const refused = await decide(await pending(), { decision: 'approved', ...request }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'invalid', details: [{ path: 'output' }] });
    expect(decisions.drafts).toEqual([]);
  });

  test('is not decided by a person who examined another approval of its name', async () => {
    const { pending, decide } = await asked();
    const approval = await pending();
    const refused = await decide(approval, { decision: 'approved', uid: 'of-another' }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'conflict', message: expect.stringContaining('uid of-another') as string });
    expect((await decide(approval, { decision: 'approved', uid: approval.uid })).status).toMatchObject({ phase: 'Approved' });
  });

  test('is decided once, however many decide at the same time', async () => {
    const { pending, decide, engine } = await asked();
    const approval = await pending();
    const words = ['approved', 'denied', 'approved', 'denied'] as const;
    const results = await Promise.allSettled(words.map((decision) => decide(approval, { decision })));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'conflict' });
    await engine.until('job');
    expect(engine.toolCalls.length).toBeLessThanOrEqual(1);
  });

  test('several calls of one step wait at once, each for its own word', async () => {
    const { all, decide, engine } = await asked({ inputs: [{ sum: 1 }, { sum: 2 }, { sum: 3 }] });
    const approvals = await all('ToolApproval');
    expect(approvals.map(({ spec }) => spec['input']).sort()).toEqual(['{"sum":1}', '{"sum":2}', '{"sum":3}']);
    for (const approval of approvals) {
      const edit = approval.spec['input'] === '{"sum":3}' && { input: { sum: 30 } };
      await decide(approval, { decision: 'approved', ...edit });
    }
    await engine.until('job');
    expect(engine.toolCalls.map(({ input }) => input['sum']).sort()).toEqual([1, 2, 30]);
    expect(engine.modelCalls).toHaveLength(2);
    expect(engine.modelCalls[1]?.messages.filter(({ role }) => role === 'tool')).toHaveLength(3);
  });

  test('denied, the Task ends and nothing runs', async () => {
    const { pending, decide, engine, decisions } = await asked();
    await decide(await pending(), { decision: 'denied', decided_by: 'ann', comment: 'fraud' });
    expect((await engine.until('job')).status).toMatchObject({ phase: 'Failed', reason: 'approval_denied' });
    expect(decisions.drafts).toMatchObject([{ decision: 'denied', comment: 'fraud' }]);
    expect(decisions.drafts[0]).not.toHaveProperty('call_hash');
    expect(engine.toolCalls).toEqual([]);
  });

  test('an undecided approval expires, which is recorded, and can no longer be decided', async () => {
    const { pending, decide, expire, engine, decisions, facts, all } = await asked();
    const approval = await pending();
    await expire(approval);
    expect((await engine.until('job')).status).toMatchObject({ phase: 'Failed', reason: 'approval_timeout' });
    expect((await all('ToolApproval'))[0]?.status).toMatchObject({ phase: 'Expired', decision_record: 1 });
    expect(decisions.drafts).toMatchObject([{ decision: 'expired', type: 'tool' }]);
    expect(decisions.drafts[0]).not.toHaveProperty('decider');
    await expect(decide(approval, { decision: 'approved' })).rejects.toMatchObject({ code: 'conflict' });
    expect(await facts()).toEqual(['toolapproval.requested', 'toolapproval.expired']);
  });

  test('deleted, it is denied, under the name of who deleted it', async () => {
    const { pending, remove, engine, decisions } = await asked();
    await remove(await pending());
    expect((await engine.until('job')).status).toMatchObject({ phase: 'Failed', reason: 'approval_denied' });
    expect(decisions.drafts).toMatchObject([{ decision: 'denied', decider: { name: 'system' }, comment: 'the approval was deleted' }]);
  });

  test("a reviewer's question cannot be rewritten while it is open", async () => {
    const { pending, engine, decisions } = await asked();
    const approval = await pending();
    const hooks = createApprovalHooks(decisions, engine.store);
    const other = { ...approval, spec: { ...approval.spec, input: '{"sum":1}' } };
    const admit = (next: StoredObject) =>
      engine.store.transaction(async (tx) => hooks.admit?.(tx, toTestResource(next), toTestResource(approval)));
    await expect(admit(other)).rejects.toMatchObject({ code: 'conflict' });
    await expect(admit({ ...approval, spec: { ...approval.spec, ttl: '30d' } })).rejects.toMatchObject({ code: 'conflict' });
    const forged = { ...approval.annotations, 'svc.dev/approval-rule': 'ToolPermission default/harmless' };
    await expect(admit({ ...approval, annotations: forged })).rejects.toMatchObject({ code: 'conflict' });
    await expect(admit({ ...approval, annotations: {} })).rejects.toMatchObject({ code: 'conflict' });
    await expect(admit({ ...approval, annotations: { ...approval.annotations, seen: 'yes' } })).resolves.toBeUndefined();
    await expect(admit({ ...approval, labels: { ...approval.labels, seen: 'yes' } })).resolves.toBeUndefined();
  });

  describe('a status that an administrator writes', () => {
    test('counts as a decision and gets a record like any other', async () => {
      const { pending, writeStatus, engine, decisions, all } = await asked();
      await writeStatus(await pending(), { phase: 'Approved', edited_input: '{"sum":1}', decided_by: 'ann', decision_record: 77 });
      expect((await engine.until('job')).status).toMatchObject({ phase: 'Succeeded' });
      expect(engine.toolCalls).toMatchObject([{ input: { sum: 1 }, approved: { decision: 1 } }]);
      expect(decisions.drafts).toMatchObject([{ decision: 'approved', decider: { name: 'system', on_behalf_of: 'ann' } }]);
      const [written] = await all('ToolApproval');
      expect(written?.status).toMatchObject({ phase: 'Approved', decided_by: 'system', on_behalf_of: 'ann', decision_record: 1 });
      const { status: record } = await engine.read('job');
      expect(entryOf(record, 'tool_approval_resolved')).toMatchObject({ reviewer: 'system' });
    });

    test.each([
      { status: { outcome: 'answered', output: 'by hand' }, told: /answered in its place:\n\nby hand/ },
      { status: { outcome: 'answered' }, told: undefined },
      { status: { outcome: 'done', output: 'by hand' }, told: undefined },
    ])('answers in place of the call only when it is whole: $status', async ({ status, told }) => {
      const { pending, writeStatus, expire, engine, all } = await asked();
      await writeStatus(await pending(), { phase: 'Approved', ...status });
      const [written] = await all('ToolApproval');
      if (told === undefined && written) await expire(written);
      const ended = (await engine.until('job')).status as { phase: string; output?: Record<string, string> };
      if (told) expect(ended.output?.['last_output']).toMatch(told);
      else expect(ended).toMatchObject({ phase: 'Failed', reason: 'approval_timeout' });
      expect(engine.toolCalls).toEqual([]);
    });

    test('does not add to a later decision', async () => {
      const { pending, writeStatus, decide, engine, decisions, all } = await asked();
      const { expires_at } = (await pending()).status;
      const planted = { edited_input: '{"sum":9000}', comment: 'seen', on_behalf_of: 'the board', decision_record: 7 };
      await writeStatus(await pending(), { phase: 'Pending', expires_at, ...planted });
      await decide(await pending(), { decision: 'approved', decided_by: 'ann' });
      await engine.until('job');
      expect(engine.toolCalls).toMatchObject([{ input: INPUT }]);
      expect(decisions.drafts).toHaveLength(1);
      for (const field of ['edited_input', 'comment']) expect(decisions.drafts[0]).not.toHaveProperty(field);
      const [decided] = await all('ToolApproval');
      expect(Object.keys(decided?.status ?? {}).sort()).toEqual(
        ['closed_at', 'decided_at', 'decided_by', 'decision', 'decision_record', 'expires_at', 'phase'].sort(),
      );
    });

    test('an incomplete status leaves no run waiting when the approval is deleted', async () => {
      const { pending, writeStatus, remove, engine, decisions, all } = await asked();
      await writeStatus(await pending(), { phase: 'Approved', edited_input: '{"sum":"much"}' });
      const [written] = await all('ToolApproval');
      if (written) await remove(written);
      expect((await engine.until('job')).status).toMatchObject({ phase: 'Failed', reason: 'approval_denied' });
      expect(decisions.drafts).toMatchObject([{ decision: 'denied', comment: 'the approval was deleted' }]);
    });

    test('with input that the tool would refuse lets nothing run; the time runs out', async () => {
      const { pending, writeStatus, expire, engine, decisions, all } = await asked();
      await writeStatus(await pending(), { phase: 'Approved', edited_input: '{"sum":"much"}' });
      expect(decisions.drafts).toEqual([]);
      const [written] = await all('ToolApproval');
      if (written) await expire(written);
      expect((await engine.until('job')).status).toMatchObject({ phase: 'Failed', reason: 'approval_timeout' });
      expect(engine.toolCalls).toEqual([]);
    });
  });
});
