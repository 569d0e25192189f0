// Duties of a worker beside running: it releases Tasks it cannot run, reads signals without a notice, and reports to observers.
import { expect, onTestFinished, test, vi } from 'vitest';
import { createRunService } from '../engine/runs/create-run-service.ts';
import { silentObserver, type RunObserver } from '../engine/observer.ts';
import { CANCEL_SIGNAL } from '../engine/shell/signals.ts';
import { TASK_QUEUE } from '../engine/task-queue.ts';
import { systemContext, type Registry } from '../registry/registry.ts';
import type { Store } from '../store/store.ts';
import { createLogger } from '../log/log.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { keptDecisions } from '../testing/approval-deps.ts';
import { requireApprovalOf, openApprovals } from '../testing/approval-fixture.ts';
import { scriptedInputs } from '../testing/scripted-inputs.ts';
import { allowAll, openEngine, putSystem, type EngineBundle, type EngineSetup } from '../testing/engine.ts';
import { noRunListeners } from '../engine/run-listeners.ts';
import { overlay } from '../overlay.ts';

async function setup(options: EngineSetup = {}): Promise<EngineBundle> {
  const engine = await openEngine(options);
  onTestFinished(() => engine.close());
  return engine;
}

const keyless = { capabilities: () => ({ gpu: false, supportedModels: [], secrets: false }) };
const never = (_: unknown, signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

async function taskWithTool(engine: EngineBundle, toolSpec: Record<string, unknown>) {
  await engine.put('Tool', 'pay', { type: 'http', risk_level: 'low', ...toolSpec });
  await putSystem(engine, { agent: { tools: ['pay'] } });
  return engine.put('Task', 'task', { system: 'system' });
}

test.each([
  ['an auth Secret', { auth: { secretRef: 'key' } }],
  ['a Secret in the environment of a command', { type: 'cli', cli: { command: 'x', env_from: [{ name: 'K', secretRef: 'key' }] } }],
  ['an image pull Secret', { type: 'cli', cli: { command: 'x', image_pull_secret: 'key' } }],
])('a worker without the key hands on a Task that needs %s, and one with the key runs it', async (_, spec) => {
  const first = await setup({ worker: keyless });
  await first.put('Secret', 'key', { data: {} });
  const task = await taskWithTool(first, spec);
  await first.worker.runOnce();
  expect(await first.store.getWorkItem(TASK_QUEUE, task.metadata.uid)).toMatchObject({ owner: undefined, requirements: { secrets: true } });
  expect(await first.store.readJournal(task.metadata.uid, 0, 10)).toEqual([]);
  expect(await first.worker.runOnce()).toBe(0);
  const second = await openEngine({ store: first.store, worker: { id: 'worker-2' } });
  onTestFinished(() => second.worker.stop());
  await second.worker.runOnce();
  expect((await second.until('task')).status).toMatchObject({ phase: 'Succeeded', assignedWorker: 'worker-2' });
});

test('a missing Secret keeps no worker from a Task: its value may be in the environment', async () => {
  const engine = await setup({ worker: keyless });
  await taskWithTool(engine, { auth: { secretRef: 'key' } });
  await engine.worker.runOnce();
  expect((await engine.until('task')).status).toMatchObject({ phase: 'Succeeded' });
});

const MCP_TOOL = { type: 'mcp', mcp_server_ref: 'notes', mcp_tool_name: 'pay' };
const stdioServer = { transport: 'stdio', command: 'notes' };

async function putWorker(engine: EngineBundle, status: Record<string, unknown>) {
  await engine.put('Worker', 'other', {});
  await engine.store.transaction(async (tx) => {
    const worker = await tx.getObjectForUpdate({ kind: 'Worker', namespace: 'default', name: 'other' });
    if (worker) await tx.updateObject({ ...worker, resourceVersion: worker.resourceVersion + 1, status });
  });
}

test('a worker that starts no programs hands on a Task with a tool of one, and a worker that does runs it', async () => {
  const first = await setup();
  await first.put('McpServer', 'notes', stdioServer);
  await putWorker(first, { phase: 'Ready', mcpStdio: true });
  const task = await taskWithTool(first, MCP_TOOL);
  await first.worker.runOnce();
  const handedOver = await first.store.getWorkItem(TASK_QUEUE, task.metadata.uid);
  expect(handedOver).toMatchObject({ owner: undefined, requirements: { mcpStdio: true } });
  expect(await first.store.readJournal(task.metadata.uid, 0, 10)).toEqual([]);
  expect(await first.worker.runOnce()).toBe(0);
  const capabilities = () => ({ gpu: false, supportedModels: [], secrets: true, mcpStdio: true });
  const second = await openEngine({ store: first.store, worker: { id: 'worker-2', capabilities } });
  onTestFinished(() => second.worker.stop());
  await second.worker.runOnce();
  expect((await second.until('task')).status).toMatchObject({ phase: 'Succeeded', assignedWorker: 'worker-2' });
});

test.each([
  ['no worker starts programs', stdioServer, { phase: 'Ready', mcpStdio: false }],
  ['the worker that starts programs is not Ready', stdioServer, { phase: 'NotReady', mcpStdio: true }],
  ['the tool is of a server over HTTP', { transport: 'http', endpoint: 'http://notes' }, { phase: 'Ready', mcpStdio: true }],
])('a worker that starts no programs runs a Task with a tool of an McpServer itself where %s', async (_, spec, status) => {
  const engine = await setup();
  await engine.put('McpServer', 'notes', spec);
  await putWorker(engine, status);
  await taskWithTool(engine, MCP_TOOL);
  await engine.worker.runOnce();
  expect((await engine.until('task')).status).toMatchObject({ phase: 'Succeeded' });
});

test('a Task with a pending cancel is ended by the first worker that claims it', async () => {
  const engine = await setup({ worker: keyless });
  await engine.put('Secret', 'key', { data: {} });
  const { metadata } = await taskWithTool(engine, { auth: { secretRef: 'key' } });
  const signal = { stream: metadata.uid, type: CANCEL_SIGNAL, timestamp: new Date().toISOString(), data: { by: 'ann' } };
  await engine.store.transaction((tx) => tx.sendSignal(TASK_QUEUE, signal));
  await engine.worker.runOnce();
  expect((await engine.until('task')).status).toMatchObject({ phase: 'Failed', reason: 'cancelled' });
});

test('a worker without the key releases a Task after the approval of its call, with the decision', async () => {
  const governance = requireApprovalOf('pay');
  const base = await setup();
  const model: NonNullable<EngineSetup['model']> = ({ step }) =>
    step === 1 ? { toolCalls: [{ id: 'a', name: 'pay', arguments: '{}' }] } : { content: 'done' };
  const { engine, pending, decide } = await openApprovals({ store: base.store, governance, model });
  await engine.put('Secret', 'key', { data: {} });
  await taskWithTool(engine, { auth: { secretRef: 'key' } });
  await engine.worker.runOnce();
  await engine.until('task', ['WaitingApproval']);
  await engine.worker.stop();
  await decide(await pending(), { decision: 'approved' });
  const poor = await openEngine({ store: base.store, governance, model, worker: { ...keyless, id: 'worker-2' } });
  onTestFinished(() => poor.worker.stop());
  await poor.worker.runOnce();
  await poor.worker.drain();
  expect(poor.toolCalls).toEqual([]);
  const heir = await openEngine({ store: base.store, governance, model, worker: { id: 'worker-3' } });
  onTestFinished(() => heir.worker.stop());
  await heir.worker.runOnce();
  expect((await heir.until('task')).status).toMatchObject({ phase: 'Succeeded', assignedWorker: 'worker-3' });
  expect(heir.toolCalls).toHaveLength(1);
});

/** Store whose commits cause no notice, as when the notice of another process is lost. */
const deaf = (store: Store): Store => overlay(store, { onCommit: () => () => undefined });

test('a signal without a notice is found with the next heartbeat', async () => {
  const base = await setup();
  const engine = await openEngine({ model: never, store: deaf(base.store), worker: { leaseMs: 3_000, heartbeatMs: 40 } });
  onTestFinished(() => engine.worker.stop());
  await putSystem(base, { agent: {} });
  await base.put('Task', 'task', { system: 'system' });
  engine.worker.start();
  await base.until('task', ['Running']);
  const runs = createRunService({
    store: base.store,
    observer: silentObserver,
    runListeners: noRunListeners,
    registry: {} as Registry,
    ...keptDecisions(),
  });
  const { status } = await runs.cancel(systemContext, { namespace: 'default', name: 'task' }, 'enough');
  expect(status).toMatchObject({ phase: 'Failed', reason: 'cancelled' });
});

test('an expired lease is taken over at its end, even by a worker that received no notice', async () => {
  const clock = createManualClock();
  const base = await setup({ clock, model: never, worker: { leaseMs: 600, heartbeatMs: 1_000_000, stopGraceMs: 0 } });
  await putSystem(base, { agent: {} });
  const { metadata } = await base.put('Task', 'task', { system: 'system' });
  const heir = await openEngine({ clock, store: deaf(base.store), worker: { id: 'worker-2', leaseMs: 600, heartbeatMs: 200 } });
  onTestFinished(() => heir.worker.stop());
  await base.worker.runOnce();
  heir.worker.start();
  const { leaseUntil = 0 } = (await base.store.getWorkItem(TASK_QUEUE, metadata.uid)) ?? {};
  // It polls every 200 ms, a third of its lease.
  for (let at = clock.now() + 200; at <= leaseUntil; at += 200) {
    await expect.poll(() => clock.isAwaited(at)).toBe(true);
    clock.advance(200);
  }
  await base.until('task', ['Succeeded']);
  const [, takeover] = ((await base.read('task')).status['history'] as { type: string; timestamp: string }[]).filter(
    ({ type }) => type === 'claim' || type === 'takeover',
  );
  expect(takeover).toMatchObject({ type: 'takeover', timestamp: new Date(leaseUntil).toISOString() });
});

test('observers receive every durable entry in order, claims with their wait, and the end by a cancel', async () => {
  const heard: string[] = [];
  const observer: RunObserver = {
    claimed: ({ key }, waitedMs) => heard.push(`claimed ${key} ${waitedMs >= 0 && waitedMs < 5_000}`),
    recorded: ({ key }, entries, { appendMs }) =>
      heard.push(...entries.map(({ type }) => `${key} ${type}${appendMs < 0 ? ' before' : ''}`)),
    leaseLost: ({ key }) => heard.push(`lost ${key}`),
  };
  const engine = await setup();
  const watched = await openEngine({
    store: engine.store,
    worker: { drive: { ...driveOf(), observer, runListeners: noRunListeners } },
  });
  onTestFinished(() => watched.worker.stop());
  await putSystem(engine, { agent: {} });
  const { metadata } = await engine.put('Task', 'task', { system: 'system' });
  await watched.worker.runOnce();
  await watched.until('task');
  const stored = await engine.store.readJournal(metadata.uid, 0, 100);
  await watched.worker.drain();
  expect(heard).toEqual([`claimed ${metadata.uid} true`, ...stored.map(({ type }) => `${metadata.uid} ${type}`)]);
  heard.length = 0;
  const queued = await engine.put('Task', 'queued', { system: 'system' });
  const runs = createRunService({
    store: engine.store,
    observer,
    runListeners: noRunListeners,
    registry: {} as Registry,
    ...keptDecisions(),
  });
  await runs.cancel(systemContext, { namespace: 'default', name: 'queued' }, undefined);
  expect(heard).toEqual([`${queued.metadata.uid} cancel.requested`, `${queued.metadata.uid} run.failed`]);
});

function driveOf() {
  return {
    models: {
      complete: () =>
        Promise.resolve({
          content: 'done',
          toolCalls: [],
          usage: { inputTokens: 1, outputTokens: 1, source: 'estimated' as const },
          finishReason: 'stop',
          model: 'm',
        }),
    },
    tools: {
      inputs: scriptedInputs(),
      canRun: () => Promise.resolve(undefined),
      invoke: () => Promise.resolve({ output: 'ok', attempts: 1 }),
    },
    governance: allowAll,
    random: () => 0.5,
  };
}

test('a successful run is one line of the log, with its ids and without its output', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    level: 'info',
    format: 'json',
    sink: { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const engine = await setup({ model: () => ({ content: 'a private word' }), worker: { log } });
  await putSystem(engine, { agent: {} });
  const { metadata } = await engine.put('Task', 'task', { system: 'system', input: { secret: 'another private word' } });
  await engine.worker.runOnce();
  await engine.until('task');
  await engine.worker.drain();
  expect(lines).toEqual([
    expect.objectContaining({
      msg: 'a run succeeded',
      task: 'default/task',
      run: metadata.uid,
      attempt: 1,
      worker: 'worker-1',
      fence: 1,
      phase: 'Succeeded',
    }),
  ]);
  expect(JSON.stringify(lines)).not.toContain('private');
});

test('a run that ends is followed by the next one in the same commit', async () => {
  const engine = await setup({ worker: { maxConcurrentTasks: () => 1 } });
  await putSystem(engine, { agent: {} });
  for (const name of ['first', 'second', 'third']) await engine.put('Task', name, { system: 'system' });
  const written: number[] = [];
  engine.store.onCommit(({ journals }) => void (journals.size > 0 && written.push(journals.size)));
  // By this clock a commit stays open to later writes, on a slow machine too.
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => now.mockRestore());
  engine.worker.start();
  for (const name of ['first', 'second', 'third']) await engine.until(name);
  // The first is opened, two commits end one run and open another, the third is ended.
  expect(written).toEqual([1, 2, 2, 1]);
});
