// Trial runs over both databases: breakpoints, pinned outputs, one agent alone, runs from an agent on.
import { describe, expect, onTestFinished, test } from 'vitest';
import { invariant } from '@svc/shared/errors';
import { systemClock } from '../../clock.ts';
import { systemContext } from '../../registry/registry.ts';
import { storeEngines } from '../../testing/background.ts';
import { dyingWorker } from '../../testing/dying-worker.ts';
import { openEngine, putSystem } from '../../testing/engine.ts';
import { TASK_QUEUE } from '../task-queue.ts';
import { continueTask } from './continue-task.ts';
import type { ContinueBody } from './run-service.ts';

type Trace = readonly { type: string; agent?: string; output?: string; pinned?: string }[];

describe.each(storeEngines.filter(({ skip }) => !skip))('a trial over $name', ({ open }) => {
  async function setup() {
    const store = await open(systemClock);
    const model = (request: { messages: readonly { content: string }[] }) => ({
      content: `[${request.messages.map(({ content }) => content).join(' / ')}]`,
    });
    const engine = await openEngine({ store, model });
    onTestFinished(() => engine.close());
    const route = (to: string) => ({ edges: [{ to }] });
    await putSystem(engine, { a: { prompt: 'A' }, b: { prompt: 'B' }, c: { prompt: 'C' } }, { a: route('b'), b: route('c'), c: {} });
    const step = async () => {
      await engine.worker.runOnce();
      await engine.worker.drain();
    };
    return {
      engine,
      step,
      run: async (name: string, trial?: object, input: object = { topic: 'tea' }) => {
        const task = await engine.put('Task', name, { system: 'system', input, ...(trial && { trial }) });
        await step();
        return task.metadata.uid;
      },
      resume: (name: string, body: ContinueBody = {}) =>
        continueTask({ store, clock: systemClock }, { namespace: 'default', name }, { context: systemContext, body }),
      trace: async (name: string) => (await engine.read(name)).status['trace'] as Trace,
      status: async (name: string) => (await engine.read(name)).status,
    };
  }

  test('waits before and after an agent without a worker, then continues with the edited texts', async () => {
    const { engine, step, run, resume, trace, status } = await setup();
    const breakpoints = [
      { node: 'b', at: 'before' },
      { node: 'b', at: 'after' },
    ];
    const uid = await run('task', { breakpoints });
    expect(await status('task')).toMatchObject({
      phase: 'Running',
      blockedOn: { kind: 'Breakpoint', name: 'b' },
      waitingSince: expect.any(String) as string,
    });
    expect((await engine.store.getWorkItem(TASK_QUEUE, uid))?.owner).toBeUndefined();
    expect(engine.modelCalls).toHaveLength(1);
    await expect(resume('task', { output: 'x' })).rejects.toMatchObject({ code: 'invalid' });
    await resume('task', { input: 'another question' });
    await expect(resume('task')).rejects.toMatchObject({ code: 'conflict' });
    await step();
    expect(engine.modelCalls.at(-1)?.messages.map(({ content }) => content)).toEqual(['B', 'another question']);
    const author = systemContext.identity.name;
    expect(await engine.store.getObject({ kind: 'Task', namespace: 'default', name: 'task' })).toMatchObject({ alsoBy: [author] });
    await resume('task', { at: 'b', output: 'a better answer' });
    await step();
    const ended = await status('task');
    expect(ended).toMatchObject({ phase: 'Succeeded', waitedMs: expect.any(Number) as number });
    expect(ended).not.toHaveProperty('waitingSince');
    expect(engine.modelCalls).toHaveLength(3);
    expect(engine.modelCalls.at(-1)?.messages.at(-1)?.content).toContain('a better answer');
    const types = (await trace('task')).map(({ type }) => type).filter((type) => type.startsWith('breakpoint'));
    expect(types).toEqual(['breakpoint_reached', 'breakpoint_resolved', 'breakpoint_reached', 'breakpoint_resolved']);
  });

  test('ends at a breakpoint as cancelled, and by its deadline with a reason', async () => {
    const { step, run, resume, status } = await setup();
    await run('ended', { breakpoints: [{ node: 'a', at: 'before' }] });
    await resume('ended', { end: true, reason: 'seen enough' });
    await step();
    expect(await status('ended')).toMatchObject({ phase: 'Failed', reason: 'cancelled' });
    await run('late', { breakpoints: [{ node: 'a', at: 'before' }], wait: '1ms' });
    const { reason, lastError } = await status('late');
    expect([reason, lastError]).toEqual(['breakpoint_timeout', expect.stringContaining('before a')]);
  });

  test('continues at the breakpoint after the death of its worker', async () => {
    const { engine, step, run, resume, status } = await setup();
    const uid = await run('task', { breakpoints: [{ node: 'b', at: 'before' }] });
    await resume('task');
    await dyingWorker(engine.store, 'w1').dieAt(0);
    await step();
    expect(await status('task')).toMatchObject({ phase: 'Succeeded' });
    expect(engine.modelCalls).toHaveLength(3);
    expect(await engine.store.getWorkItem(TASK_QUEUE, uid)).toBeUndefined();
  });

  test('calls no model for a pinned output', async () => {
    const { engine, run, trace } = await setup();
    await run('task', { pins: [{ node: 'a', output: 'given' }] });
    expect(engine.modelCalls).toHaveLength(2);
    expect((await trace('task')).find(({ type }) => type === 'agent_end')).toMatchObject({ agent: 'a', output: 'given', pinned: 'spec' });
  });

  test('refuses pins of agents that are no longer in the system', async () => {
    const { run, status } = await setup();
    await run('gone', { pins: [{ node: 'z', output: 'x' }] });
    expect(await status('gone')).toMatchObject({ reason: 'validation_failed', lastError: expect.stringContaining('names z') as string });
  });

  test('refuses recorded outputs of an agent whose routes have changed', async () => {
    const { engine, run, status } = await setup();
    await run('first');
    const system = await engine.store.getObject({ kind: 'AgentSystem', namespace: 'default', name: 'system' });
    invariant(system, 'the system is stored');
    const graph = { a: { edges: [{ to: 'c' }] }, b: { edges: [{ to: 'c' }] }, c: {} };
    await engine.store.transaction((tx) =>
      tx.updateObject({ ...system, resourceVersion: system.resourceVersion + 1, spec: { ...system.spec, graph } }),
    );
    await run('changed', { pins: [{ node: 'a', task: 'first' }] });
    expect(await status('changed')).toMatchObject({
      reason: 'validation_failed',
      lastError: expect.stringContaining('the recorded output of a in Task default/first no longer fits') as string,
    });
    expect(engine.modelCalls).toHaveLength(3);
    await run('same', { pins: [{ node: 'b', task: 'first' }] });
    expect(await status('same')).toMatchObject({ phase: 'Succeeded' });
  });

  test('refuses recorded outputs of another system', async () => {
    const { engine, step, run, status } = await setup();
    await run('first');
    await engine.put('AgentSystem', 'system2', { agents: ['a'], graph: {} });
    await engine.put('Task', 'other', { system: 'system2', trial: { pins: [{ node: 'a', task: 'first' }] } });
    await step();
    expect(await status('other')).toMatchObject({
      reason: 'validation_failed',
      lastError: expect.stringContaining('its own system') as string,
    });
  });

  test('runs only one agent, with its recorded messages', async () => {
    const { engine, run, status } = await setup();
    await run('first');
    const received = engine.modelCalls[1]?.messages;
    await run('alone', { only: { node: 'b', task: 'first' } }, {});
    expect(await status('alone')).toMatchObject({ phase: 'Succeeded', output: { last_agent: 'b' } });
    expect(engine.modelCalls).toHaveLength(4);
    expect(engine.modelCalls.at(-1)?.messages).toEqual(received);
  });

  test('runs from an agent on with recorded results before it', async () => {
    const { engine, run, status, trace } = await setup();
    await run('first');
    const received = engine.modelCalls[1]?.messages;
    await run('again', { from: { node: 'b', task: 'first' } }, {});
    expect(await status('again')).toMatchObject({ phase: 'Succeeded' });
    expect(engine.modelCalls).toHaveLength(5);
    expect(engine.modelCalls[3]?.messages).toEqual(received);
    expect((await trace('again')).filter(({ pinned }) => pinned !== undefined)).toHaveLength(1);
  });
});
