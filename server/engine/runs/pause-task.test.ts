// Pause and resume of whole runs, over both databases.
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { systemContext } from '../../registry/registry.ts';
import { transactAgain } from '../../store/write-race.ts';
import { requireApprovalOf, openApprovals, type ApprovalFixture } from '../../testing/approval-fixture.ts';
import { storeEngines } from '../../testing/background.ts';
import { dyingWorker } from '../../testing/dying-worker.ts';
import { openEngine, putSystem, waitFor, type EngineSetup } from '../../testing/engine.ts';
import { CallError } from '../ports.ts';
import type { RunChange } from '../run-listeners.ts';
import { TASK_QUEUE } from '../task-queue.ts';
import { pauseTask, resumeTask } from './pause-task.ts';

const REF = { namespace: 'default', name: 'task' };
const call = (id: string, name: string) => ({ id, name, arguments: '{}' });

/** Resolves `reached` at the first call, and holds it until `open` or its abort. */
function gate() {
  let reach = () => {};
  let open = () => {};
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  const hold = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      reach();
      void opened.then(resolve);
      signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    });
  return { reached, hold, open: () => open() };
}

interface World extends ApprovalFixture {
  readonly changes: string[];
  readonly pause: () => Promise<void>;
  readonly resume: () => Promise<void>;
  /** Resolves once no worker holds the paused run. */
  readonly rested: () => Promise<void>;
  /** Puts the Task without running it. */
  readonly add: (spec?: object) => Promise<void>;
  /** Claims the Task once, until it is released or ended. */
  readonly step: () => Promise<number>;
  readonly history: () => Promise<string[]>;
}

describe.each(storeEngines.filter(({ skip }) => !skip))('a paused run over $name', ({ open }) => {
  async function setup(options: EngineSetup = {}): Promise<World> {
    const changes: string[] = [];
    const noting = async (_tx: unknown, _task: unknown, change: RunChange) =>
      void changes.push(change.kind === 'ended' ? change.how : change.why);
    const runListeners = [{ name: 'noting', onRunChange: noting }];
    const fixture = await openApprovals({ runListeners, ...options, store: await open(systemClock) });
    const { engine } = fixture;
    onTestFinished(() => engine.close());
    await engine.put('Tool', 'pay', { type: 'http', endpoint: 'http://tool' });
    await putSystem(engine, { agent: { tools: ['pay'] } });
    let uid = '';
    const item = () => engine.store.getWorkItem(TASK_QUEUE, uid);
    const now = () => Date.now();
    return {
      ...fixture,
      changes,
      pause: () => transactAgain(engine.store, (tx) => pauseTask(tx, { uid }, { by: 'ann', reason: 'look first', now: now() })),
      resume: () => transactAgain(engine.store, (tx) => resumeTask(tx, { uid }, { by: 'ann', now: now() })),
      async rested() {
        await waitFor(engine.store, async () => ((await item())?.parked === true ? true : undefined));
        expect((await item())?.owner).toBeUndefined();
      },
      async add(spec = {}) {
        uid = (await engine.put('Task', 'task', { system: 'system', ...spec })).metadata.uid;
      },
      async step() {
        const claimed = await engine.worker.runOnce();
        await engine.worker.drain();
        return claimed;
      },
      history: async () => ((await engine.read('task')).status['history'] as { type: string }[]).map(({ type }) => type),
    };
  }

  test('aborts a model call, is held by no worker, and calls the model again with the same request id', async () => {
    const model = gate();
    let asked = 0;
    const world = await setup({
      model: async (_, signal) => {
        asked += 1;
        if (asked === 1) await model.hold(signal);
        return { content: 'done' };
      },
    });
    await world.add();
    world.engine.worker.start();
    await model.reached;
    await world.pause();
    await world.rested();
    const { status } = await world.engine.read('task');
    expect(status).toMatchObject({ phase: 'Running', blockedOn: { reason: 'paused by ann: look first' } });
    expect(status).not.toHaveProperty('claimedBy');
    const { reasons } = await world.runs.explain(systemContext, REF);
    expect(reasons).toMatchObject([{ code: 'paused', message: expect.stringContaining('paused by ann: look first') as string }]);
    await world.resume();
    expect((await world.engine.until('task')).status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'done' } });
    await world.engine.worker.drain();
    const [first, second] = world.engine.modelCalls;
    expect([asked, second?.requestId]).toEqual([2, first?.requestId]);
    expect(await world.history()).toEqual(['claim', 'running', 'paused', 'claim', 'resumed', 'succeeded']);
    expect(world.changes).toEqual(['paused', 'succeeded']);
  });

  test('records a tool call in flight, begins nothing after it, and does not send it again', async () => {
    const tool = gate();
    const world = await setup({
      model: ({ step }) => (step === 1 ? { toolCalls: [call('1', 'pay')] } : { content: 'done' }),
      tool: async (_, signal) => {
        await tool.hold(signal);
        return 'paid';
      },
    });
    await world.add();
    world.engine.worker.start();
    await tool.reached;
    await world.pause();
    await waitFor(world.engine.store, async () => ((await world.history()).includes('paused') ? true : undefined));
    const { reasons } = await world.runs.explain(systemContext, REF);
    expect((reasons as { code: string }[]).map(({ code }) => code)).toEqual(['running', 'paused', 'tool_call']);
    tool.open();
    await world.rested();
    expect([world.engine.toolCalls.length, world.engine.modelCalls.length]).toEqual([1, 1]);
    await world.resume();
    expect((await world.engine.until('task')).status).toMatchObject({ phase: 'Succeeded' });
    expect([world.engine.toolCalls.length, world.engine.modelCalls.length]).toEqual([1, 2]);
  });

  test('does not start before it is resumed', async () => {
    const world = await setup();
    await world.add();
    await world.pause();
    await world.step();
    expect(await world.step()).toBe(0);
    expect((await world.engine.read('task')).status).toMatchObject({ phase: 'Pending', attempts: 0 });
    await world.resume();
    await world.step();
    expect((await world.engine.read('task')).status).toMatchObject({ phase: 'Succeeded', attempts: 1 });
    expect(await world.history()).toEqual(['claim', 'paused', 'claim', 'resumed', 'running', 'succeeded']);
  });

  test('has no next attempt in the past when it is resumed before a tool is imported', async () => {
    const world = await setup();
    await world.engine.put('McpServer', 'files', { transport: 'http', url: 'http://files/mcp' });
    await world.engine.put('Agent', 'importer', { model_ref: 'mock', prompt: 'p', tools: ['files--read'] });
    await world.engine.put('AgentSystem', 'importing', { agents: ['importer'], graph: {} });
    await world.add({ system: 'importing' });
    await world.pause();
    await world.step();
    await world.resume();
    const before = Date.now();
    await world.step();
    const { status } = await world.engine.read('task');
    const history = status['history'] as { type: string; message: string }[];
    expect(history.map(({ message }) => message).filter((message) => message.includes('1970'))).toEqual([]);
    expect(Date.parse(String(status['nextAttemptAt'] ?? ''))).toBeGreaterThanOrEqual(before);
  });

  test('does not begin its next attempt before it is resumed', async () => {
    let calls = 0;
    const model = () => {
      calls += 1;
      return calls === 1 ? Promise.reject(new CallError('rate_limited', 'later', { retryable: true })) : { content: 'done' };
    };
    const world = await setup({ model });
    await world.add({ retry: { max_attempts: 2, backoff: '1h' }, message_retry: { max_attempts: 1 } });
    await world.step();
    await world.pause();
    await world.step();
    expect((await world.engine.read('task')).status).toMatchObject({
      phase: 'Pending',
      blockedOn: { reason: 'paused by ann: look first' },
    });
    await world.resume();
    await world.step();
    expect((await world.engine.read('task')).status).toMatchObject({
      phase: 'Pending',
      attempts: 1,
      nextAttemptAt: expect.any(String) as string,
    });
    expect([calls, world.changes]).toEqual([1, ['retry', 'paused', 'retry']]);
  });

  test('is cancelled at once', async () => {
    const world = await setup();
    await world.add();
    await world.pause();
    await world.step();
    await world.runs.cancel(systemContext, REF, 'enough');
    expect((await world.engine.read('task')).status).toMatchObject({ phase: 'Failed', reason: 'cancelled' });
    expect(world.changes).toEqual(['paused', 'cancelled']);
  });

  test('keeps its approvals open, and acts on their decision once it is resumed', async () => {
    const world = await setup({
      governance: requireApprovalOf('pay'),
      model: ({ step }) => (step === 1 ? { toolCalls: [call('1', 'pay')] } : { content: 'done' }),
    });
    await world.add();
    await world.step();
    await world.pause();
    await world.step();
    await world.decide(await world.pending(), { decision: 'approved' });
    await world.step();
    expect(world.engine.toolCalls).toHaveLength(0);
    expect((await world.runs.explain(systemContext, REF)).reasons).toMatchObject([{ code: 'paused' }]);
    await world.resume();
    await world.step();
    expect((await world.engine.read('task')).status).toMatchObject({ phase: 'Succeeded' });
    expect(world.engine.toolCalls).toHaveLength(1);
  });

  test('is continued by another worker than the one that held it', async () => {
    const world = await setup();
    await world.add();
    await world.pause();
    await world.step();
    await world.engine.worker.stop();
    const heir = await openEngine({ store: world.engine.store, worker: { id: 'worker-2' } });
    onTestFinished(() => heir.worker.stop());
    await world.resume();
    await heir.worker.runOnce();
    await heir.worker.drain();
    expect((await heir.read('task')).status).toMatchObject({ phase: 'Succeeded', assignedWorker: 'worker-2' });
  });

  test('stays paused when its worker dies at the pause; the next worker sends nothing before the resume', async () => {
    const world = await setup();
    await world.add();
    await dyingWorker(world.engine.store, 'w1').dieAt(0);
    await world.pause();
    await world.step();
    await world.rested();
    expect(world.engine.modelCalls).toHaveLength(0);
    expect(await world.history()).toEqual(['claim', 'running', 'takeover', 'paused']);
    await world.resume();
    await world.step();
    expect((await world.engine.read('task')).status).toMatchObject({ phase: 'Succeeded' });
    expect(world.engine.modelCalls).toHaveLength(1);
  });

  test('ignores a second pause and a resume too many', async () => {
    const world = await setup();
    await world.add();
    await world.resume();
    await world.pause();
    await world.pause();
    await world.step();
    expect(await world.step()).toBe(0);
    await world.resume();
    await world.step();
    expect(await world.history()).toEqual(['claim', 'paused', 'claim', 'resumed', 'running', 'succeeded']);
  });
});
