// Retries seen from outside: the calls that reach model or tool, their times, the end of failures, and every view of the Task.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hang, json, reset, text, type Answer } from '../../server/testing/loopback-server.ts';
import { entriesOf, historyOf, messagesOf, typesOf, untilTask } from '../../server/testing/run-records.ts';
import { chatOf, startRunWorld, type RunTask, type RunWorld } from '../../server/testing/run-world.ts';
import { asks, holds, inTurn, says } from '../../server/testing/wire-answers.ts';

let world: RunWorld;
beforeAll(async () => {
  world = await startRunWorld(['--allow-private-tool-endpoints']);
});
afterAll(() => world.close());

/** A system of one agent whose model gives these answers, request after request. */
async function single(name: string, ...answers: readonly Answer[]): Promise<void> {
  await world.model(name, inTurn(...answers));
  await world.system(name, { [name]: { model_ref: name } });
}

const broken = json({ error: { message: 'overloaded' } }, 503);
const HOUR_MS = 3_600_000;
const AT = /at (\d{4}-\S+Z)/;

/** Milliseconds from the time of a record to the time its message names. */
function waitOf({ timestamp, message }: Readonly<Record<string, unknown>>): number {
  return Date.parse(AT.exec(String(message))?.[1] ?? '') - Date.parse(String(timestamp));
}
const messageWaits = (task: RunTask) => entriesOf(task, 'agent_message_retry_scheduled').map(waitOf);
const attemptWaits = ({ status }: RunTask) =>
  status.history.filter(({ type }) => type === 'retry_scheduled').map((record) => waitOf({ ...record }));

describe('classes of model errors', () => {
  test.each<[string, Answer, string]>([
    ['400', json({ error: { message: 'bad tools' } }, 400), 'execution_failed'],
    ['401', json({}, 401), 'auth_invalid'],
    ['403', json({}, 403), 'auth_forbidden'],
    ['404', json({}, 404), 'model_not_found'],
    ['422', json({}, 422), 'execution_failed'],
    ['quota', json({ error: { code: 'insufficient_quota' } }, 429), 'rate_limited'],
  ])('%s is final: one call, then Failed', async (name, answer, code) => {
    await single(`final-${name}`, answer);
    const task = await world.run(`final-${name}`, {
      system: `final-${name}`,
      retry: { max_attempts: 3 },
      message_retry: { max_attempts: 2 },
    });
    expect(task.status).toMatchObject({ phase: 'Failed', reason: code, attempts: 1 });
    expect(world.modelCalls(`final-${name}`)).toHaveLength(1);
    expect(typesOf(task).slice(-4)).toEqual(['agent_error', 'agent_message_non_retryable', 'agent_message_deadletter', 'task_summary']);
    expect(entriesOf(task, 'agent_error')).toMatchObject([{ error_code: code, retryable: false }]);
  });

  test.each<[string, Answer, string]>([
    ['408', json({}, 408), 'timeout'],
    ['429', json({}, 429), 'rate_limited'],
    ['500', json({}, 500), 'execution_failed'],
    ['529', json({}, 529), 'execution_failed'],
    ['reset', reset(), 'execution_failed'],
    ['reset-midway', reset('{"choices":['), 'execution_failed'],
    ['no-json', text('{"choices":', 200, { 'content-type': 'application/json' }), 'malformed_response'],
    ['web-page', text('<html>busy</html>', 200, { 'content-type': 'text/html' }), 'malformed_response'],
  ])('%s is retried until the attempts are used up, then dead-lettered', async (name, answer, code) => {
    await single(`again-${name}`, answer);
    const message_retry = { max_attempts: 2, backoff: '1ms', jitter: 'none' };
    const task = await world.run(`again-${name}`, { system: `again-${name}`, message_retry });
    expect(task.status).toMatchObject({
      phase: 'DeadLetter',
      reason: code,
      messages: [{ phase: 'DeadLetter', attempts: 2, max_attempts: 2 }],
    });
    expect(world.modelCalls(`again-${name}`)).toHaveLength(2);
    expect(entriesOf(task, 'agent_error')).toMatchObject(Array(2).fill({ error_code: code, retryable: true }));
  });
});

describe('waits between attempts', () => {
  test.each<[string, object, number[]]>([
    ['doubles up to the cap', { backoff: '10ms', max_backoff: '30ms', jitter: 'none' }, [10, 20, 30]],
    ['lies between zero and the wait with full jitter', { backoff: '40ms', max_backoff: '90ms', jitter: 'full' }, [0, 0, 0]],
    ['lies in the upper half with equal jitter', { backoff: '40ms', max_backoff: '90ms', jitter: 'equal' }, [20, 40, 45]],
  ])('%s', async (title, fields, lowest) => {
    const name = title.replace(/ .*/, `-${'jitter' in fields ? String(fields.jitter) : ''}`);
    await single(name, broken);
    const task = await world.run(name, { system: name, message_retry: { max_attempts: 4, ...fields } });
    const highest = 'jitter' in fields && fields.jitter === 'none' ? lowest : [40, 80, 90];
    const waits = messageWaits(task);
    expect(waits.map((wait, n) => wait >= (lowest[n] ?? 0) && wait <= (highest[n] ?? 0))).toEqual([true, true, true]);
    expect(historyOf(task).at(-1)).toBe('deadletter');
  });

  test('double the backoff of attempts too, and the Task shows the next start', async () => {
    await single('attempts', broken, broken, says('at last'));
    await world.put('Task', 'attempts', { system: 'attempts', retry: { max_attempts: 3, backoff: '600ms' } });
    const waiting = await untilTask(world, 'attempts', ({ status }) => status['nextAttemptAt'] !== undefined);
    expect(waiting.status).toMatchObject({ phase: 'Pending', attempts: 1, lastError: expect.stringContaining('503') });
    expect((await world.request('GET', '/v1/tasks/attempts/explain')).body).toMatchObject({
      reasons: expect.arrayContaining([expect.objectContaining({ code: 'retry_wait' })]),
    });
    const task = await world.ended('attempts');
    expect(task.status).toMatchObject({ phase: 'Succeeded', attempts: 3, output: { last_output: 'at last' } });
    expect(task.status).not.toHaveProperty('nextAttemptAt');
    expect(task.status).not.toHaveProperty('lastError');
    expect(attemptWaits(task)).toEqual([600, 1200]);
    const { body: metrics } = await world.request('GET', '/v1/tasks/attempts/metrics');
    expect(metrics).toMatchObject({ totals: { messages: 3, deadletter: 2, succeeded: 1, retry_count: 2 } });
    expect(task.status.messages.map(({ attempt, attempts, phase }) => [attempt, attempts, phase])).toEqual([
      [1, 1, 'DeadLetter'],
      [2, 2, 'DeadLetter'],
      [3, 3, 'Succeeded'],
    ]);
  });

  test.each<[string, object, number]>([
    ['one', { retry: { max_attempts: 3, backoff: '1ms' } }, 3],
    ['own', { retry: { max_attempts: 2, backoff: '1ms' }, message_retry: { max_attempts: 3, jitter: 'none' } }, 6],
    ['none', {}, 1],
  ])('budget %s', async (name, fields, calls) => {
    await single(`budget-${name}`, broken);
    const task = await world.run(`budget-${name}`, { system: `budget-${name}`, ...fields });
    expect(task.status.phase).toBe('DeadLetter');
    expect(world.modelCalls(`budget-${name}`)).toHaveLength(calls);
  });

  test.each(['execution_failed', 'http_503'])('non_retryable %s ends at once as Failed', async (word) => {
    await single(`never-${word.slice(0, 4)}`, broken);
    const system = `never-${word.slice(0, 4)}`;
    const task = await world.run(system, { system, retry: { max_attempts: 3 }, message_retry: { max_attempts: 2, non_retryable: [word] } });
    expect(task.status).toMatchObject({ phase: 'Failed', reason: 'execution_failed', attempts: 1 });
    expect(world.modelCalls(system)).toHaveLength(1);
  });
});

describe('a retry of a turn', () => {
  const message_retry = { max_attempts: 2, backoff: '1ms', jitter: 'none' };
  const rolesSent = (model: string) => world.modelCalls(model).map((call) => chatOf(call).messages.map(({ role }) => role));

  test.each<[string, Answer]>([
    ['503', broken],
    ['nothing', says('')],
    ['hang', hang],
  ])('continues from its recorded steps: after %s no tool is called again', async (kind, failing) => {
    const name = `resume-${kind}`;
    await world.tool(name, [json({ charged: true })]);
    await world.model(name, inTurn(asks([name, { n: 1 }, 'c1']), asks([name, { n: 2 }, 'c2']), failing, says('done')));
    await world.system(name, {
      [name]: { model_ref: name, tools: [name], limits: { ...(kind === 'hang' && { timeout: '3s' }), max_steps: 3 } },
    });
    const task = await world.run(name, { system: name, message_retry });
    expect(task.status).toMatchObject({ phase: 'Succeeded', attempts: 1, output: { last_output: 'done', last_tool_calls: '2' } });
    expect(world.toolCalls(name)).toHaveLength(2);
    const conversation = ['user', 'assistant', 'tool', 'assistant', 'tool'];
    expect(rolesSent(name).slice(-2)).toEqual([conversation, conversation]);
  });

  test('repeats cut-off tool calls without a result under the same key', async () => {
    const { answer, closed } = holds();
    await world.tool('ended', [json({ charged: true })]);
    await world.tool('stuck', [answer, json({ ok: true })]);
    await world.model('cut-off', inTurn(asks(['ended', {}, 'c1'], ['stuck', {}, 'c2']), says('done')));
    const execution = { duplicate_tool_call_policy: 'deny' };
    const agent = { model_ref: 'cut-off', tools: ['ended', 'stuck'], limits: { timeout: '2s' }, execution };
    await world.system('cut-off', { 'cut-off': agent });
    const task = await world.run('cut-off', { system: 'cut-off', message_retry });
    await closed;
    expect(task.status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'done' } });
    expect(world.toolCalls('ended')).toHaveLength(1);
    const keys = world.toolCalls('stuck').map(({ headers }) => headers['idempotency-key']);
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    expect(rolesSent('cut-off')).toEqual([['user'], ['user', 'assistant', 'tool', 'tool']]);
  });
});

test("does not repeat a high-risk call that timed out without a person's decision", async () => {
  const { answer, closed } = holds();
  await world.tool('risky', [answer, json({ ok: true })], { risk_level: 'high', runtime: { isolation_mode: 'none' } });
  await world.model('risky', asks(['risky', {}, 'c1']), says('done'));
  await world.system('risky', { risky: { model_ref: 'risky', tools: ['risky'], limits: { timeout: '2s' } } });
  await world.put('Task', 'risky', { system: 'risky', message_retry: { max_attempts: 2, jitter: 'none' } });
  await closed;
  const waiting = await untilTask(world, 'risky', ({ status }) => status.phase === 'WaitingApproval');
  expect(world.toolCalls('risky')).toHaveLength(1);
  const { name } = waiting.status['blockedOn'] as { readonly name: string };
  expect((await world.request('POST', `/v1/tool-approvals/${name}/approve`, { outcome: 'run_again' })).status).toBe(200);
  expect((await world.ended('risky')).status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'done' } });
  expect(world.toolCalls('risky')).toHaveLength(2);
});

describe('Retry-After', () => {
  const soon = () => new Date(Date.now() + HOUR_MS).toUTCString();
  test.each<[string, () => string, object]>([
    ['seconds-message', () => '3600', { message_retry: { max_attempts: 2 } }],
    ['date-message', soon, { message_retry: { max_attempts: 2 } }],
    ['seconds-attempt', () => '3600', { retry: { max_attempts: 2 } }],
    ['date-attempt', soon, { retry: { max_attempts: 2 } }],
  ])('%s: the Task waits that long, reports it, and can be cancelled', async (name, header, fields) => {
    await single(name, json({}, 429, { 'retry-after': header() }));
    const began = Date.now();
    await world.put('Task', name, { system: name, ...fields });
    const { status } = await untilTask(world, name, ({ status: { nextAttemptAt } }) => nextAttemptAt !== undefined);
    const wait = Date.parse(String(status['nextAttemptAt'])) - began;
    expect([status.phase, wait > HOUR_MS - 2_000, wait < HOUR_MS + 20_000]).toEqual(['Pending', true, true]);
    expect((await world.request('POST', `/v1/tasks/${name}/cancel`, { reason: 'too long' })).body).toMatchObject({
      status: { phase: 'Failed', reason: 'cancelled', lastError: 'too long' },
    });
    expect(messagesOf(await world.ended(name)).every((message) => / (Skipped|DeadLetter)$/.test(message))).toBe(true);
  });

  test.each<[string, object]>([
    ['of a message', { message_retry: { max_attempts: 2, max_backoff: '30ms', jitter: 'none' } }],
    ['of an attempt', { retry: { max_attempts: 2 }, message_retry: { max_backoff: '30ms' } }],
  ])('is capped by max_backoff: %s', async (title, fields) => {
    const name = title.replaceAll(' ', '-');
    await single(name, json({}, 503, { 'retry-after': '3600' }), says('fine'));
    const task = await world.run(name, { system: name, ...fields });
    expect(task.status.phase).toBe('Succeeded');
    expect([...messageWaits(task), ...attemptWaits(task)]).toEqual([30]);
  });
});

describe('tools', () => {
  const retry = { max_attempts: 3, backoff: '1ms' };

  test.each<[string, Answer[], number, string]>([
    ['401', [json({}, 401)], 1, 'auth_invalid'],
    ['403', [json({}, 403)], 1, 'auth_forbidden'],
    ['400', [json({}, 400)], 1, 'execution_failed'],
    ['503', [json({}, 503)], 3, 'execution_failed'],
    ['429', [json({}, 429, { 'retry-after': '3600' })], 3, 'execution_failed'],
    ['hang', [hang], 3, 'timeout'],
    ['reset', [reset()], 3, 'execution_failed'],
  ])('answering %s are called as often as runtime.retry allows', async (kind, answers, calls, code) => {
    const name = `tool-${kind}`;
    // A request has to reach the tool before its time is over.
    const timeout = kind === 'hang' && { timeout: '1500ms' };
    await world.tool(name, answers, { runtime: { ...timeout, retry: { ...retry, max_backoff: '20ms' } } });
    await world.model(name, asks([name, {}, 'c1']), says('went on'));
    await world.system(name, { [name]: { model_ref: name, tools: [name] } });
    const task = await world.run(name, { system: name });
    expect(world.toolCalls(name)).toHaveLength(calls);
    expect(new Set(world.toolCalls(name).map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(entriesOf(task, 'tool_error')).toMatchObject([{ tool_code: code, error_code: code, tool_attempt: calls, retryable: calls > 1 }]);
    expect(task.status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'went on' } });
  });
});

describe('a dead-lettered message at a join', () => {
  const message_retry = { max_attempts: 2, backoff: '1ms', jitter: 'none' };
  const agent = (model_ref: string) => ({ model_ref });

  /** open → left, right → end; `left` and `right` answer as given. */
  async function joined(name: string, { left, right, join }: { left: Answer; right: Answer; join: object }): Promise<RunTask> {
    const [end, one, two] = [`${name}-end`, `${name}-left`, `${name}-right`];
    await world.model(`${name}-open`, says('opened'));
    await world.model(end, says('joined'));
    await world.model(one, left);
    await world.model(two, right);
    const graph = { [`${name}-open`]: { edges: [{ to: one }, { to: two }] }, [one]: { next: end }, [two]: { next: end }, [end]: { join } };
    const agents = Object.fromEntries([`${name}-open`, one, two, end].map((each) => [each, agent(each)]));
    await world.system(name, agents, { graph });
    return world.run(name, { system: name, message_retry });
  }
  const inboxOf = (name: string) => world.modelCalls(`${name}-end`).map((request) => chatOf(request).messages.at(-1)?.content ?? '');
  const later =
    (answer: Answer, ms = 120): Answer =>
    (response, request) =>
      void setTimeout(() => answer(response, request), ms);

  test.each<[string, object, string]>([
    ['dl', { on_failure: 'deadletter' }, 'DeadLetter'],
    ['skip', { on_failure: 'skip' }, 'Succeeded'],
    ['partial', { on_failure: 'continue_partial' }, 'Succeeded'],
    ['q-dl', { mode: 'quorum', quorum_count: 1, on_failure: 'deadletter' }, 'Succeeded'],
    ['q2-dl', { mode: 'quorum', quorum_count: 2, on_failure: 'deadletter' }, 'DeadLetter'],
  ])('%s', async (name, join, phase) => {
    const task = await joined(name, { left: says('left says'), right: later(broken), join });
    expect(task.status).toMatchObject(phase === 'DeadLetter' ? { phase, reason: 'execution_failed' } : { phase });
    const runs = phase === 'Succeeded' ? 1 : 0;
    const noted = name.endsWith('partial');
    expect(inboxOf(name).map((inbox) => [inbox.includes('left says'), inbox.includes(`# ${name}-right failed`)])).toEqual(
      Array(runs).fill([true, noted]),
    );
    const keys = task.status['message_idempotency'] as readonly { readonly message_id: string; readonly state: string }[];
    expect(keys.map(({ message_id, state }) => [message_id, state])).toEqual(
      task.status.messages.map(({ message_id, phase }) => [message_id, phase]),
    );
    // One dead letter in every view: messages, counts, metrics, trace, join.
    expect(messagesOf(task).filter((message) => message.endsWith(' DeadLetter'))).toEqual([`${name}-open>${name}-right DeadLetter`]);
    const { body: messages } = await world.request('GET', `/v1/tasks/${name}/messages`);
    expect(messages).toMatchObject({ lifecycle_counts: { deadletter: 1, queued: 0, running: 0, retrypending: 0, succeeded: 2 + runs } });
    const { body: metrics } = await world.request('GET', `/v1/tasks/${name}/metrics`);
    expect(metrics).toMatchObject({ totals: { deadletter: 1, in_flight: 0, retry_count: 1 } });
    expect(typesOf(task).filter((type) => type === 'agent_message_deadletter')).toHaveLength(1);
    expect(task.status.join_states).toMatchObject([{ node: `${name}-end`, activated: runs === 1 }]);
    expect(world.modelCalls(`${name}-right`)).toHaveLength(2);
  });

  test.each<[string, string, number]>([
    ['all-skip', 'skip', 0],
    ['all-partial', 'continue_partial', 1],
  ])('%s: without any source left', async (name, on_failure, runs) => {
    const task = await joined(name, { left: broken, right: json({}, 401), join: { on_failure } });
    expect(task.status.phase).toBe('Succeeded');
    expect(task.status.output?.['last_output']).toBe(runs === 1 ? 'joined' : 'opened');
    expect(inboxOf(name).map((inbox) => inbox.match(/ failed$/gm)?.length)).toEqual(Array(runs).fill(2));
  });

  test('dead-letters the Task for a broken contract, under every on_failure', async () => {
    const contract = { profile: 'contract', tool_sequence: ['unused'] };
    await world.tool('unused', [json({})]);
    await world.model('breaker', says('no'));
    const agents = {
      'strict-open': { model_ref: 'breaker' },
      strict: { model_ref: 'breaker', tools: ['unused'], execution: contract, limits: { max_steps: 1 } },
      'strict-end': { model_ref: 'breaker' },
    };
    const graph = { 'strict-open': { next: 'strict' }, strict: { next: 'strict-end' }, 'strict-end': { join: { on_failure: 'skip' } } };
    await world.system('strict', agents, { graph });
    const task = await world.run('strict', { system: 'strict', retry: { max_attempts: 2 } });
    expect(task.status).toMatchObject({ phase: 'DeadLetter', reason: 'contract_violation', attempts: 1 });
  });

  test('with continue_partial makes even a quorum wait until every source has settled', async () => {
    const [bad, quick, slow, end] = ['q-bad', 'q-quick', 'q-slow', 'q-end'];
    await world.model(bad, json({}, 401));
    await world.model(quick, later(says('quick says'), 60));
    await world.model(slow, later(says('slow says'), 400));
    await world.model(end, says('joined'));
    const join = { mode: 'quorum', quorum_count: 1, on_failure: 'continue_partial' };
    const graph = { [bad]: { next: end }, [quick]: { next: end }, [slow]: { next: end }, [end]: { join } };
    await world.system('q-partial', Object.fromEntries([bad, quick, slow, end].map((each) => [each, agent(each)])), { graph });
    const task = await world.run('q-partial', { system: 'q-partial' });
    expect(task.status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'joined' } });
    const [inbox = ''] = world.modelCalls(end).map((request) => chatOf(request).messages.at(-1)?.content ?? '');
    for (const part of ['quick says', 'slow says', `# ${bad} failed`]) expect(inbox).toContain(part);
    expect(world.modelCalls(end)).toHaveLength(1);
  });

  test('ends the Task while another branch is in a call, and aborts that call', async () => {
    const { answer, closed } = holds();
    const task = await joined('abandon', { left: answer, right: json({}, 401), join: { on_failure: 'deadletter' } });
    await closed;
    expect(task.status).toMatchObject({ phase: 'DeadLetter', reason: 'auth_invalid' });
    expect(messagesOf(task)).toContain('abandon-open>abandon-left Skipped');
  });
});
