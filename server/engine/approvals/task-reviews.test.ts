// Outputs that people review, over real stores: the question, the allowed answers, and how the run continues, on another worker too.
import type { JsonObject } from '@svc/shared/json';
import { taskApprovalSpec, taskApprovalStatus } from '@svc/shared/kinds/task-approval/schema';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { hashText } from '../../decisions/decision-crypto.ts';
import { systemContext } from '../../registry/registry.ts';
import { openApprovals } from '../../testing/approval-fixture.ts';
import { storeEngines } from '../../testing/background.ts';
import { openEngine, type EngineSetup } from '../../testing/engine.ts';
import { noRunListeners } from '../run-listeners.ts';
import { createTaskHooks } from '../runs/task-hooks.ts';
import { APPROVAL_EXPIRY_QUEUE, timerKey } from './timers.ts';

/** Answers `<agent> <n>`, n counting its answers. */
const counting: NonNullable<EngineSetup['model']> = ({ agent, messages }) => ({
  content: `${agent} ${messages.filter(({ role }) => role === 'assistant').length + 1}`,
});
const types = (items: unknown) => (items as { type: string }[]).map(({ type }) => type);
const entriesOf = (status: Readonly<Record<string, unknown>>, type: string) =>
  (status['trace'] as JsonObject[]).filter((entry) => entry['type'] === type);
const changes = (comment: string) => ({ decision: 'request_changes', comment, decided_by: 'ann' }) as const;

const DRAFT = { checkpoint_id: 'draft', reason: 'read it first', ttl: '90s' };
const byNode = { graph: { writer: { next: 'sender', review: DRAFT } } };
const byTask = { graph: { writer: { next: 'sender' } }, completion_review: { checkpoint_id: 'final' } };

describe.each(storeEngines.filter(({ skip }) => !skip))('over $name', ({ open }) => {
  /** A Task that waits for its first review. */
  async function asked(system: object = byNode, setup: Partial<EngineSetup> = {}) {
    const fixture = await openApprovals({ store: await open(systemClock), model: counting, ...setup });
    const { engine } = fixture;
    onTestFinished(() => engine.close());
    await engine.put('ModelEndpoint', 'mock', { provider: 'mock' });
    for (const name of ['writer', 'sender']) await engine.put('Agent', name, { model_ref: 'mock' });
    await engine.put('AgentSystem', 'system', { agents: ['writer', 'sender'], ...system });
    engine.worker.start();
    const task = await engine.put('Task', 'job', { system: 'system' });
    await engine.until('job', ['WaitingApproval']);
    const pending = () => fixture.pending('TaskApproval');
    /** The next approval after `before`. */
    const after = async (before: { readonly name: string }) => {
      await expect
        .poll(async () => (await fixture.all('TaskApproval')).some(({ spec }) => spec['supersedes'] === before.name), { interval: 2 })
        .toBe(true);
      return pending();
    };
    return { ...fixture, task, pending, after };
  }

  test('a review that is requested after the clock was set back counts from the request', async () => {
    let setBackMs = 0;
    const clock = { ...systemClock, now: () => Date.now() - setBackMs };
    const model = () => {
      setBackMs = 3_600_000;
      return { content: 'writer 1' };
    };
    const { pending, engine } = await asked(byNode, { clock, model });
    const { createdAt, status, spec, kind, uid } = await pending();
    expect(Date.parse(createdAt)).toBeLessThanOrEqual(clock.now());
    const expiresAt = Date.parse(String(status['expires_at']));
    expect([spec['ttl'], expiresAt - Date.parse(createdAt)]).toEqual(['1m30s', 90_000]);
    expect(await engine.store.getWorkItem(APPROVAL_EXPIRY_QUEUE, timerKey({ kind, uid }))).toMatchObject({ notBefore: expiresAt });
  });

  test('the review shows the frozen output with all facts for the decision, before any agent receives it', async () => {
    const { pending, engine, task, facts } = await asked();
    const approval = await pending();
    expect(taskApprovalSpec.parse(approval.spec)).toEqual(approval.spec);
    expect(approval.spec).toEqual({
      task_ref: 'job',
      checkpoint_id: 'draft',
      checkpoint_type: 'agent_output',
      agent: 'writer',
      reason: 'read it first',
      ttl: '1m30s',
      allow_request_changes: true,
      max_review_cycles: 3,
      review_cycle: 1,
      output: 'writer 1',
      output_format: 'text',
      resume_context: expect.objectContaining({ task_uid: task.metadata.uid, attempt: 1, branch_id: 'b001' }) as unknown,
    });
    const expiresAt = Date.parse(String(approval.status['expires_at']));
    expect(expiresAt - Date.parse(approval.createdAt)).toBe(90_000);
    expect(await engine.store.getWorkItem(APPROVAL_EXPIRY_QUEUE, timerKey(approval))).toMatchObject({ notBefore: expiresAt });
    expect(engine.modelCalls.map(({ agent }) => agent)).toEqual(['writer']);
    expect(await facts()).toEqual(['taskapproval.requested']);
  });

  test('the Task reports that it waits, and its message is in flight', async () => {
    const { pending, engine, runs } = await asked();
    const { name, status: asking } = await pending();
    const { status } = await engine.read('job');
    expect(status).toMatchObject({
      phase: 'WaitingApproval',
      blockedOn: {
        kind: 'TaskApproval',
        name,
        reason: expect.stringMatching(/^review: a person decides on the output of agent writer until/) as string,
      },
    });
    expect(types(status['history'])).toEqual(['claim', 'running', 'waiting_approval']);
    expect(entriesOf(status, 'task_approval_pending')).toMatchObject([{ agent: 'writer', approval: name, output: 'writer 1' }]);
    expect(status['messages']).toMatchObject([{ to_agent: 'writer', phase: 'Running' }]);
    const { reasons } = await runs.explain(systemContext, { namespace: 'default', name: 'job' });
    expect(reasons).toMatchObject([
      {
        code: 'waiting_approval',
        until: asking['expires_at'],
        object: { kind: 'TaskApproval', name },
        message: expect.stringMatching(
          /review the output of agent writer \(draft, cycle 1 of at most 3\).*approve, deny or request changes/,
        ) as string,
      },
    ]);
  });

  test('an approved output continues the run unchanged, and the decision is recorded', async () => {
    const { pending, decide, engine, decisions, task } = await asked();
    const approval = await pending();
    const { status } = await decide(approval, { decision: 'approved', decided_by: 'ann', comment: 'good' });
    expect(status).toMatchObject({ phase: 'Approved', decision: 'approved', decided_by: 'ann', comment: 'good', decision_record: 1 });
    expect(taskApprovalStatus.parse(status)).toEqual(status);
    expect((await engine.until('job')).status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'sender 1' } });
    expect(engine.modelCalls[1]?.messages.at(-1)?.content).toContain('# From writer\nwriter 1');
    expect(decisions.drafts).toMatchObject([
      {
        type: 'task',
        approval: { kind: 'TaskApproval', name: approval.name, uid: approval.uid },
        task: { name: 'job', uid: task.metadata.uid },
        agent: 'writer',
        decision: 'approved',
        output_hash: hashText('writer 1'),
        decider: { name: 'ann', method: 'none' },
      },
    ]);
    const { status: record } = await engine.read('job');
    expect(types(record['history'])).toEqual(['claim', 'running', 'waiting_approval', 'claim', 'resumed', 'succeeded']);
    expect(entriesOf(record, 'task_approval_resolved')).toMatchObject([
      { decision: 'approved', reviewer: 'ann', comment: 'good', decision_record: 1 },
    ]);
  });

  test('an output sent back restarts its agent with the comment and a new review; the old output stays readable', async () => {
    const { pending, after, decide, engine, decisions, facts, all } = await asked();
    const first = await pending();
    const { status } = await decide(first, changes('shorter, please'));
    expect(status).toMatchObject({ phase: 'ChangesRequested', decision: 'request_changes', comment: 'shorter, please' });
    const second = await after(first);
    expect(second.spec).toMatchObject({ review_cycle: 2, supersedes: first.name, output: 'writer 2', checkpoint_id: 'draft' });
    expect(engine.modelCalls[1]?.messages.at(-1)).toMatchObject({
      role: 'user',
      content: expect.stringContaining('shorter, please') as string,
    });
    await decide(second, { decision: 'approved' });
    expect((await engine.until('job')).status).toMatchObject({ phase: 'Succeeded' });
    expect((await all('TaskApproval')).map(({ status: { phase } }) => phase)).toEqual(['ChangesRequested', 'Approved']);
    expect(await facts()).toEqual([
      'taskapproval.requested',
      'taskapproval.changes_requested',
      'taskapproval.requested',
      'taskapproval.approved',
    ]);
    expect(decisions.drafts.map(({ decision }) => decision)).toEqual(['request_changes', 'approved']);
    const { status: record } = await engine.read('job');
    expect(entriesOf(record, 'task_approval_resolved')).toMatchObject([
      { decision: 'request_changes', comment: 'shorter, please' },
      { decision: 'approved' },
    ]);
    expect(record['messages']).toMatchObject([{ phase: 'Succeeded' }, { phase: 'Succeeded' }]);
  });

  test('can be sent back up to the last cycle, and only with a comment', async () => {
    const { pending, after, decide } = await asked();
    let approval = await pending();
    await expect(decide(approval, { decision: 'request_changes', comment: '  ' })).rejects.toMatchObject({
      code: 'invalid',
      details: [{ path: 'comment' }],
    });
    for (let cycle = 1; cycle < 3; cycle += 1) {
      await decide(approval, changes(`round ${cycle}`));
      approval = await after(approval);
    }
    expect(approval.spec['review_cycle']).toBe(3);
    await expect(decide(approval, changes('again'))).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/review cycle 3 of at most 3; approve or deny it/) as string,
    });
    expect((await pending()).status['phase']).toBe('Pending');
  });

  test('cannot be sent back where the review point does not allow it', async () => {
    const { pending, decide } = await asked({ graph: { writer: { next: 'sender', review: { ...DRAFT, allow_request_changes: false } } } });
    await expect(decide(await pending(), changes('again'))).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/does not allow/) as string,
    });
  });

  test('takes no outcome, output or input', async () => {
    const { pending, decide } = await asked();
    await expect(decide(await pending(), { decision: 'approved', outcome: 'done', input: {} })).rejects.toMatchObject({
      details: [{ path: 'outcome' }, { path: 'input' }],
    });
  });

  test.each([
    ['denied', 'approval_denied', 'Denied'],
    ['expired', 'approval_timeout', 'Expired'],
    ['deleted', 'approval_denied', undefined],
  ])('%s, the Task ends as Failed with %s, and the output is routed nowhere', async (how, reason, phase) => {
    const { pending, decide, expire, remove, engine, decisions, all } = await asked();
    const approval = await pending();
    if (how === 'denied') await decide(approval, { decision: 'denied', comment: 'no' });
    if (how === 'expired') await expire(approval);
    if (how === 'deleted') await remove(approval);
    expect((await engine.until('job')).status).toMatchObject({ phase: 'Failed', reason });
    expect((await all('TaskApproval'))[0]?.status['phase']).toBe(phase);
    expect(engine.modelCalls.map(({ agent }) => agent)).toEqual(['writer']);
    expect(decisions.drafts).toHaveLength(1);
    if (phase) await expect(decide(approval, { decision: 'approved' })).rejects.toMatchObject({ code: 'conflict' });
  });

  test('a consistent status that an administrator writes counts as a decision', async () => {
    const { pending, after, writeStatus, engine } = await asked();
    const first = await pending();
    await writeStatus(first, { phase: 'ChangesRequested', comment: 'by hand' });
    const second = await after(first);
    await writeStatus(second, { phase: 'Approved' });
    expect((await engine.until('job')).status).toMatchObject({ phase: 'Succeeded' });
  });

  test('changes requested by hand without a comment have no effect: the approval expires', async () => {
    const { pending, writeStatus, expire, engine, all } = await asked();
    await writeStatus(await pending(), { phase: 'ChangesRequested' });
    const [written] = await all('TaskApproval');
    if (written) await expire(written);
    expect((await engine.until('job')).status).toMatchObject({ reason: 'approval_timeout' });
  });

  test.each([
    ['{"a":[1,{"b":2}]}', { output: { a: [1, { b: 2 }] }, output_format: 'json' }],
    ['[1, 2]', { output: '[1, 2]', output_format: 'json' }],
    ['{"long": 12345678901234567890}', { output: '{"long": 12345678901234567890}', output_format: 'json' }],
    ['{not json', { output: '{not json', output_format: 'text' }],
    ['42', { output: '42', output_format: 'text' }],
  ])('the output %s is shown as %j', async (content, shown) => {
    const { pending, decide, engine } = await asked(byNode, { model: ({ agent }) => ({ content: agent === 'writer' ? content : 'sent' }) });
    const approval = await pending();
    expect(approval.spec).toMatchObject(shown);
    await decide(approval, { decision: 'approved' });
    await engine.until('job');
    expect(engine.modelCalls[1]?.messages.at(-1)?.content).toContain(`# From writer\n${content}`);
  });

  test('another worker continues a run whose worker has died', async () => {
    const { pending, after, decide, engine } = await asked();
    await engine.worker.stop();
    const heir = await openEngine({ store: engine.store, model: counting, worker: { id: 'worker-2' } });
    onTestFinished(() => heir.worker.stop());
    heir.worker.start();
    const first = await pending();
    await decide(first, changes('shorter'));
    await decide(await after(first), { decision: 'approved' });
    expect((await heir.until('job')).status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'sender 1' } });
    expect(heir.modelCalls[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });

  test('cancelling or deleting a Task closes its review', async () => {
    const cancelled = await asked();
    await cancelled.runs.cancel(systemContext, { namespace: 'default', name: 'job' }, 'enough');
    expect((await cancelled.all('TaskApproval'))[0]?.status).toMatchObject({
      phase: 'Expired',
      lastError: expect.stringMatching(/task ended/) as string,
    });
    const deleted = await asked();
    const hooks = createTaskHooks({ store: deleted.engine.store, clock: systemClock, runListeners: noRunListeners });
    const task = { ...deleted.task, status: { phase: 'WaitingApproval' } };
    await deleted.engine.store.transaction(async (tx) => hooks.onDeleted?.(tx, task, systemContext.identity));
    expect((await deleted.all('TaskApproval'))[0]?.status).toMatchObject({
      phase: 'Expired',
      lastError: expect.stringMatching(/deleted/) as string,
    });
    expect(deleted.decisions.drafts).toEqual([]);
  });

  describe('the output of the whole task', () => {
    test('waits before the Task succeeds, and is its output once approved', async () => {
      const { pending, decide, engine } = await asked(byTask);
      const approval = await pending();
      expect(approval.spec).toMatchObject({
        checkpoint_type: 'task_output',
        checkpoint_id: 'final',
        agent: 'sender',
        output: 'sender 1',
        ttl: '10m',
      });
      await decide(approval, { decision: 'approved' });
      expect((await engine.until('job')).status).toMatchObject({
        phase: 'Succeeded',
        output: { last_output: 'sender 1', last_agent: 'sender' },
      });
    });

    test('is worked on again by the agent that gave it when it is sent back; its message is in flight meanwhile', async () => {
      let release: (() => void) | undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const model: NonNullable<EngineSetup['model']> = async (request, signal, options) => {
        if (request.agent === 'sender' && request.step === 2) await held;
        return counting(request, signal, options);
      };
      const { pending, after, decide, engine, runs } = await asked(byTask, { model });
      const first = await pending();
      await decide(first, changes('warmer'));
      await engine.until('job', ['Running']);
      expect((await engine.read('job')).status['messages']).toMatchObject([
        { phase: 'Succeeded' },
        { to_agent: 'sender', phase: 'Running' },
      ]);
      release?.();
      await decide(await after(first), { decision: 'approved' });
      expect((await engine.until('job')).status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'sender 2' } });
      expect((await engine.read('job')).status['messages']).toMatchObject([{ phase: 'Succeeded' }, { phase: 'Succeeded' }]);
      const { totals } = await runs.metrics(systemContext, { namespace: 'default', name: 'job' });
      expect(totals).toMatchObject({ messages: 2, succeeded: 2, in_flight: 0 });
    });
  });
});
