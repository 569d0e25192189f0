// Workers over the real SQLite store: cancel, release, takeover, fencing, timers.
import { expect, onTestFinished, test } from 'vitest';
import { systemClock, type Clock } from '../clock.ts';
import { createRunService } from '../engine/runs/create-run-service.ts';
import { TASK_QUEUE } from '../engine/task-queue.ts';
import type { Registry } from '../registry/registry.ts';
import { systemContext } from '../registry/registry.ts';
import { silentObserver } from '../engine/observer.ts';
import { CallError } from '../engine/ports.ts';
import { keptDecisions } from '../testing/approval-deps.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { openEngine, putSystem, type EngineBundle, type EngineSetup } from '../testing/engine.ts';
import { noRunListeners } from '../engine/run-listeners.ts';
import type { Store } from '../store/store.ts';

async function setup(options: EngineSetup = {}): Promise<EngineBundle> {
  const engine = await openEngine(options);
  onTestFinished(() => engine.close());
  return engine;
}

/** Another worker on the same store. */
async function second(store: Store, options: EngineSetup): Promise<EngineBundle> {
  const engine = await openEngine({ ...options, store, worker: { id: 'worker-2', ...options.worker } });
  onTestFinished(() => engine.worker.stop());
  return engine;
}

const runs = (store: Store) =>
  createRunService({ store, observer: silentObserver, runListeners: noRunListeners, registry: {} as Registry, ...keptDecisions() });
const never = (_: unknown, signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
const call = (id: string, name: string, input: unknown = {}) => ({ id, name, arguments: JSON.stringify(input) });
const historyOf = (status: Readonly<Record<string, unknown>>) => (status['history'] as { type: string }[]).map(({ type }) => type);
const ref = (name: string) => ({ namespace: 'default', name });

test('cancelling an unclaimed Task ends it at once', async () => {
  const engine = await setup();
  await putSystem(engine, { agent: {} });
  await engine.put('Task', 'queued', { system: 'system' });
  const cancelled = await runs(engine.store).cancel(systemContext, ref('queued'), 'no longer needed');
  expect(cancelled.status).toMatchObject({ phase: 'Failed', reason: 'cancelled', lastError: 'no longer needed' });
  expect(historyOf((await engine.read('queued')).status)).toEqual(['cancelled']);
  expect(await engine.worker.runOnce()).toBe(0);
  await expect(runs(engine.store).cancel(systemContext, ref('queued'), undefined)).rejects.toMatchObject({ code: 'conflict' });
});

test('cancelling a running Task aborts its calls', async () => {
  let aborted = false;
  const engine = await setup({
    model: (request, signal) => {
      signal.addEventListener('abort', () => (aborted = true));
      return never(request, signal);
    },
  });
  await putSystem(engine, { agent: {} });
  engine.worker.start();
  await engine.put('Task', 'running', { system: 'system' });
  await engine.until('running', ['Running']);
  await runs(engine.store).cancel(systemContext, ref('running'), undefined);
  const cancelledBy = systemContext.identity.name;
  expect((await engine.until('running')).status).toMatchObject({ phase: 'Failed', reason: 'cancelled', cancelledBy });
  await engine.worker.drain();
  expect(aborted).toBe(true);
});

test('a stopped worker releases its run, and another one continues without repeating recorded steps', async () => {
  const model = ({ step }: { step: number }) => (step === 1 ? { toolCalls: [call('a', 'pay')] } : undefined);
  const first = await setup({ model: (request, signal) => model(request) ?? never(request, signal) });
  await first.put('Tool', 'pay', { type: 'http', risk_level: 'low' });
  await putSystem(first, { agent: { tools: ['pay'] } });
  first.worker.start();
  await first.put('Task', 'moved', { system: 'system' });
  await expect.poll(() => first.modelCalls.length, { interval: 2 }).toBe(2);
  await first.worker.stop();
  const next = await second(first.store, { model: (request) => model(request) ?? { content: 'paid' } });
  next.worker.start();
  await next.until('moved');
  const { status } = await next.read('moved');
  expect(status).toMatchObject({ phase: 'Succeeded', attempts: 1, assignedWorker: 'worker-2', output: { last_output: 'paid' } });
  expect(historyOf(status)).toEqual(['claim', 'running', 'released', 'claim', 'succeeded']);
  expect(first.toolCalls.length + next.toolCalls.length).toBe(1);
  expect(next.modelCalls.map(({ requestId }) => requestId)).toEqual([first.modelCalls[1]?.requestId]);
});

/** By this clock, leases that begin now have expired. A short lease could end ahead of the call that a test waits for. */
const late: Clock = { ...systemClock, now: () => Date.now() + 60_000 };

/** A worker that dies: its lease expires without a renewal. */
async function abandoned(risk: string): Promise<{ dead: EngineBundle; heir: EngineBundle }> {
  const model = ({ step }: { step: number }) => (step === 1 ? { toolCalls: [call('a', 'pay')] } : { content: 'done' });
  const dead = await setup({
    model,
    tool: (request, signal) => never(request, signal),
    worker: { heartbeatMs: 1_000_000, stopGraceMs: 0 },
  });
  await dead.put('Tool', 'pay', { type: 'http', risk_level: risk });
  await putSystem(dead, { agent: { tools: ['pay'] } });
  await dead.put('Task', 'left', { system: 'system' });
  await dead.worker.runOnce();
  await expect.poll(() => dead.toolCalls.length, { interval: 2 }).toBe(1);
  const heir = await second(dead.store, { model, clock: late });
  heir.worker.start();
  return { dead, heir };
}

test('after the lease ran out the call in flight is sent again with the same request id', async () => {
  const { dead, heir } = await abandoned('low');
  expect((await heir.until('left')).status).toMatchObject({ phase: 'Succeeded', attempts: 1 });
  expect(heir.toolCalls.map(({ requestId }) => requestId)).toEqual(dead.toolCalls.map(({ requestId }) => requestId));
  expect(heir.modelCalls.map(({ step }) => step)).toEqual([2]);
  expect(historyOf((await heir.read('left')).status)).toContain('takeover');
});

test('a risky call whose outcome is unknown is not sent again: an approval is requested', async () => {
  const { heir } = await abandoned('high');
  const { status } = await heir.until('left', ['WaitingApproval']);
  expect(status).toMatchObject({ blockedOn: { kind: 'ToolApproval' } });
  expect(heir.toolCalls).toEqual([]);
});

test('the result of an owner that was taken over is dropped', async () => {
  let answer: (text: string) => void = () => undefined;
  const slow = await setup({
    model: async () => ({ content: await new Promise<string>((resolve) => (answer = resolve)) }),
    worker: { heartbeatMs: 1_000_000 },
  });
  await putSystem(slow, { agent: {} });
  await slow.put('Task', 'fenced', { system: 'system' });
  await slow.worker.runOnce();
  await expect.poll(() => slow.modelCalls.length, { interval: 2 }).toBe(1);
  const heir = await second(slow.store, { model: () => ({ content: 'mine' }), clock: late });
  heir.worker.start();
  await heir.until('fenced');
  answer('theirs');
  await slow.worker.drain();
  expect((await heir.read('fenced')).status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'mine' } });
});

test('leases are renewed while a call takes longer than the lease', async () => {
  const [leaseMs, heartbeatMs] = [100, 20];
  const clock = createManualClock();
  let answer: () => void = () => undefined;
  const engine = await setup({
    clock,
    model: async () => ({ content: await new Promise<string>((resolve) => (answer = () => resolve('late'))) }),
    worker: { leaseMs, heartbeatMs },
  });
  await putSystem(engine, { agent: {} });
  engine.worker.start();
  const task = await engine.put('Task', 'long', { system: 'system' });
  const leaseOf = async () => (await engine.store.getWorkItem(TASK_QUEUE, task.metadata.uid))?.leaseUntil;
  await expect.poll(() => engine.modelCalls.length, { interval: 2 }).toBe(1);
  for (let passedMs = 0; passedMs <= 2 * leaseMs; passedMs += heartbeatMs) {
    await expect.poll(() => clock.isAwaited(clock.now() + heartbeatMs), { interval: 2 }).toBe(true);
    clock.advance(heartbeatMs);
    await expect.poll(leaseOf, { interval: 2 }).toBe(clock.now() + leaseMs);
  }
  const { leaseUntil, lastHeartbeat } = (await engine.read('long')).status;
  expect([leaseUntil, lastHeartbeat]).toEqual([clock.now() + leaseMs, clock.now()].map((time) => new Date(time).toISOString()));
  answer();
  expect((await engine.until('long')).status).toMatchObject({ phase: 'Succeeded', attempts: 1 });
  expect(engine.modelCalls).toHaveLength(1);
});

test('the first heartbeat of a resumed run is the start of its lease', async () => {
  const first = await setup({ model: never });
  await putSystem(first, { agent: {} });
  await first.put('Task', 'resumed', { system: 'system' });
  await first.worker.runOnce();
  await first.worker.stop();
  let readings = 0;
  // A journal that takes long to read: no two readings of this clock are the same.
  const clock = { ...systemClock, now: () => Date.now() + (readings += 10) };
  const next = await second(first.store, { model: never, clock, worker: { leaseMs: 30_000 } });
  await next.worker.runOnce();
  await expect.poll(() => next.modelCalls.length).toBe(1);
  const { leaseUntil, lastHeartbeat } = (await next.read('resumed')).status as Record<string, string>;
  expect(Date.parse(leaseUntil ?? '') - Date.parse(lastHeartbeat ?? '')).toBe(30_000);
});

test('the timeout of an agent holds while the clock is set back', async () => {
  let setBackMs = 0;
  const clock: Clock = { ...systemClock, now: () => Date.now() - setBackMs };
  const engine = await setup({
    clock,
    model: (_, signal) => {
      setBackMs = 3_600_000;
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    },
  });
  await putSystem(engine, { agent: { limits: { timeout: '200ms' } } });
  await engine.put('Task', 'steady', { system: 'system', retry: { max_attempts: 1 } });
  engine.worker.start();
  expect((await engine.until('steady')).status).toMatchObject({ phase: 'DeadLetter', reason: 'timeout' });
});

/** A clock that is set back by an hour in the middle of the first model call. */
function setBackClock(): { readonly clock: Clock; readonly setBack: () => void } {
  let setBackMs = 0;
  return { clock: { ...systemClock, now: () => Date.now() - setBackMs }, setBack: () => (setBackMs = 3_600_000) };
}

const RETRIES = {
  task: { retry: { max_attempts: 2, backoff: '1s', jitter: 'none' }, message_retry: { max_attempts: 1 } },
  message: { retry: { max_attempts: 1 }, message_retry: { max_attempts: 2, backoff: '1s', jitter: 'none' } },
};

test.each(['task', 'message'] as const)('a retry of the %s is not late by as much as the clock was set back', async (level) => {
  const { clock, setBack } = setBackClock();
  let calls = 0;
  const model = () => {
    calls += 1;
    if (calls > 1) return { content: 'done' };
    setBack();
    throw new CallError('execution_failed', 'the provider is busy', { retryable: true });
  };
  const engine = await setup({ clock, model });
  await putSystem(engine, { agent: {} });
  await engine.put('Task', 'retried', { system: 'system', ...RETRIES[level] });
  engine.worker.start();
  expect((await engine.until('retried')).status).toMatchObject({ phase: 'Succeeded' });
});

test('a breakpoint expires on time where the clock was set back before it', async () => {
  const { clock, setBack } = setBackClock();
  const model = () => {
    setBack();
    return { content: 'done' };
  };
  const engine = await setup({ clock, model });
  await putSystem(engine, { agent: {} });
  await engine.put('Task', 'trial', { system: 'system', trial: { breakpoints: [{ node: 'agent', at: 'after' }], wait: '2s' } });
  engine.worker.start();
  const { status } = await engine.until('trial');
  const lastError = expect.stringContaining('within 2 s') as string;
  expect(status).toMatchObject({ phase: 'Failed', reason: 'breakpoint_timeout', lastError });
});

test('a stopped worker releases its run as due at once where the clock was set back', async () => {
  const { clock, setBack } = setBackClock();
  const first = await setup({
    clock,
    model: (request, signal) => {
      setBack();
      return never(request, signal);
    },
  });
  await putSystem(first, { agent: {} });
  first.worker.start();
  await first.put('Task', 'moved', { system: 'system' });
  await expect.poll(() => first.modelCalls.length, { interval: 2 }).toBe(1);
  await first.worker.stop();
  const next = await second(first.store, { clock, model: () => ({ content: 'done' }) });
  next.worker.start();
  expect((await next.until('moved')).status).toMatchObject({ phase: 'Succeeded', attempts: 1 });
});

test('an agent that takes longer than its timeout fails with timeout', async () => {
  const engine = await setup({ model: never });
  await putSystem(engine, { agent: { limits: { timeout: '30ms' } } });
  engine.worker.start();
  await engine.put('Task', 'slow', { system: 'system' });
  expect((await engine.until('slow')).status).toMatchObject({ phase: 'DeadLetter', reason: 'timeout' });
});

test('independent branches and tasks run at the same time', async () => {
  const gate = { waiting: 0, open: () => undefined as void };
  const opened = new Promise<void>((resolve) => (gate.open = resolve));
  const engine = await setup({
    model: async () => {
      gate.waiting += 1;
      if (gate.waiting === 6) gate.open();
      await opened;
      return { content: 'done' };
    },
  });
  await putSystem(engine, { a: {}, b: {}, c: {} }, { a: {}, b: {}, c: {} });
  engine.worker.start();
  await engine.put('Task', 'x', { system: 'system' });
  await engine.put('Task', 'y', { system: 'system' });
  expect((await engine.until('x')).status['phase']).toBe('Succeeded');
  expect((await engine.until('y')).status['phase']).toBe('Succeeded');
});

test('the trace can be followed while it grows, and resumed from any cursor', async () => {
  const engine = await setup({ model: () => ({ content: 'hi' }) });
  await putSystem(engine, { a: {}, b: {} });
  await engine.put('Task', 'traced', { system: 'system' });
  const service = runs(engine.store);
  const follow = await service.followTrace(systemContext, ref('traced'), { signal: new AbortController().signal });
  const seen: { cursor: string; type: unknown }[] = [];
  const following = (async () => {
    for await (const items of follow) for (const { cursor, entry } of items) seen.push({ cursor, type: entry['type'] });
  })();
  engine.worker.start();
  await following;
  const { status } = await engine.read('traced');
  expect(seen.map(({ type }) => type)).toEqual((status['trace'] as { type: string }[]).map(({ type }) => type));
  const middle = seen[4];
  const rest: unknown[] = [];
  const again = await service.followTrace(systemContext, ref('traced'), {
    signal: new AbortController().signal,
    ...(middle && { after: middle.cursor }),
  });
  for await (const items of again) rest.push(...items.map(({ cursor }) => cursor));
  expect(rest).toEqual(seen.slice(5).map(({ cursor }) => cursor));
});

test('the views of one run agree', async () => {
  const engine = await setup({ model: ({ agent }) => ({ content: `from ${agent}` }) });
  await putSystem(engine, { a: {}, b: {} });
  engine.worker.start();
  await engine.put('Task', 'viewed', { system: 'system' });
  await engine.until('viewed');
  const service = runs(engine.store);
  expect(await service.messages(systemContext, ref('viewed'), { to_agent: 'b' })).toMatchObject({
    total: 1,
    filtered_from: 2,
    lifecycle_counts: { queued: 0, running: 0, retrypending: 0, succeeded: 1, deadletter: 0 },
    messages: [{ from_agent: 'a', content: 'from a', type: 'task_handoff' }],
  });
  // Counted over the messages to one agent, whatever the phase and the page.
  for (const filter of [{ phase: 'DeadLetter' }, { phase: 'succeeded', limit: 1 }])
    expect(await service.messages(systemContext, ref('viewed'), { to_agent: 'b', ...filter })).toMatchObject({
      total: filter.phase === 'DeadLetter' ? 0 : 1,
      lifecycle_counts: { queued: 0, running: 0, retrypending: 0, succeeded: 1, deadletter: 0 },
    });
  expect(await service.metrics(systemContext, ref('viewed'))).toMatchObject({
    totals: { messages: 2, succeeded: 2, tokens: 30 },
    per_agent: [
      { agent: 'a', inbound: 1, outbound: 1 },
      { agent: 'b', inbound: 1, outbound: 0 },
    ],
  });
  expect(((await service.logs(systemContext, ref('viewed'), undefined))['logs'] as string[])[0]).toMatch(
    /^\d{4}-.*Z claim: claimed by worker-1$/,
  );
  expect(await service.explain(systemContext, ref('viewed'))).toMatchObject({ phase: 'Succeeded', reasons: [{ code: 'succeeded' }] });
});

test('an unclaimed Task reports it', async () => {
  const engine = await setup();
  await engine.put('Task', 'waiting', { system: 'system', requirements: { gpu: true } });
  const { reasons } = await runs(engine.store).explain(systemContext, ref('waiting'));
  expect(reasons).toMatchObject([{ code: 'waiting_for_worker' }, { code: 'no_worker' }]);
});
