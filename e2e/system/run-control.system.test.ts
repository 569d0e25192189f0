// Control of runs, seen from outside: cancel, retry, time limits, priority and requirements.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json, type Answer } from '../../server/testing/loopback-server.ts';
import { entriesOf, historyOf, messagesOf } from '../../server/testing/run-records.ts';
import { chatOf, startRunWorld, type RunTask, type RunWorld } from '../../server/testing/run-world.ts';
import { asks, holds, inTurn, says } from '../../server/testing/wire-answers.ts';

let world: RunWorld;
beforeAll(async () => {
  world = await startRunWorld(['--allow-private-tool-endpoints', '--embedded-worker-max-concurrent-tasks', '4']);
  await world.model('plain', says('fine'));
  await world.system('plain', { plain: { model_ref: 'plain' } });
});
afterAll(() => world.close());

const read = async (name: string) => (await world.request('GET', `/v1/tasks/${name}`)).body as RunTask;
const cancel = (name: string, body?: object) => world.request('POST', `/v1/tasks/${name}/cancel`, body);
const retry = (name: string, body?: object) => world.request('POST', `/v1/tasks/${name}/retry`, body);
const nameOf = ({ body }: { readonly body: unknown }) => (body as RunTask).metadata.name;
const CANCELLED = { phase: 'Failed', reason: 'cancelled', lastError: 'enough' };

describe('cancel', () => {
  test('ends a Task that no worker has claimed, within the answer', async () => {
    await world.put('Task', 'queued', { system: 'plain', requirements: { region: 'mars' } });
    expect(await cancel('queued', { reason: 'enough' })).toMatchObject({ status: 200, body: { status: { ...CANCELLED, attempts: 0 } } });
    const task = await world.ended('queued');
    expect([historyOf(task).at(-1), task.status.messages]).toEqual(['cancelled', []]);
  });

  test.each(['model', 'tool'])('closes the connection of a %s call at once, and the model is not called again', async (where) => {
    const name = `held-${where}`;
    const { answer, arrived, closed } = holds();
    await world.tool(name, [answer]);
    await world.model(name, inTurn(where === 'model' ? answer : asks([name, {}, 'c1']), says('never')));
    await world.system(name, { [name]: { model_ref: name, tools: [name] } });
    await world.put('Task', name, { system: name, retry: { max_attempts: 3 }, message_retry: { max_attempts: 2 } });
    await arrived;
    const [answered] = await Promise.all([cancel(name, { reason: 'enough' }), closed]);
    expect(answered).toMatchObject({ status: 200, body: { status: CANCELLED } });
    const task = await world.ended(name);
    expect(task.status).toMatchObject({ ...CANCELLED, attempts: 1 });
    expect(task.status).not.toHaveProperty('claimedBy');
    expect(messagesOf(task)).toEqual([`>${name} Skipped`]);
    expect(world.modelCalls(name)).toHaveLength(1);
    expect(entriesOf(task, 'task_summary')).toMatchObject([{ error_code: 'cancelled' }]);
  });

  test('closes every call of a run with many branches', async () => {
    const held = [holds(), holds(), holds()];
    for (const [n, { answer }] of held.entries()) await world.model(`fan-${n}`, answer);
    const agents = Object.fromEntries(held.map((_, n) => [`fan-${n}`, { model_ref: `fan-${n}` }]));
    const edges = held.map((_, n) => ({ to: `fan-${n}` }));
    await world.system('fan', { ...agents, 'fan-open': { model_ref: 'plain' } }, { graph: { 'fan-open': { edges } } });
    await world.put('Task', 'fan', { system: 'fan' });
    await Promise.all(held.map(({ arrived }) => arrived));
    await Promise.all([cancel('fan'), ...held.map(({ closed }) => closed)]);
    expect((await read('fan')).status).toMatchObject({ phase: 'Failed', reason: 'cancelled', lastError: 'cancelled on request' });
  });

  test('is idempotent and keeps the first reason', async () => {
    const { answer, arrived } = holds();
    await world.model('twice', answer);
    await world.system('twice', { twice: { model_ref: 'twice' } });
    await world.put('Task', 'twice', { system: 'twice' });
    await arrived;
    const statuses = await Promise.all(['a', 'b', 'c'].map(async (reason) => (await cancel('twice', { reason })).status));
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
    expect(statuses).toContain(200);
    const { status } = await world.ended('twice');
    expect([status.phase, status.reason, ['a', 'b', 'c'].includes(status.lastError ?? '')]).toEqual(['Failed', 'cancelled', true]);
    expect(historyOf(await read('twice')).filter((type) => type === 'cancelled')).toHaveLength(1);
  });

  test('is 409 for ended tasks and templates, 404 for absent ones, 400 for an invalid reason', async () => {
    await world.run('over', { system: 'plain' });
    await world.put('Task', 'pattern', { system: 'plain', mode: 'template' });
    const conflict = (message: string) => ({
      status: 409,
      body: { error: { code: 'conflict', message: expect.stringContaining(message) } },
    });
    expect(await cancel('over')).toMatchObject(conflict('Succeeded'));
    expect(await cancel('queued')).toMatchObject(conflict('Failed'));
    expect(await cancel('pattern')).toMatchObject(conflict('template'));
    expect(await cancel('nobody')).toMatchObject({ status: 404 });
    await world.put('Task', 'kept', { system: 'plain', requirements: { region: 'mars' } });
    expect(await cancel('kept', { reason: 7 })).toMatchObject({ status: 400 });
    expect((await read('kept')).status.phase).toBe('Pending');
  });
});

describe('retry', () => {
  test('creates a new Task of the same spec, or with other input, any number of times', async () => {
    await world.run('orig', { system: 'plain', input: { q: 'first' }, priority: 'high', retry: { max_attempts: 2 } });
    const [one, two] = [await retry('orig'), await retry('orig', { input: { q: 'second', more: 'yes' } })];
    expect([one.status, nameOf(one), two.status, nameOf(two)]).toEqual([201, 'orig-retry-1', 201, 'orig-retry-2']);
    expect(one.body).toMatchObject({
      metadata: { annotations: { 'svc.dev/retry-of': 'default/orig' } },
      spec: { system: 'plain', input: { q: 'first' }, priority: 'high', retry: { max_attempts: 2 } },
      status: { phase: 'Pending' },
    });
    expect(two.body).toMatchObject({ spec: { input: { q: 'second', more: 'yes' } } });
    expect((await world.ended('orig-retry-2')).status).toMatchObject({ phase: 'Succeeded', attempts: 1 });
    const prompts = world.modelCalls('plain').map((call) => chatOf(call).messages.at(-1)?.content);
    expect(prompts).toContain('q: second\nmore: yes');
    expect(nameOf(await retry('orig-retry-2'))).toBe('orig-retry-2-retry-1');
    expect((await read('orig')).metadata.name).toBe('orig');
  });

  test.each([
    ['Failed', json({}, 401)],
    ['DeadLetter', json({}, 500)],
  ] as [string, Answer][])('of one that ended as %s runs with the current definitions', async (phase, answer) => {
    const name = `mended-${phase.toLowerCase()}`;
    await world.model(name, answer);
    await world.system(name, { [name]: { model_ref: name } });
    expect((await world.run(name, { system: name })).status.phase).toBe(phase);
    await world.model(name, says('mended'));
    expect((await retry(name)).status).toBe(201);
    expect((await world.ended(`${name}-retry-1`)).status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'mended' } });
  });

  test('by several clients at once creates a Task for each', async () => {
    await world.run('popular', { system: 'plain' });
    const names = (await Promise.all([1, 2, 3, 4, 5].map(() => retry('popular')))).map(nameOf);
    expect(names.sort()).toEqual([1, 2, 3, 4, 5].map((n) => `popular-retry-${n}`));
  });

  test('respects the maximum length of names', async () => {
    const name = 'n'.repeat(253);
    await world.run(name, { system: 'plain' });
    const made = nameOf(await retry(name));
    expect([made.length, made.endsWith('n-retry-1')]).toEqual([253, true]);
    const again = nameOf(await retry(name));
    expect([again.length, again.endsWith('n-retry-2')]).toEqual([253, true]);
    await world.ended(made);
    expect((await retry(made)).status).toBe(201);
  });

  test('is 409 for open tasks and templates, 404 for absent ones, 400 for invalid input', async () => {
    const { answer, arrived } = holds();
    await world.model('busy', answer);
    await world.system('busy', { busy: { model_ref: 'busy' } });
    await world.put('Task', 'busy', { system: 'busy' });
    await world.put('Task', 'unrun', { system: 'plain', mode: 'template' });
    await arrived;
    expect(await retry('busy')).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining('Running') } } });
    expect(await retry('kept')).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining('Pending') } } });
    expect(await retry('unrun')).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining('template') } } });
    expect(await retry('nobody')).toMatchObject({ status: 404 });
    expect(await retry('over', { input: { n: 1 } })).toMatchObject({ status: 400 });
    await cancel('busy');
  });
});

describe('limits.timeout', () => {
  test.each(['model', 'tool'])('aborts the %s call, and the turn is tried again as often as its message may be', async (where) => {
    const name = `late-${where}`;
    const held = [holds(), holds()];
    const answers = held.map(({ answer }) => answer);
    await world.tool(name, [inTurn(...answers)]);
    await world.model(name, where === 'model' ? inTurn(...answers) : asks([name, {}, 'c1']));
    await world.system(name, { [name]: { model_ref: name, tools: [name], limits: { timeout: '2s' } } });
    const task = await world.run(name, { system: name, message_retry: { max_attempts: 2, backoff: '1ms', jitter: 'none' } });
    await Promise.all(held.map(({ closed }) => closed));
    expect(task.status).toMatchObject({ phase: 'DeadLetter', reason: 'timeout' });
    expect(entriesOf(task, 'agent_error')).toMatchObject(
      Array(2).fill({ error_code: 'timeout', error_reason: 'agent_timeout', retryable: true }),
    );
  });

  test('bounds the whole turn rather than each call; a retry has the whole time again', async () => {
    const slow =
      (ms: number, answer: Answer): Answer =>
      (response, request) =>
        void setTimeout(() => answer(response, request), ms);
    await world.tool('turtle', [json({})]);
    const steps = [1, 2, 3].map((n) => slow(1_200, asks(['turtle', { n }, `c${n}`])));
    await world.model('turtle', inTurn(...steps, says('second try')));
    await world.system('turtle', { turtle: { model_ref: 'turtle', tools: ['turtle'], limits: { timeout: '3s' } } });
    const task = await world.run('turtle', { system: 'turtle', message_retry: { max_attempts: 2, jitter: 'none' } });
    expect(task.status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'second try' } });
    expect(entriesOf(task, 'agent_error')).toMatchObject([{ error_code: 'timeout' }]);
  });

  test('in non_retryable ends the Task as Failed', async () => {
    const { answer, closed } = holds();
    await world.model('final', answer);
    await world.system('final', { final: { model_ref: 'final', limits: { timeout: '2s' } } });
    const task = await world.run('final', { system: 'final', message_retry: { max_attempts: 3, non_retryable: ['timeout'] } });
    await closed;
    expect(task.status).toMatchObject({ phase: 'Failed', reason: 'timeout' });
  });
});

describe('scheduling', () => {
  test('requirements that no worker meets leave a Task Pending while others run, and explain names them', async () => {
    const unmet = { gpu: { gpu: true }, region: { region: 'mars' }, model: { model: 'frontier-9' } };
    for (const [name, requirements] of Object.entries(unmet)) await world.put('Task', `needs-${name}`, { system: 'plain', requirements });
    await world.run('needs-nothing', { system: 'plain' });
    const wanted = { gpu: 'gpu=true', region: 'region=mars', model: 'model=frontier-9' };
    for (const [name, words] of Object.entries(wanted)) {
      const { body } = await world.request('GET', `/v1/tasks/needs-${name}/explain`);
      expect(body).toMatchObject({
        phase: 'Pending',
        reasons: expect.arrayContaining([expect.objectContaining({ message: expect.stringContaining(words) })]),
      });
    }
  });

  test('claims higher priority first, then the oldest', async () => {
    const single = await startRunWorld(['--embedded-worker-max-concurrent-tasks', '1']);
    try {
      let release: () => void = () => undefined;
      const gate: Answer = (response, request) => void (release = () => says('go')(response, request));
      await single.model('order', inTurn(gate, says('fine')));
      await single.system('order', { order: { model_ref: 'order' } });
      await single.put('Task', 'gate', { system: 'order' });
      await single.called('order', 1);
      const waiting = { n1: 'normal', l1: 'low', h1: 'high', c1: 'critical', i1: '20', n2: 'normal', below: '-3' };
      for (const [name, priority] of Object.entries(waiting))
        await single.put('Task', name, { system: 'order', priority, input: { name } });
      release();
      for (const name of Object.keys(waiting)) expect((await single.ended(name)).status.phase).toBe('Succeeded');
      const order = single.modelCalls('order').map((call) => chatOf(call).messages.at(-1)?.content?.replace('name: ', ''));
      expect(order.slice(1)).toEqual(['c1', 'i1', 'h1', 'n1', 'n2', 'below', 'l1']);
    } finally {
      await single.close();
    }
  });
});
