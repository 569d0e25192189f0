// Whole runs over the real SQLite store with scripted models and tools.
import { expect, onTestFinished, test } from 'vitest';
import { openEngine, putSystem, waitFor, type EngineBundle, type EngineSetup } from '../../testing/engine.ts';
import { taskStatus } from '@svc/shared/kinds/task/schema';
import { CallError } from '../ports.ts';

async function setup(options: EngineSetup = {}): Promise<EngineBundle> {
  const engine = await openEngine(options);
  onTestFinished(() => engine.close());
  engine.worker.start();
  return engine;
}

const call = (id: string, name: string, input: unknown = {}) => ({ id, name, arguments: JSON.stringify(input) });
const types = (trace: unknown) => (trace as { type: string }[]).map(({ type }) => type);

test('a one-agent task succeeds with its whole record', async () => {
  const engine = await setup({ model: () => ({ content: 'hello' }) });
  await putSystem(engine, { writer: {} });
  await engine.put('Task', 'one', { system: 'system', input: { topic: 'sea' } });
  await engine.until('one');
  const { status } = await engine.read('one');
  expect(status).toMatchObject({
    phase: 'Succeeded',
    attempts: 1,
    assignedWorker: 'worker-1',
    output: { last_output: 'hello', last_agent: 'writer', last_tool_calls: '0', last_event: 'agent_end', tokens_used_total: '15' },
  });
  expect(types(status['trace'])).toEqual([
    'task_start',
    'agent_message_received',
    'agent_start',
    'model_call',
    'model_output',
    'agent_end',
    'agent_message_processed',
    'task_summary',
  ]);
  expect((status['history'] as { type: string }[]).map(({ type }) => type)).toEqual(['claim', 'running', 'succeeded']);
  expect(status['messages']).toMatchObject([
    { type: 'task_start', to_agent: 'writer', phase: 'Succeeded', attempts: 1, content: 'topic: sea' },
  ]);
  expect(engine.modelCalls[0]?.messages).toEqual([
    { role: 'system', content: 'You are writer.' },
    { role: 'user', content: 'topic: sea' },
  ]);
});

test('parallel tool calls get a result for every id, in the order they were asked', async () => {
  const engine = await setup({
    model: ({ step }) =>
      step === 1
        ? { toolCalls: [call('a', 'lookup', { n: 1 }), call('b', 'nothing'), { id: 'c', name: 'lookup', arguments: '{' }] }
        : { content: 'done' },
    tool: ({ input }) => `found ${String(input['n'])}`,
  });
  await engine.put('Tool', 'lookup', { type: 'http', risk_level: 'low' });
  await putSystem(engine, { agent: { tools: ['lookup'] } });
  await engine.put('Task', 'tools', { system: 'system' });
  expect((await engine.until('tools')).status['phase']).toBe('Succeeded');
  const told = engine.modelCalls[1]?.messages.filter(({ role }) => role === 'tool');
  expect(told).toMatchObject([
    { toolCallId: 'a', content: 'found 1' },
    { toolCallId: 'b', isError: true },
    { toolCallId: 'c', isError: true },
  ]);
  expect(engine.toolCalls).toHaveLength(1);
});

test('a fan-out joins all sources before the last agent runs', async () => {
  const engine = await setup({ model: ({ agent }) => ({ content: `from ${agent}` }) });
  await putSystem(
    engine,
    { a: {}, b: {}, c: {}, d: {} },
    {
      a: { edges: [{ to: 'b' }, { to: 'c' }] },
      b: { next: 'd' },
      c: { next: 'd' },
      d: { join: { mode: 'wait_for_all' } },
    },
  );
  await engine.put('Task', 'join', { system: 'system' });
  await engine.until('join');
  const { status } = await engine.read('join');
  expect(status['phase']).toBe('Succeeded');
  expect(engine.modelCalls.map(({ agent }) => agent).sort()).toEqual(['a', 'b', 'c', 'd']);
  expect(status['join_states']).toMatchObject([{ node: 'd', expected: 2, quorum_required: 2, activated: true }]);
  expect((status['messages'] as { branch_id: string }[]).map(({ branch_id }) => branch_id).sort()).toEqual([
    'b001',
    'b001.001',
    'b001.001',
    'b001.002',
    'b001.002',
  ]);
});

test('every missing object is named at once', async () => {
  const engine = await setup();
  await engine.put('Agent', 'lonely', { model_ref: 'nowhere', tools: ['gone'], memory: { ref: 'lost' } });
  await engine.put('AgentSystem', 'system', { agents: ['lonely', 'ghost'] });
  await engine.put('Task', 'invalid', { system: 'system' });
  const { status } = await engine.until('invalid');
  expect(status).toMatchObject({ phase: 'Failed', reason: 'validation_failed' });
  for (const name of ['ModelEndpoint default/nowhere', 'Tool default/gone', 'Memory default/lost', 'Agent default/ghost'])
    expect(status['lastError']).toContain(name);
});

test('a failed task is retried and dead-lettered when its attempts are used up', async () => {
  const engine = await setup({
    model: () => {
      throw new CallError('execution_failed', 'the model is down', { retryable: true, reason: 'http_503' });
    },
  });
  await putSystem(engine, { agent: {} });
  await engine.put('Task', 'retry', { system: 'system', retry: { max_attempts: 2, backoff: '10ms' } });
  const { status } = await engine.until('retry');
  expect(status).toMatchObject({ phase: 'DeadLetter', attempts: 2, reason: 'execution_failed' });
  expect(engine.modelCalls).toHaveLength(2);
  expect(new Set(engine.modelCalls.map(({ requestId }) => requestId)).size).toBe(2);
});

test('every record has the shape the kind declares', async () => {
  const engine = await setup({
    model: ({ agent, step }) => {
      if (agent === 'b') throw new CallError('auth_invalid', 'refused', { retryable: false, reason: 'http_401' });
      return step === 1 ? { toolCalls: [call('x', 'lookup', { n: 1 }), call('y', 'nothing')] } : { content: 'ok' };
    },
  });
  await engine.put('Tool', 'lookup', { type: 'http', risk_level: 'low' });
  await putSystem(
    engine,
    { a: { tools: ['lookup'] }, b: {}, c: { tools: ['lookup'] }, d: { tools: ['lookup'] } },
    {
      a: { edges: [{ to: 'b' }, { to: 'c' }] },
      b: { next: 'd' },
      c: { next: 'd' },
      d: { join: { mode: 'wait_for_all', on_failure: 'continue_partial' } },
    },
  );
  await engine.put('Task', 'shapes', { system: 'system' });
  await engine.until('shapes');
  const { status } = await engine.read('shapes');
  expect(taskStatus.safeParse(status).error?.issues).toBeUndefined();
  expect(status).toMatchObject({ phase: 'Succeeded', join_states: [{ node: 'd', activated: true, expected: 2 }] });
});

test('a long wait for the next try gives the Task back until then', async () => {
  const engine = await setup({
    model: () => {
      throw new CallError('rate_limited', 'slow down', { retryable: true, retryAfterMs: 600 });
    },
  });
  await putSystem(engine, { agent: {} });
  const message_retry = { max_attempts: 2, backoff: '0s', max_backoff: '1m', jitter: 'none' };
  await engine.put('Task', 'patient', { system: 'system', retry: { max_attempts: 1, backoff: '0s' }, message_retry });
  const waiting = await waitFor(engine.store, async () => {
    const task = await engine.store.getObject({ kind: 'Task', namespace: 'default', name: 'patient' });
    return task?.status['nextAttemptAt'] === undefined ? undefined : task;
  });
  await engine.until('patient');
  const { status } = await engine.read('patient');
  expect(waiting.status['phase']).toBe('Pending');
  expect(status).toMatchObject({ phase: 'DeadLetter', attempts: 1, messages: [{ attempts: 2, max_attempts: 2, phase: 'DeadLetter' }] });
  expect((status['history'] as { type: string }[]).map(({ type }) => type)).toEqual([
    'claim',
    'running',
    'retry_scheduled',
    'claim',
    'deadletter',
  ]);
});

test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])('agents, tools and models may be called %s', async (name) => {
  const engine = await setup({
    model: ({ step }) => (step === 1 ? { toolCalls: [call('a', name)] } : { content: 'done' }),
    tool: ({ tool }) => `found by ${tool.name}`,
  });
  await engine.put('Tool', name, { type: 'http', endpoint: 'https://tool.example' });
  await engine.put('ModelEndpoint', name, { provider: 'mock' });
  await putSystem(engine, { [name]: { model_ref: name, tools: [name] } }, { [name]: {} });
  await engine.put('Task', 'named', { system: 'system' });
  await engine.until('named');
  const { status } = await engine.read('named');
  expect(status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'done', last_agent: name } });
  expect(engine.modelCalls[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: `found by ${name}` });
});
