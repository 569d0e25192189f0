// Governed runs over real stores: denials, approvals by rule, revocations, budgets, and replies that come while nobody has the run.
import { ServiceError } from '@svc/shared/errors';
import { describe, expect, onTestFinished, test } from 'vitest';
import { timestamp, systemClock } from '../../clock.ts';
import type { Signal } from '../../store/store.ts';
import { storeEngines } from '../../testing/background.ts';
import { openEngine, putSystem, type EngineBundle, type EngineSetup } from '../../testing/engine.ts';
import {
  allowCall,
  allowModel,
  approvalForCall,
  denyCall,
  scriptedGovernance,
  type ScriptedGovernance,
} from '../../testing/scripted-governance.ts';
import { APPROVAL_SIGNAL } from '../approvals/approval-signal.ts';
import type { ApprovalVerdict } from '../core/entries.ts';
import { CallError, TOOL_REPLY_SIGNAL } from '../ports.ts';
import { TASK_QUEUE } from '../task-queue.ts';

const call = (id: string, name: string, input: unknown = {}) => ({ id, name, arguments: JSON.stringify(input) });
const never = (_: unknown, signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
const pays: NonNullable<EngineSetup['model']> = ({ step, messages }) =>
  step === 1 ? { toolCalls: [call('a', 'pay', { sum: 3 })] } : { content: `told: ${messages.at(-1)?.content ?? ''}` };
const AGENTS = { agent: { tools: ['pay', 'look'] } };
const approved = { decision: 'approved', decision_record: 4, call_hash: 'sha256:c' } as const;
const trace = async (engine: EngineBundle) => (await engine.read('task')).status['trace'] as Record<string, unknown>[];

async function send(engine: EngineBundle, signal: Pick<Signal, 'type' | 'data'>): Promise<void> {
  const task = await engine.store.getObject({ kind: 'Task', namespace: 'default', name: 'task' });
  const stream = task?.uid ?? '';
  await engine.store.transaction((tx) => tx.sendSignal(TASK_QUEUE, { ...signal, stream, timestamp: timestamp(Date.now()) }));
}
const decide = (engine: EngineBundle, verdict: ApprovalVerdict) => send(engine, { type: APPROVAL_SIGNAL, data: { ...verdict } });

describe.each(storeEngines.filter(({ skip }) => !skip))('over $name', ({ open }) => {
  interface World {
    readonly engine: EngineBundle;
    readonly governance: ScriptedGovernance;
  }

  async function world(options: EngineSetup = {}, agents: Record<string, Record<string, unknown>> = AGENTS): Promise<World> {
    const governance = scriptedGovernance();
    const engine = await openEngine({ model: pays, governance, store: await open(systemClock), ...options });
    onTestFinished(() => engine.close());
    await engine.put('Tool', 'pay', { type: 'http', risk_level: 'low' });
    await engine.put('Tool', 'look', { type: 'http', risk_level: 'low' });
    await putSystem(engine, agents);
    return { engine, governance };
  }

  async function begin({ engine }: World): Promise<void> {
    engine.worker.start();
    await engine.put('Task', 'task', { system: 'system' });
  }

  async function approvals(engine: EngineBundle, count: number): Promise<string[]> {
    await engine.until('task', ['WaitingApproval']);
    const found = await engine.store.listObjects({ kind: 'ToolApproval', limit: 10 });
    expect(found).toHaveLength(count);
    return found.map(({ name }) => name);
  }

  test('a denied call never reaches its tool, and the task reports which rule decided', async () => {
    const here = await world();
    here.governance.call = () => denyCall;
    await begin(here);
    const { status } = await here.engine.until('task');
    expect(status).toMatchObject({ phase: 'Failed', reason: 'permission_denied', lastError: 'ToolPermission default/careful denies it' });
    expect(here.engine.toolCalls).toEqual([]);
    expect(await trace(here.engine)).toContainEqual(
      expect.objectContaining({ type: 'tool_permission_denied', tool: 'pay', error_reason: 'operation_rule' }),
    );
  });

  test('a step costs as many commits with a judge as without', async () => {
    const here = await world();
    const commits: number[] = [];
    const unsubscribe = here.engine.store.onCommit(({ journals }) => commits.push(journals.size));
    await begin(here);
    await here.engine.until('task');
    unsubscribe();
    // Claim and start, the model's answer with its call, the call's result with the next model call, the answer with the end.
    expect(commits.filter((grown) => grown > 0)).toHaveLength(4);
    expect(here.governance.judged).toEqual(['pay']);
  });

  test('an approved call runs in place, bound to its decision; nothing before it runs again', async () => {
    const here = await world();
    here.governance.call = () => approvalForCall;
    await begin(here);
    const [name = ''] = await approvals(here.engine, 1);
    expect(here.engine.toolCalls).toEqual([]);
    await decide(here.engine, { name, ...approved });
    expect((await here.engine.until('task')).status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'told: ok' } });
    expect(here.engine.toolCalls).toMatchObject([{ input: { sum: 3 }, approved: { decision: 4, callHash: 'sha256:c' } }]);
    expect(here.engine.modelCalls).toHaveLength(2);
  });

  test('an edited call runs with the reviewer’s input, and the model receives the change', async () => {
    const here = await world();
    here.governance.call = () => approvalForCall;
    await begin(here);
    const [name = ''] = await approvals(here.engine, 1);
    await decide(here.engine, { name, ...approved, edited_input: { sum: 2 } });
    const { status } = await here.engine.until('task');
    expect(here.engine.toolCalls).toMatchObject([{ input: { sum: 2 } }]);
    expect(status['output']).toMatchObject({
      last_output: expect.stringMatching(/reviewer changed the input.*\{"sum":2\}\n\nok/) as string,
    });
  });

  test('several calls of one step wait at once, what is allowed runs meanwhile, and each is decided for itself', async () => {
    const model: EngineSetup['model'] = ({ step }) =>
      step === 1 ? { toolCalls: [call('a', 'pay', { n: 1 }), call('b', 'look'), call('c', 'pay', { n: 2 })] } : { content: 'done' };
    const here = await world({ model });
    here.governance.call = ({ tool }) => (tool.ref === 'pay' ? approvalForCall : allowCall);
    await begin(here);
    const [first = '', second = ''] = await approvals(here.engine, 2);
    expect(here.engine.toolCalls.map(({ tool }) => tool.name)).toEqual(['look']);
    await decide(here.engine, { name: first, ...approved });
    await expect.poll(() => here.engine.toolCalls.length, { interval: 2 }).toBe(2);
    await here.engine.until('task', ['WaitingApproval']);
    await decide(here.engine, { name: second, ...approved });
    expect((await here.engine.until('task')).status).toMatchObject({ phase: 'Succeeded', output: { last_tool_calls: '3' } });
    expect(here.engine.toolCalls).toHaveLength(3);
  });

  test('a call whose permission is revoked between the approval and the run does not run', async () => {
    const here = await world();
    here.governance.call = () => approvalForCall;
    await begin(here);
    const [name = ''] = await approvals(here.engine, 1);
    here.governance.call = () => denyCall;
    await decide(here.engine, { name, ...approved });
    expect((await here.engine.until('task')).status).toMatchObject({ phase: 'Failed', reason: 'permission_denied' });
    expect(here.engine.toolCalls).toEqual([]);
  });

  test('a model that is not allowed is never called', async () => {
    const here = await world();
    const message = 'AgentPolicy default/thrift does not allow mock';
    here.governance.model = () => ({
      verdict: 'deny',
      code: 'policy_violation',
      reason: 'model_not_allowed',
      message,
      rule: { kind: 'AgentPolicy', namespace: 'default', name: 'thrift', path: 'spec.allowed_models' },
      findings: [],
    });
    await begin(here);
    expect((await here.engine.until('task')).status).toMatchObject({ phase: 'Failed', reason: 'policy_violation', lastError: message });
    expect(here.engine.modelCalls).toEqual([]);
  });

  test('a budget is one for all branches: when it is used up, calls in flight of other branches are aborted', async () => {
    let aborted = 0;
    const model: EngineSetup['model'] = ({ agent }) =>
      agent === 'slow'
        ? { toolCalls: [call('a', 'pay')] }
        : { content: 'done', usage: { inputTokens: 90, outputTokens: 0, source: 'provider' } };
    const tool: EngineSetup['tool'] = (invocation, signal) => {
      signal.addEventListener('abort', () => (aborted += 1));
      return never(invocation, signal);
    };
    const here = await world({ model, tool }, { slow: { tools: ['pay'] }, thirsty: {} });
    await here.engine.put('AgentSystem', 'both', { agents: ['slow', 'thirsty'], graph: { slow: {}, thirsty: {} } });
    here.governance.model = () => allowModel(100);
    here.engine.worker.start();
    await here.engine.put('Task', 'task', { system: 'both' });
    const { status } = await here.engine.until('task');
    expect(status).toMatchObject({ phase: 'Failed', reason: 'token_budget_exceeded', output: { tokens_used_total: '105' } });
    await here.engine.worker.drain();
    expect(aborted).toBe(here.engine.toolCalls.length);
  });

  test('the judge waits for an unavailable store, at the claim and later, and no call is sent meanwhile', async () => {
    const here = await world();
    let asked = 0;
    const answering = <V>(verdict: V) => {
      asked += 1;
      if (asked % 2 === 1) throw new ServiceError('unavailable', 'the store does not answer');
      return verdict;
    };
    here.governance.model = () => answering(allowModel());
    here.governance.call = () => answering(allowCall);
    await begin(here);
    expect((await here.engine.until('task')).status).toMatchObject({ phase: 'Succeeded', attempts: 1 });
    expect(asked).toBe(6);
    expect([here.engine.modelCalls.length, here.engine.toolCalls.length]).toEqual([2, 1]);
  });

  describe('a reply from outside', () => {
    const requestOf = ({ toolCalls }: EngineBundle) => toolCalls[0]?.requestId;

    test('ends the call that is in flight', async () => {
      const here = await world({ tool: never });
      await begin(here);
      await expect.poll(() => here.engine.toolCalls.length, { interval: 2 }).toBe(1);
      const reply = { status: 'ok', output: 'paid by phone' };
      await send(here.engine, { type: TOOL_REPLY_SIGNAL, data: { request_id: requestOf(here.engine), reply } });
      expect((await here.engine.until('task')).status).toMatchObject({
        phase: 'Succeeded',
        output: { last_output: 'told: paid by phone' },
      });
    });

    test.each(['low', 'high'])(
      'that arrived while the run was unclaimed ends it before any call is resent or approval requested (risk %s)',
      async (risk) => {
        const dead = await world({ tool: never, worker: { stopGraceMs: 0 } });
        await dead.engine.put('Tool', 'risky', { type: 'http', risk_level: risk });
        const model: EngineSetup['model'] = ({ step, messages }) =>
          step === 1 ? { toolCalls: [call('a', 'risky')] } : { content: `told: ${messages.at(-1)?.content ?? ''}` };
        const first = await openEngine({ store: dead.engine.store, model, tool: never, worker: { stopGraceMs: 0 } });
        onTestFinished(() => first.worker.stop());
        await dead.engine.put('Agent', 'payer', { model_ref: 'mock', tools: ['risky'] });
        await dead.engine.put('AgentSystem', 'paying', { agents: ['payer'] });
        await dead.engine.put('Task', 'task', { system: 'paying' });
        await first.worker.runOnce();
        await expect.poll(() => first.toolCalls.length, { interval: 2 }).toBe(1);
        await first.worker.stop();
        const reply = { status: 'ok', output: 'paid by phone' };
        await send(first, { type: TOOL_REPLY_SIGNAL, data: { request_id: requestOf(first), reply } });
        const heir = await openEngine({ store: dead.engine.store, model, worker: { id: 'worker-2' } });
        onTestFinished(() => heir.worker.stop());
        heir.worker.start();
        expect((await heir.until('task')).status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'told: paid by phone' } });
        expect(heir.toolCalls).toEqual([]);
        expect(await heir.store.listObjects({ kind: 'ToolApproval', limit: 10 })).toEqual([]);
      },
    );
  });

  test('a reply that arrives while its call waits for the report of a person withdraws the approval', async () => {
    const agents = { agent: { tools: ['risky'] } };
    const model: EngineSetup['model'] = ({ step, messages }) =>
      step === 1 ? { toolCalls: [call('a', 'risky')] } : { content: `told: ${messages.at(-1)?.content ?? ''}` };
    const here = await world({ model, tool: never, worker: { stopGraceMs: 0 } }, agents);
    await here.engine.put('Tool', 'risky', { type: 'http', risk_level: 'high' });
    await here.engine.put('Task', 'task', { system: 'system' });
    await here.engine.worker.runOnce();
    await expect.poll(() => here.engine.toolCalls.length, { interval: 2 }).toBe(1);
    await here.engine.worker.stop();
    const heir = await openEngine({ store: here.engine.store, model, worker: { id: 'worker-2' } });
    onTestFinished(() => heir.worker.stop());
    heir.worker.start();
    await approvals(heir, 1);
    const reply = { status: 'ok', output: 'paid by phone' };
    await send(heir, { type: TOOL_REPLY_SIGNAL, data: { request_id: here.engine.toolCalls[0]?.requestId, reply } });
    expect((await heir.until('task')).status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'told: paid by phone' } });
    expect(await heir.store.listObjects({ kind: 'ToolApproval', limit: 10 })).toMatchObject([{ status: { phase: 'Expired' } }]);
  });

  test('a call that was cut off by a crash is judged again before it is sent again', async () => {
    const here = await world({ tool: never, worker: { stopGraceMs: 0 } });
    await here.engine.put('Task', 'task', { system: 'system' });
    await here.engine.worker.runOnce();
    await expect.poll(() => here.engine.toolCalls.length, { interval: 2 }).toBe(1);
    await here.engine.worker.stop();
    here.governance.call = () => denyCall;
    const heir = await openEngine({ store: here.engine.store, model: pays, governance: here.governance, worker: { id: 'worker-2' } });
    onTestFinished(() => heir.worker.stop());
    heir.worker.start();
    expect((await heir.until('task')).status).toMatchObject({ phase: 'Failed', reason: 'permission_denied' });
    expect(heir.toolCalls).toEqual([]);
  });

  test('progress of a call before it runs is published as coalesced events; its failure record holds where it ran', async () => {
    const tool: EngineSetup['tool'] = (_call, _signal, { onProgress }) => {
      for (let n = 1; n <= 50; n += 1) onProgress?.({ type: 'tool.image_pull', message: `layer ${n} of 50`, data: { image: 'busybox' } });
      throw new CallError('execution_failed', 'exit code 1', { retryable: false, isolation: { mode: 'container', exit_code: 1 } });
    };
    const here = await world({ tool });
    await begin(here);
    await here.engine.until('task');
    const published = async () =>
      (await here.engine.store.readChanges({ after: 0, limit: 1_000 })).flatMap(({ fact, kind, name }) =>
        fact?.type === 'tool.image_pull' ? [{ kind, name, message: fact.message, data: fact.data }] : [],
      );
    await expect.poll(async () => (await published()).length, { interval: 10 }).toBe(2);
    const said = (message: string) => ({ kind: 'Task', name: 'task', message, data: { tool: 'pay', agent: 'agent', image: 'busybox' } });
    expect(await published()).toMatchObject([said('layer 1 of 50'), said('layer 50 of 50')]);
    const entries = await here.engine.store.readJournal((await here.engine.read('task')).metadata.uid, 0, 100);
    expect(entries.find(({ type }) => type === 'tool.failed')?.data).toMatchObject({ isolation: { mode: 'container', exit_code: 1 } });
  });
});
