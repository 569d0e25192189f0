// Calls of unknown outcome over real stores: a worker dies while a risky tool runs, and a person reports the outcome.
import { createHash } from 'node:crypto';
import { hashedCallText } from '@svc/shared/call-hash';
import { toolApprovalSpec, toolApprovalStatus } from '@svc/shared/kinds/tool-approval/schema';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { hashText } from '../../decisions/decision-crypto.ts';
import { silentObserver } from '../observer.ts';
import { systemContext, type Registry, type RequestContext } from '../../registry/registry.ts';
import { keptDecisions } from '../../testing/approval-deps.ts';
import { storeEngines } from '../../testing/background.ts';
import { openEngine, putSystem, toTestResource, type EngineBundle, type EngineSetup } from '../../testing/engine.ts';
import { noRunListeners } from '../run-listeners.ts';
import { createRunService } from '../runs/create-run-service.ts';
import { createTaskHooks } from '../runs/task-hooks.ts';
import { claimUnheld } from '../runs/unheld-claim.ts';
import { failBroken } from '../shell/begin-run.ts';
import { journalHead } from '../shell/fold-journal.ts';
import { TASK_QUEUE } from '../task-queue.ts';
import { createApprovalHooks } from './approval-hooks.ts';
import { createApprovalExpiry } from './expiry.ts';
import { APPROVAL_EXPIRY_QUEUE } from './timers.ts';

const call = (id: string, name: string, input: unknown = {}) => ({ id, name, arguments: JSON.stringify(input) });
const never = (_: unknown, signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
const model: NonNullable<EngineSetup['model']> = ({ step, messages }) =>
  step === 1 ? { toolCalls: [call('a', 'pay', { sum: 3, to: 'x' })] } : { content: `told: ${messages.at(-1)?.content ?? ''}` };

const runsOf = ({ store }: EngineBundle) =>
  createRunService({ store, observer: silentObserver, runListeners: noRunListeners, registry: {} as Registry, ...keptDecisions() });
const approvalsOf = ({ store }: EngineBundle) => store.listObjects({ kind: 'ToolApproval', limit: 10 });
async function theApproval(engine: EngineBundle) {
  const [approval] = await approvalsOf(engine);
  if (!approval) throw new Error('no approval was made');
  return approval;
}
const refOf = ({ name }: { name: string }) => ({ kind: 'ToolApproval', namespace: 'default', name }) as const;
const timerOf = ({ uid: key, name }: { uid: string; name: string }) => ({ key, namespace: 'default', name });
const types = (items: unknown) => (items as { type: string }[]).map(({ type }) => type);

describe.each(storeEngines.filter(({ skip }) => !skip))('over $name', ({ open }) => {
  /** A Task whose worker ended during a payment, before the result was recorded; another worker has claimed it. */
  async function asked(options: { agent?: Record<string, unknown>; heirTool?: EngineSetup['tool'] } = {}) {
    const dead = await openEngine({
      model,
      tool: never,
      store: await open(systemClock),
      worker: { stopGraceMs: 0 },
    });
    onTestFinished(() => dead.close());
    await dead.put('Tool', 'pay', { type: 'http', risk_level: 'high', operation_classes: ['read', 'write'] });
    await putSystem(dead, { agent: { tools: ['pay'], ...options.agent } });
    const task = await dead.put('Task', 'left', { system: 'system' });
    await dead.worker.runOnce();
    await expect.poll(() => dead.toolCalls.length, { interval: 2 }).toBe(1);
    await dead.worker.stop();
    const heir = await openEngine({
      model,
      store: dead.store,
      worker: { id: 'worker-2', stopGraceMs: 0 },
      ...(options.heirTool && { tool: options.heirTool }),
    });
    onTestFinished(() => heir.worker.stop());
    heir.worker.start();
    await heir.until('left', ['WaitingApproval']);
    return { dead, heir, task, approval: await theApproval(heir), runs: runsOf(heir) };
  }

  test('an approval shows the call, its input, when it was sent, and the deadline', async () => {
    const { approval, heir, task, dead } = await asked();
    expect(toolApprovalSpec.parse(approval.spec)).toEqual(approval.spec);
    expect(toolApprovalStatus.parse(approval.status)).toEqual(approval.status);
    expect(approval).toMatchObject({
      labels: { 'svc.dev/task-uid': task.metadata.uid },
      annotations: {
        'svc.dev/task-uid': task.metadata.uid,
        'svc.dev/approval-reason': 'unknown_outcome',
        'svc.dev/tool-request-id': dead.toolCalls[0]?.requestId,
      },
      spec: {
        task_ref: 'left',
        tool: 'pay',
        operation_class: 'write',
        agent: 'agent',
        input: '{"sum":3,"to":"x"}',
        input_hash: `sha256:${createHash('sha256').update('{"sum":3,"to":"x"}').digest('hex')}`,
        ttl: '24h',
      },
      status: { phase: 'Pending' },
    });
    expect(approval.spec['reason']).toMatch(/^unknown_outcome: the call of pay was sent at .+Z and no answer came/);
    expect(Date.parse(String(approval.status['expires_at'])) - Date.parse(approval.createdAt)).toBe(24 * 3_600_000);
    const { status } = await heir.read('left');
    expect(status).toMatchObject({
      phase: 'WaitingApproval',
      waitingSince: expect.any(String),
      blockedOn: { kind: 'ToolApproval', name: approval.name },
    });
    expect(types(status['trace'])).toContain('tool_approval_pending');
    expect(types(status['history'])).toEqual(['claim', 'running', 'released', 'claim', 'waiting_approval']);
    expect(await heir.store.getWorkItem('task', task.metadata.uid)).toMatchObject({ parked: true, owner: undefined });
    expect(heir.worker.held()).toBe(0);
  });

  describe('a decision', () => {
    test('done gives the model the output from the decision, and the call is not repeated', async () => {
      const { heir, approval, runs } = await asked();
      const request = {
        decision: 'approved',
        outcome: 'done',
        output: { receipt: 7 },
        decided_by: 'ann',
        comment: 'seen at the bank',
      } as const;
      const decided = await runs.decide(systemContext, refOf(approval), request);
      expect(decided.status).toMatchObject({ phase: 'Approved', decision: 'approved', decided_by: 'ann', outcome: 'done' });
      expect((await heir.until('left')).status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'told: {"receipt":7}' } });
      expect(heir.toolCalls).toEqual([]);
      const { status } = await heir.read('left');
      expect(status).toMatchObject({ waitedMs: expect.any(Number) });
      expect(status).not.toHaveProperty('waitingSince');
      expect(types(status['history'])).toEqual([
        'claim',
        'running',
        'released',
        'claim',
        'waiting_approval',
        'claim',
        'resumed',
        'succeeded',
      ]);
      const resolved = (status['trace'] as Record<string, unknown>[]).find(({ type }) => type === 'tool_approval_resolved');
      expect(resolved).toMatchObject({ tool: 'pay', reviewer: 'ann', comment: 'seen at the bank' });
      expect(status['output']).toMatchObject({ last_tool_calls: '1' });
    });

    test('done without an output reports to the model that the call was carried out', async () => {
      const { heir, approval, runs } = await asked();
      await runs.decide(systemContext, refOf(approval), { decision: 'approved', outcome: 'done' });
      const { output } = (await heir.until('left')).status as { output: Record<string, string> };
      expect(output['last_output']).toMatch(/was carried out/);
    });

    test('not_done reports to the model that the call did not run, and the run continues', async () => {
      const { heir, approval, runs } = await asked();
      await runs.decide(systemContext, refOf(approval), { decision: 'approved', outcome: 'not_done' });
      const { output } = (await heir.until('left')).status as { output: Record<string, string> };
      expect(output['last_output']).toMatch(/"code":"execution_failed".*was not carried out/);
      expect(heir.toolCalls).toEqual([]);
    });

    test('run_again: the same call is sent with the same request id', async () => {
      const { dead, heir, approval, runs } = await asked();
      await runs.decide(systemContext, refOf(approval), { decision: 'approved', outcome: 'run_again' });
      expect((await heir.until('left')).status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'told: ok' } });
      expect(heir.toolCalls.map(({ requestId, input }) => [requestId, input])).toEqual([
        [dead.toolCalls[0]?.requestId, dead.toolCalls[0]?.input],
      ]);
      const { requestId: request_id = '', input = {} } = dead.toolCalls[0] ?? {};
      const callHash = hashText(hashedCallText({ tool: 'default/pay', task: 'default/left', request_id, input }));
      expect(heir.toolCalls[0]?.approved).toEqual({ decision: 1, callHash });
    });

    test('a call that is lost again after run_again gets another approval under another name', async () => {
      const { heir, approval, runs } = await asked({ heirTool: never });
      await runs.decide(systemContext, refOf(approval), { decision: 'approved', outcome: 'run_again' });
      await expect.poll(() => heir.toolCalls.length, { interval: 2 }).toBe(1);
      await heir.worker.stop();
      const third = await openEngine({ model, store: heir.store, worker: { id: 'worker-3' } });
      onTestFinished(() => third.worker.stop());
      third.worker.start();
      await third.until('left', ['WaitingApproval']);
      const names = (await approvalsOf(third)).map(({ name, status }) => [name, status['phase']]);
      expect(names).toEqual([
        [approval.name, 'Approved'],
        [`${approval.name}-2`, 'Pending'],
      ]);
      expect(third.toolCalls).toEqual([]);
    });

    test('denied: the Task ends as approval_denied with the reviewer in its error', async () => {
      const { heir, approval, runs } = await asked();
      await runs.decide(systemContext, refOf(approval), { decision: 'denied', decided_by: 'ann', comment: 'fraud' });
      const { status } = await heir.until('left');
      expect(status).toMatchObject({ phase: 'Failed', reason: 'approval_denied' });
      expect(status['lastError']).toMatch(/denied by ann: fraud/);
      expect(heir.toolCalls).toEqual([]);
    });

    test('is made once, within the time, on an approval that exists', async () => {
      const { approval, runs } = await asked();
      await expect(runs.decide(systemContext, refOf({ name: 'nope' }), { decision: 'denied' })).rejects.toMatchObject({
        code: 'not_found',
      });
      await runs.decide(systemContext, refOf(approval), { decision: 'denied' });
      await expect(runs.decide(systemContext, refOf(approval), { decision: 'denied' })).rejects.toMatchObject({ code: 'conflict' });
    });

    test('an approval without the outcome of the call is refused with the choices; edited input is refused', async () => {
      const { approval, runs } = await asked();
      const decide = (request: object) => runs.decide(systemContext, refOf(approval), { decision: 'approved', ...request });
      await expect(decide({})).rejects.toMatchObject({
        code: 'invalid',
        message: expect.stringMatching(/outcome.*done.*not_done.*run_again/) as string,
      });
      await expect(decide({ outcome: 'perhaps' })).rejects.toMatchObject({ code: 'invalid' });
      await expect(decide({ outcome: 'not_done', output: 'x' })).rejects.toMatchObject({ code: 'invalid' });
      await expect(decide({ outcome: 'run_again', input: { sum: 4 } })).rejects.toMatchObject({
        message: expect.stringMatching(/input/) as string,
      });
    });

    test('limits the length of output, comment and name', async () => {
      const { approval, runs } = await asked();
      const decide = (request: object) =>
        runs.decide(systemContext, refOf(approval), { decision: 'approved', outcome: 'done', ...request });
      const tooLarge = { output: 'x'.repeat(1024 * 1024 + 1), comment: 'x'.repeat(64 * 1024 + 1), decided_by: 'x'.repeat(257) };
      for (const [path, text] of Object.entries(tooLarge))
        await expect(decide({ [path]: text })).rejects.toMatchObject({ code: 'invalid', details: [{ path }] });
      const { status } = await decide({ output: 'x'.repeat(1024 * 1024) });
      expect(status).toMatchObject({ phase: 'Approved' });
    });

    test('with auth on, a decision is recorded under the caller, with the named person as on_behalf_of', async () => {
      const { approval, runs } = await asked();
      const caller: RequestContext = { identity: { method: 'bearer', name: 'bot', role: 'writer' }, requestId: 'r' };
      const { status } = await runs.decide(caller, refOf(approval), { decision: 'denied', decided_by: 'ann' });
      expect(status).toMatchObject({ decided_by: 'bot', on_behalf_of: 'ann' });
      const reader: RequestContext = { identity: { method: 'bearer', name: 'eye', role: 'reader' }, requestId: 'r' };
      await expect(runs.decide(reader, refOf(approval), { decision: 'denied' })).rejects.toMatchObject({ code: 'forbidden' });
    });

    test('on one that no run waits for is recorded and changes nothing', async () => {
      const { heir, runs } = await asked();
      await heir.put('ToolApproval', 'own', { task_ref: 'left', tool: 'pay', ttl: '10m' });
      const decided = await runs.decide(systemContext, refOf({ name: 'own' }), { decision: 'approved' });
      expect(decided.status).toMatchObject({ phase: 'Approved', decision: 'approved' });
      expect((await heir.read('left')).status['phase']).toBe('WaitingApproval');
    });
  });

  describe('without a decision', () => {
    test('an approval that nobody decides expires and ends its Task as approval_timeout', async () => {
      const { heir, approval } = await asked();
      const later = Date.parse(String(approval.status['expires_at']));
      expect(await heir.store.getWorkItem(APPROVAL_EXPIRY_QUEUE, approval.uid)).toMatchObject({ notBefore: later });
      await heir.store.transaction((tx) => createApprovalExpiry(keptDecisions())(tx, timerOf(approval), later));
      expect((await heir.until('left')).status).toMatchObject({ phase: 'Failed', reason: 'approval_timeout' });
      expect((await theApproval(heir)).status).toMatchObject({ phase: 'Expired', closed_at: approval.status['expires_at'] });
    });

    test('a directly written status reaches the run at its expiry', async () => {
      const { heir, approval } = await asked();
      const status = { phase: 'Approved', outcome: 'done', output: 'by hand' };
      await heir.store.transaction((tx) => tx.updateObject({ ...approval, resourceVersion: approval.resourceVersion + 1, status }));
      await heir.store.transaction((tx) => createApprovalExpiry(keptDecisions())(tx, timerOf(approval), Date.now()));
      expect((await heir.until('left')).status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'told: by hand' } });
    });

    test('deleting it denies the call', async () => {
      const { heir, approval } = await asked();
      const hooks = createApprovalHooks(keptDecisions(), heir.store);
      await heir.store.transaction(async (tx) => {
        await tx.deleteObject(approval, approval.updatedAt);
        await hooks.onDeleted?.(tx, toTestResource(approval), systemContext.identity);
      });
      const { status } = await heir.until('left');
      expect(status).toMatchObject({ phase: 'Failed', reason: 'approval_denied' });
      expect(status['lastError']).toMatch(/the approval was deleted/);
    });

    test('a Task that is cancelled ends at once and closes its approval', async () => {
      const { heir, approval, runs } = await asked();
      const cancelled = await runs.cancel(systemContext, { namespace: 'default', name: 'left' }, 'no longer needed');
      expect(cancelled.status).toMatchObject({ phase: 'Failed', reason: 'cancelled' });
      expect((await theApproval(heir)).status).toMatchObject({
        phase: 'Expired',
        lastError: expect.stringMatching(/task ended/) as string,
        closed_at: cancelled.status['completedAt'],
      });
      expect(await heir.store.getWorkItem(APPROVAL_EXPIRY_QUEUE, approval.uid)).toBeUndefined();
      await expect(runs.decide(systemContext, refOf(approval), { decision: 'denied' })).rejects.toMatchObject({ code: 'conflict' });
    });

    test('a run that the engine cannot continue closes its approval and keeps its attempts', async () => {
      const { heir, task } = await asked();
      await heir.worker.stop();
      const now = Date.now();
      await heir.store.transaction(async (tx) => {
        await tx.removeUnclaimedWork(TASK_QUEUE, task.metadata.uid);
        const claim = await claimUnheld(tx, task.metadata, { owner: 'w', now });
        const lastSeq = await journalHead(tx, claim.key);
        const decide = { now, random: () => 0, worker: 'w' };
        await failBroken(tx, { claim, lastSeq, decide, runListeners: noRunListeners }, new Error('broken'));
      });
      expect((await heir.read('left')).status).toMatchObject({ phase: 'Failed', reason: 'internal_error', attempts: 1 });
      expect((await theApproval(heir)).status).toMatchObject({
        phase: 'Expired',
        lastError: expect.stringMatching(/failed before/) as string,
      });
    });

    test('a Task that is deleted closes its approval', async () => {
      const { heir, task } = await asked();
      const hooks = createTaskHooks({ store: heir.store, clock: systemClock, runListeners: noRunListeners });
      await heir.store.transaction(
        (tx) => hooks.onDeleted?.(tx, { ...task, status: { phase: 'WaitingApproval' } }, systemContext.identity) ?? Promise.resolve(),
      );
      expect((await theApproval(heir)).status).toMatchObject({ phase: 'Expired', lastError: expect.stringMatching(/deleted/) as string });
    });
  });

  test('the time a person takes does not count against the timeout of the agent', async () => {
    const { heir, approval, runs } = await asked({ agent: { limits: { timeout: '2s' } } });
    await expect.poll(() => Date.now() > Date.parse(approval.createdAt) + 2_100, { interval: 20 }).toBe(true);
    await runs.decide(systemContext, refOf(approval), { decision: 'approved', outcome: 'done' });
    expect((await heir.until('left')).status).toMatchObject({ phase: 'Succeeded' });
  });
});
