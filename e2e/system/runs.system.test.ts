// The main guarantees of Task runs, seen from outside only: a real svcd over HTTP, fake models and tools on loopback that count their
// requests.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hang, json, redirect, reset, text, type Answer } from '../../server/testing/loopback-server.ts';
import { entriesOf, historyOf, typesOf, untilTask } from '../../server/testing/run-records.ts';
import { chatOf, SECRET, startRunWorld, type RunTask, type RunWorld } from '../../server/testing/run-world.ts';

let world: RunWorld;
beforeAll(async () => {
  world = await startRunWorld(['--allow-private-tool-endpoints']);
});
afterAll(() => world.close());

const edgesOf = ({ status }: RunTask) => status.messages.map(({ from_agent, to_agent, phase }) => [from_agent, to_agent, phase].join(' '));
const keyOf = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) => headers['idempotency-key'];

describe('one agent', () => {
  test('parallel calls reach their tools once each, and the results go back natively', async () => {
    await world.tool('look.up', [json({ found: 1 })], { auth: { secretRef: 'key' } });
    await world.tool('notes', [text('noted')]);
    const calls = [
      ['look_up', { q: 'a' }, 'c1'],
      ['notes', { t: 'x' }, 'c2'],
      ['look_up', { q: 'a' }, 'c3'],
    ] as const;
    await world.model('caller', calls, 'done');
    await world.system('calling', { caller: { model_ref: 'caller', prompt: 'Be brief.', tools: ['look.up', 'notes'] } });
    const task = await world.run('calls', { system: 'calling', input: { topic: 'tides' } });
    expect(task.status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'done', last_agent: 'caller', last_tool_calls: '2' } });
    const [first, second] = world.modelCalls('caller').map(chatOf);
    expect(first?.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'topic: tides' },
    ]);
    expect(first?.tools?.map(({ function: { name } }) => name)).toEqual(['look_up', 'notes']);
    expect(second?.messages.slice(3).map(({ role, tool_call_id }) => [role, tool_call_id])).toEqual(calls.map(([, , id]) => ['tool', id]));
    expect(second?.messages.slice(3).map(({ content }) => content)).toEqual([
      '{"found":1}',
      'noted',
      expect.stringMatching(/^\{"found":1\}/),
    ]);
    // The dynamic profile does not offer a tool again once it succeeded.
    expect(second?.tools).toBeUndefined();
    expect([world.toolCalls('look.up'), world.toolCalls('notes')].map((seen) => seen.length)).toEqual([1, 1]);
    expect(world.toolCalls('look.up')[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
    const traced = entriesOf(task, 'tool_call').find(({ tool }) => tool === 'look.up');
    expect(traced).toMatchObject({
      input: { q: 'a' },
      output: '{"found":1}',
      tool_attempt: 1,
      tool_auth_profile: 'bearer',
      tool_auth_secret_ref: 'key',
      tool_request_id: keyOf(world.toolCalls('look.up')[0]!),
    });
    expect(JSON.stringify(task)).not.toContain(SECRET);
  });

  test.each<[string, Answer, string, string]>([
    ['401', json({ error: { message: `bad ${SECRET}` } }, 401), 'Failed', 'auth_invalid'],
    ['403', json({}, 403), 'Failed', 'auth_forbidden'],
    ['404', json({}, 404), 'Failed', 'model_not_found'],
    ['429', json({}, 429), 'DeadLetter', 'rate_limited'],
    ['500', json({ error: { message: `echo ${SECRET}` } }, 500), 'DeadLetter', 'execution_failed'],
    ['reset', reset(), 'DeadLetter', 'execution_failed'],
    ['garbage', text('<html>'), 'DeadLetter', 'malformed_response'],
    ['empty-choices', json({ choices: [] }), 'DeadLetter', 'malformed_response'],
    ['empty-text', json({ choices: [{ message: { role: 'assistant', content: '' } }] }), 'DeadLetter', 'empty_output'],
    ['metadata', redirect('http://169.254.169.254/', 307), 'Failed', 'egress_blocked'],
  ])('a model that answers with %s ends the Task by its kind', async (...[name, answer, phase, reason]) => {
    await world.model(`bad-${name}`, answer);
    await world.system(`bad-${name}`, { [`agent-${name}`]: { model_ref: `bad-${name}` } });
    const task = await world.run(`bad-${name}`, { system: `bad-${name}` });
    expect(task.status).toMatchObject({ phase, reason, attempts: 1, lastError: expect.any(String) });
    expect(entriesOf(task, 'agent_error')).toMatchObject([{ error_code: reason, retryable: phase === 'DeadLetter' }]);
    if (reason !== 'empty_output') expect(entriesOf(task, 'model_error')).toMatchObject([{ error_code: reason }]);
    expect(JSON.stringify(task)).not.toContain(SECRET);
  });

  test.each<[string, Answer, string]>([
    ['401', json({}, 401), 'auth_invalid'],
    ['500', json({}, 500), 'execution_failed'],
    ['reset', reset(), 'execution_failed'],
    ['no-json', text('{"a":', 200, { 'content-type': 'application/json' }), 'execution_failed'],
    ['hang', hang, 'timeout'],
    ['metadata', redirect('http://169.254.169.254/', 307), 'egress_blocked'],
  ])('a tool that answers with %s is a typed error that the model can handle', async (...[name, answer, code]) => {
    await world.tool(`tool-${name}`, [answer], name === 'hang' ? { runtime: { timeout: '300ms' } } : {});
    await world.model(`uses-${name}`, [[`tool-${name}`, {}, 'c1']], 'went on');
    await world.system(`uses-${name}`, { [`user-${name}`]: { model_ref: `uses-${name}`, tools: [`tool-${name}`] } });
    const task = await world.run(`uses-${name}`, { system: `uses-${name}` });
    expect(task.status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'went on' } });
    expect(entriesOf(task, 'tool_error')).toMatchObject([{ tool: `tool-${name}`, error_code: code, tool_code: code }]);
    const toolMessage = chatOf(world.modelCalls(`uses-${name}`)[1]!).messages.at(-1);
    expect([toolMessage?.role, toolMessage?.tool_call_id, JSON.parse(toolMessage?.content ?? '')]).toEqual([
      'tool',
      'c1',
      { error: expect.objectContaining({ code }) },
    ]);
  });

  test('a tool call is retried under the same key', async () => {
    await world.tool('flaky', [json({}, 503), json({}, 503), json({ n: 3 })], { runtime: { retry: { max_attempts: 3, backoff: '10ms' } } });
    await world.model('patient', [['flaky', {}, 'c1']], 'done');
    await world.system('patient', { patient: { model_ref: 'patient', tools: ['flaky'] } });
    const task = await world.run('patient', { system: 'patient' });
    expect(world.toolCalls('flaky').map(keyOf)).toEqual(Array(3).fill(entriesOf(task, 'tool_call')[0]?.['tool_request_id']));
    expect(entriesOf(task, 'tool_call')).toMatchObject([{ tool_attempt: 3 }]);
  });

  test('max_steps without an answer is a failure that no retry repeats', async () => {
    await world.tool('again', [json({})]);
    await world.model('endless', [['again', {}, 'c1']]);
    await world.system('endless', { endless: { model_ref: 'endless', tools: ['again'], limits: { max_steps: 3 } } });
    const task = await world.run('endless', { system: 'endless', retry: { max_attempts: 3 } });
    expect(task.status).toMatchObject({ phase: 'Failed', reason: 'max_steps_reached', attempts: 1 });
    expect(world.modelCalls('endless')).toHaveLength(3);
  });
});

describe('retries', () => {
  test('follow Retry-After for a message, and start attempts for the Task', async () => {
    const answers = [json({}, 429, { 'retry-after': '1' }), json({}, 500)];
    await world.model('moody', (response, request) =>
      (answers.shift() ?? json({ choices: [{ message: { content: 'fine' } }] }))(response, request),
    );
    await world.system('moody', { moody: { model_ref: 'moody' } });
    const began = Date.now();
    const message = await world.run('moody-1', { system: 'moody', message_retry: { max_attempts: 3, backoff: '10ms', jitter: 'none' } });
    expect(Date.now() - began).toBeGreaterThan(900);
    expect(message.status).toMatchObject({
      phase: 'Succeeded',
      attempts: 1,
      messages: [{ attempts: 3, max_attempts: 3, phase: 'Succeeded' }],
    });
    answers.push(json({}, 500));
    const attempt = await world.run('moody-2', { system: 'moody', retry: { max_attempts: 2, backoff: '10ms' } });
    expect(attempt.status).toMatchObject({ phase: 'Succeeded', attempts: 2 });
    expect(historyOf(attempt)).toEqual(['claim', 'running', 'retry_scheduled', 'claim', 'running', 'succeeded']);
  });
});

describe('graphs', () => {
  test('all missing references are reported at once', async () => {
    await world.put('Agent', 'lost', { model_ref: 'no-model', tools: ['no-tool'] });
    await world.put('AgentSystem', 'broken', { agents: ['lost', 'ghost'], graph: { lost: { next: 'stranger' } } });
    const task = await world.run('broken', { system: 'broken' });
    expect(task.status).toMatchObject({ phase: 'Failed', reason: 'validation_failed', attempts: 0 });
    for (const name of ['no-model', 'no-tool', 'ghost', 'stranger']) expect(task.status.lastError).toContain(name);
    expect((await world.run('homeless', { system: 'nowhere' })).status).toMatchObject({ phase: 'Failed', reason: 'validation_failed' });
  });

  test('a cycle requires max_turns and ends at it', async () => {
    await world.model('plain', 'ok');
    const graph = { ping: { next: 'pong' }, pong: { next: 'ping' } };
    await world.system('cycle', { ping: { model_ref: 'plain' }, pong: { model_ref: 'plain' } }, { graph });
    const refused = await world.run('cycle-0', { system: 'cycle' });
    expect(refused.status).toMatchObject({ reason: 'validation_failed', lastError: expect.stringContaining('max_turns') });
    const task = await world.run('cycle-3', { system: 'cycle', max_turns: 3 });
    expect(edgesOf(task)).toEqual([' ping Succeeded', 'ping pong Succeeded', 'pong ping Succeeded']);
  });

  test.each([
    ['deadletter', 'DeadLetter', 0],
    ['skip', 'Succeeded', 1],
    ['continue_partial', 'Succeeded', 1],
  ])('a failed source at a join with on_failure %s ends as %s', async (on_failure, phase, runs) => {
    await world.model('plain', 'ok');
    await world.model('refused', json({}, 401));
    const end = `end-${on_failure}`.replace('_', '-');
    await world.model(end, 'joined');
    const graph = {
      open: { edges: [{ to: 'left' }, { to: 'right' }] },
      left: { next: end },
      right: { next: end },
      [end]: { join: { on_failure } },
    };
    const agent = (model_ref: string) => ({ model_ref });
    await world.system(
      `join-${end}`,
      { open: agent('plain'), left: agent('plain'), right: agent('refused'), [end]: agent(end) },
      { graph },
    );
    const task = await world.run(`join-${end}`, { system: `join-${end}` });
    expect([task.status.phase, world.modelCalls(end).length]).toEqual([phase, runs]);
    expect(task.status.join_states).toMatchObject([{ node: end, mode: 'wait_for_all', activated: runs > 0 }]);
    const inbox = world.modelCalls(end).map((request) => chatOf(request).messages.at(-1)?.content)[0] ?? '';
    expect(inbox.includes('# right failed')).toBe(on_failure === 'continue_partial');
  });
});

describe('control', () => {
  test('cancel ends a running Task and aborts its call; a waiting one ends at once', async () => {
    const { held, dropped } = holdable();
    await world.model('slow', held(json({})));
    await world.system('slow', { slow: { model_ref: 'slow' } });
    await world.put('Task', 'stopped', { system: 'slow' });
    await world.called('slow', 1);
    expect((await world.request('POST', '/v1/tasks/stopped/cancel', { reason: 'enough' })).status).toBe(200);
    await dropped;
    const task = await world.ended('stopped');
    expect(task.status).toMatchObject({ phase: 'Failed', reason: 'cancelled', lastError: 'enough' });
    expect((await world.request('POST', '/v1/tasks/stopped/cancel')).status).toBe(409);
    await world.put('Task', 'unmet', { system: 'slow', requirements: { region: 'mars' } });
    expect((await world.request('GET', '/v1/tasks/unmet/explain')).body).toMatchObject({
      phase: 'Pending',
      reasons: [{ code: 'waiting_for_worker' }, { code: 'no_matching_worker' }],
    });
    await world.request('POST', '/v1/tasks/unmet/cancel');
    expect((await world.ended('unmet')).status).toMatchObject({ phase: 'Failed', reason: 'cancelled' });
    expect(world.modelCalls('slow')).toHaveLength(1);
  });
});

/** Answers held back until `release`; `dropped` resolves when a caller aborts. */
function holdable() {
  let open = false;
  let drop: () => void = () => undefined;
  const dropped = new Promise<void>((resolve) => (drop = resolve));
  const held = (answer: Answer): Answer => {
    return (response, request) => (open ? answer(response, request) : void response.on('close', drop));
  };
  return { held, dropped, release: () => void (open = true) };
}

describe('a worker that exits', () => {
  test('by SIGTERM lets a tool call end and releases the Task, and recorded steps are not repeated', async () => {
    let finish: () => void = () => undefined;
    await world.tool('slow-tool', [(response, request) => void (finish = () => json({ n: 1 })(response, request))]);
    await world.model('t1', [['slow-tool', {}, 'c1']], 'done');
    await world.system('t1', { t1: { model_ref: 't1', tools: ['slow-tool'] } });
    const { held, dropped, release } = holdable();
    await world.model('t2', held(json({ choices: [{ message: { content: 'done' } }] })));
    await world.system('t2', { t2: { model_ref: 't2' } });
    await world.put('Task', 'term-tool', { system: 't1' });
    await world.put('Task', 'term-model', { system: 't2' });
    await Promise.all([world.called('slow-tool', 1), world.called('t2', 1)]);
    const exited = world.restart('SIGTERM');
    // The worker drops its model calls first: it is stopping, and the tool call is still in flight.
    await dropped;
    release();
    finish();
    expect(await exited).toBe(0);
    const [tool, model] = [await world.ended('term-tool'), await world.ended('term-model')];
    expect([tool, model].map(historyOf)).toEqual(Array(2).fill(['claim', 'running', 'released', 'claim', 'succeeded']));
    expect(world.toolCalls('slow-tool')).toHaveLength(1);
    expect(world.modelCalls('t1')).toHaveLength(2);
    expect(new Set(world.modelCalls('t2').map(keyOf)).size).toBe(1);
    expect(world.modelCalls('t2')).toHaveLength(2);
  });

  test('by kill -9 has its calls repeated under the same id except high-risk ones, and definitions stay as they were', async () => {
    const { held, release } = holdable();
    await world.tool('before', [json({ ok: 1 })]);
    await world.tool('low', [held(json({ ok: 1 }))]);
    await world.tool('high', [held(json({ ok: 1 }))], { risk_level: 'high', runtime: { isolation_mode: 'none' } });
    await world.model('k-model', [['before', {}, 'c1']], held(json({ choices: [{ message: { content: 'done' } }] })));
    await world.model('k-low', [['low', {}, 'c1']], 'done');
    await world.model('k-high', [['high', {}, 'c1']], 'done');
    for (const [name, tool] of Object.entries({ 'k-model': 'before', 'k-low': 'low', 'k-high': 'high' })) {
      await world.system(name, { [name]: { model_ref: name, tools: [tool] } });
      await world.put('Task', name, { system: name });
    }
    await Promise.all([world.called('k-model', 2), world.called('low', 1), world.called('high', 1)]);
    await world.request('DELETE', '/v1/agents/k-model');
    await world.put('AgentSystem', 'k-low', { agents: [] });
    release();
    await world.restart('SIGKILL');
    const [model, low] = [await world.ended('k-model'), await world.ended('k-low')];
    const high = await untilTask(world, 'k-high', ({ status }) => status.phase === 'WaitingApproval');
    expect([model.status.phase, low.status.phase]).toEqual(['Succeeded', 'Succeeded']);
    expect(high.status).toMatchObject({ phase: 'WaitingApproval', blockedOn: { kind: 'ToolApproval' } });
    expect(historyOf(model)).toEqual(['claim', 'running', 'takeover', 'succeeded']);
    expect([world.toolCalls('before').length, world.toolCalls('low').length, world.toolCalls('high').length]).toEqual([1, 2, 1]);
    expect(new Set(world.toolCalls('low').map(keyOf)).size).toBe(1);
    const keys = world.modelCalls('k-model').map(keyOf);
    expect([keys.length, new Set(keys).size, keys[1] === keys[2]]).toEqual([3, 2, true]);
    expect(typesOf(model).filter((type) => type === 'tool_call')).toHaveLength(1);
  });
});

test('without the server option no tool on loopback is called, and the error names its address', async () => {
  const strict = await startRunWorld([]);
  try {
    await strict.tool('near', [json({})]);
    await strict.model('near', [['near', {}, 'c1']], 'done');
    await strict.system('near', { near: { model_ref: 'near', tools: ['near'] } });
    const task = await strict.run('near', { system: 'near' });
    expect(entriesOf(task, 'tool_error')).toMatchObject([{ error_code: 'egress_blocked', message: expect.stringContaining('127.0.0.1') }]);
    expect(strict.toolCalls('near')).toEqual([]);
  } finally {
    await strict.close();
  }
});
