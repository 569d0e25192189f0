// Control of Sessions through a whole server, on both databases: pause, resume, interrupt, cancel, and runs that end meanwhile.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseServers } from '../testing/database-servers.ts';
import { startPostgres, withoutPostgres } from '../testing/postgres-server.ts';
import { startTestServer, type TestServer } from '../testing/running-server.ts';
import { sessionClient, shownText, type Wire } from '../testing/session-client.ts';
import { sseMessages } from '../testing/sse-messages.ts';

type Client = ReturnType<typeof sessionClient>;

describe.each(databaseServers('control of Sessions', ['--allow-private-tool-endpoints']))('on $name', ({ start }) => {
  let server: TestServer;
  const { send, write, submit, eventsOf, typesOf, until, phaseOf, checkpointsOf, branch } = sessionClient(() => server.url);
  beforeAll(async () => {
    server = await start();
    const slow = { text: 'one two three four five six seven eight nine ten', pieces: 40, piece_delay: '50ms' };
    const cases = [{ when: 'quick', text: 'quick answer' }, { ...slow, when: 'endless', piece_delay: '1s' }, slow];
    const script = JSON.stringify([{ cases }]);
    await write('model-endpoints', 'slow', { provider: 'mock', options: { script } });
    await write('agents', 'slow', { prompt: 'You are slow.', model_ref: 'slow' });
    await write('agent-systems', 'slow', { agents: ['slow'] });
    await write('model-endpoints', 'model', { provider: 'mock', default_model: 'mock' });
    await write('agents', 'assistant', { prompt: 'You help.', model_ref: 'model' });
    await write('agent-systems', 'chat', { agents: ['assistant'] });
  }, 60_000);
  afterAll(() => server?.stop());

  test('a cancelled Session takes no turns and does not expire', async () => {
    await write('sessions', 'over', { system: 'chat' });
    const { status } = (await send('POST', '/v1/sessions/over/cancel')).body;
    expect(status.phase).toBe('Cancelled');
    expect(status).not.toHaveProperty('expiresAt');
    expect((await submit('over', 'hello', 'k')).status).toBe(409);
    expect((await send('POST', '/v1/sessions/over/pause')).status).toBe(409);
    expect(await typesOf('over')).toEqual(['session.created', 'session.cancelled']);
  });

  test.each([
    ['cancel', 'cancelled'],
    ['complete', 'completed'],
  ])('%s withdraws the text of a turn that runs with reason %s', async (control, reason) => {
    const resetsOf = async (session: string, controls: readonly string[]) => {
      await write('sessions', session, { system: 'slow' });
      await submit(session, 'endless', 'k');
      await expect.poll(() => typesOf(session)).toContain('message.delta');
      for (const each of controls) await send('POST', `/v1/sessions/${session}/${each}`);
      const events = await eventsOf(session);
      expect(events.at(-1)?.type).toBe(`session.${reason}`);
      return events.filter(({ type }) => type === 'message.reset').map(({ payload }) => payload);
    };
    expect(await resetsOf(`ends-by-${control}`, [control])).toEqual([{ reason }]);
    expect(await resetsOf(`held-and-${control}`, ['pause', control])).toEqual([{ reason: 'session_paused' }]);
  });

  test('a paused Session keeps its turns until it is resumed', async () => {
    await write('sessions', 'pause', { system: 'chat' });
    expect((await send('POST', '/v1/sessions/pause/pause', { reason: 'lunch' })).body.status.phase).toBe('Paused');
    await submit('pause', 'hello', 'k');
    expect((await send('GET', '/v1/sessions/pause')).body.status).toMatchObject({ phase: 'Paused', queuedTurns: 1 });
    expect((await send('POST', '/v1/sessions/pause/resume')).status).toBe(200);
    await until('pause', 'turn.completed');
  });

  test('an interrupting message cancels the current turn and runs next', async () => {
    await write('sessions', 'interrupt', { system: 'slow' });
    await submit('interrupt', 'long', 'k1');
    await expect.poll(() => typesOf('interrupt')).toContain('message.delta');
    await submit('interrupt', 'quick later', 'k2');
    const third = await send(
      'POST',
      '/v1/sessions/interrupt/turns',
      { content: 'quick now', interrupt: true },
      { 'idempotency-key': 'k3' },
    );
    expect(third.status).toBe(202);
    await until('interrupt', 'turn.completed', 2);
    const events = await eventsOf('interrupt');
    const turns = (await send('GET', '/v1/sessions/interrupt/turns')).body.items;
    expect(turns.map(({ phase }: { phase: string }) => phase)).toEqual(['Cancelled', 'Succeeded', 'Succeeded']);
    expect(events.filter(({ type }) => type === 'turn.completed').map(({ turn_id }) => turn_id)).toEqual([turns[2].id, turns[1].id]);
    expect(events.find(({ type }) => type === 'turn.cancelled')?.payload).toEqual({ reason: 'interrupted' });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  });

  test('a turn paused in mid-answer starts its answer again when the Session is resumed', async () => {
    await write('sessions', 'halt', { system: 'slow' });
    await submit('halt', 'long', 'k1');
    await expect.poll(() => typesOf('halt')).toContain('message.delta');
    expect((await send('POST', '/v1/sessions/halt/pause')).body.status).toMatchObject({ phase: 'Paused', queuedTurns: 1 });
    const paused = await eventsOf('halt');
    expect(paused.slice(-2).map(({ type }) => type)).toEqual(['message.reset', 'session.paused']);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await eventsOf('halt')).length).toBe(paused.length);
    await send('POST', '/v1/sessions/halt/resume');
    await until('halt', 'turn.completed');
    const events = await eventsOf('halt');
    expect(shownText(events)).toBe(events.find(({ type }) => type === 'message.completed')?.payload['content']);
    expect((await send('GET', '/v1/sessions/halt/turns')).body.items).toMatchObject([{ phase: 'Succeeded', attempt: 2 }]);
  });

  test('a pause and a resume during a tool call lose no event', async () => {
    let answer: (() => void) | undefined;
    const tool = createServer((_request, response) => {
      answer = () => response.setHeader('content-type', 'application/json').end(JSON.stringify({ ok: true }));
    });
    await once(tool.listen(0, '127.0.0.1'), 'listening');
    const endpoint = `http://127.0.0.1:${(tool.address() as AddressInfo).port}/`;
    await write('tools', 'slow-tool', { type: 'http', endpoint, risk_level: 'low', description: 'takes its time' });
    const steps = [{ text: 'wait', tool: 'slow-tool', input: {} }, { text: 'the end' }];
    await write('model-endpoints', 'waiter', { provider: 'mock', options: { script: JSON.stringify(steps) } });
    await write('agents', 'waiter', { prompt: 'You wait.', model_ref: 'waiter', tools: ['slow-tool'] });
    await write('agent-systems', 'waiter', { agents: ['waiter'] });
    await write('sessions', 'through', { system: 'waiter' });
    await submit('through', 'go', 'k');
    await expect.poll(() => answer).toBeDefined();
    expect((await send('POST', '/v1/sessions/through/pause')).status).toBe(200);
    expect((await send('POST', '/v1/sessions/through/resume')).status).toBe(200);
    answer!();
    await until('through', 'turn.completed');
    const events = await eventsOf('through');
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type === 'tool.completed')).toHaveLength(1);
    expect(types.filter((type) => type === 'tool.started')).toHaveLength(1);
    expect(types.filter((type) => type === 'message.completed')).toHaveLength(1);
    expect(shownText(events)).toBe('the end');
    expect((await send('GET', '/v1/sessions/through')).body.status).toMatchObject({
      phase: 'WaitingInput',
      completedTurns: 1,
      queuedTurns: 0,
    });
    await new Promise((resolve) => tool.close(resolve));
  });

  test('a turn whose state grows above 4 MiB during a pause fails with the resume', async () => {
    const calls: ServerResponse[] = [];
    const tool = createServer((_request, response) => void calls.push(response));
    await once(tool.listen(0, '127.0.0.1'), 'listening');
    const endpoint = `http://127.0.0.1:${(tool.address() as AddressInfo).port}/`;
    await write('tools', 'large-tool', { type: 'http', endpoint, risk_level: 'low', description: 'says much' });
    const steps = [{ tools: [1, 2, 3].map((n) => ({ tool: 'large-tool', input: { n } })) }, { text: 'the end' }];
    await write('model-endpoints', 'reader', { provider: 'mock', options: { script: JSON.stringify(steps) } });
    await write('agents', 'reader', { prompt: 'You read.', model_ref: 'reader', tools: ['large-tool'] });
    await write('agent-systems', 'reader', { agents: ['reader'] });
    await write('sessions', 'grown', { system: 'reader' });
    await submit('grown', 'go', 'k');
    await expect.poll(() => calls.length).toBe(3);
    await send('POST', '/v1/sessions/grown/pause');
    for (const response of calls) response.end('x'.repeat(1_000_000));
    const turns = async () => (await send('GET', '/v1/sessions/grown/turns')).body.items as Wire[];
    const task = `/v1/tasks/${(await turns())[0]?.['task_name']}`;
    await expect.poll(async () => (await send('GET', task)).body.status.history.at(-1).type).toBe('paused');
    expect((await send('POST', '/v1/sessions/grown/resume')).status).toBe(200);
    await until('grown', 'turn.failed');
    expect(await turns()).toMatchObject([{ phase: 'Failed', last_error: expect.stringContaining('the state of the run has') }]);
    expect((await typesOf('grown')).filter((type) => type === 'tool.completed')).toHaveLength(3);
    await new Promise((resolve) => tool.close(resolve));
  });

  test('a rewind replaces an active turn and continues only with interrupt and resume', async () => {
    await write('sessions', 'rewound', { system: 'slow' });
    await submit('rewound', 'quick first', 'k0');
    await until('rewound', 'turn.completed');
    const [checkpoint] = await checkpointsOf('rewound');
    const rewind = async (body: object) => (await branch('rewound', String(checkpoint?.['id']), 'rewind', body)).body as Wire;
    const run = async (key: string, started: number) => {
      await submit('rewound', 'endless', key);
      await until('rewound', 'turn.started', started);
    };
    await run('k1', 2);
    expect(await rewind({ resume: true })).toMatchObject({ session: { status: { phase: 'Paused' } }, resumed: false });
    expect(await rewind({ resume: true })).toMatchObject({ session: { status: { phase: 'WaitingInput' } }, resumed: true });
    await run('k2', 3);
    expect(await rewind({ interrupt: true })).toMatchObject({ session: { status: { phase: 'Paused' } }, resumed: false });
    expect((await send('POST', '/v1/sessions/rewound/resume')).status).toBe(200);
    await run('k3', 4);
    expect(await rewind({ interrupt: true, resume: true })).toMatchObject({
      session: { status: { phase: 'WaitingInput' } },
      resumed: true,
    });
  });

  /** A Session that was paused in the middle of its first turn, and the Task of that turn. */
  async function pausedInTurn(session: string): Promise<string> {
    await write('sessions', session, { system: 'slow' });
    await submit(session, 'endless', 'k1');
    await expect.poll(() => typesOf(session)).toContain('message.delta');
    expect((await send('POST', `/v1/sessions/${session}/pause`)).status).toBe(200);
    return (await send('GET', `/v1/sessions/${session}/turns`)).body.items[0].task_name as string;
  }

  test.each([
    ['cancelled', 'POST', '/cancel'],
    ['deleted', 'DELETE', ''],
  ])('a turn whose Task is %s during a pause ends with the resume, and the next one runs', async (how, method, path) => {
    const session = `meanwhile-${how}`;
    const task = await pausedInTurn(session);
    await submit(session, 'quick please', 'k2');
    const before = (await eventsOf(session)).length;
    expect((await send(method, `/v1/tasks/${task}${path}`)).status).toBeLessThan(300);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await eventsOf(session)).length).toBe(before);
    expect(await phaseOf(session)).toBe('Paused');
    expect((await send('POST', `/v1/sessions/${session}/resume`)).status).toBe(200);
    await until(session, 'turn.completed');
    expect((await send('GET', `/v1/sessions/${session}/turns`)).body.items).toMatchObject([
      { phase: 'Cancelled' },
      { phase: 'Succeeded', output: { last_output: 'quick answer' } },
    ]);
    expect((await send('GET', `/v1/sessions/${session}`)).body.status).toMatchObject({ phase: 'WaitingInput', queuedTurns: 0 });
  });

  test('an interrupt of a paused Session whose run has ended keeps its checkpoints in order', async () => {
    await write('sessions', 'counted', { system: 'slow' });
    await submit('counted', 'quick one', 'k0');
    await until('counted', 'turn.completed');
    await submit('counted', 'long', 'k1');
    await expect.poll(async () => (await typesOf('counted')).filter((type) => type === 'turn.started').length).toBe(2);
    await send('POST', '/v1/sessions/counted/pause');
    const [, turn] = (await send('GET', '/v1/sessions/counted/turns')).body.items;
    await send('POST', `/v1/tasks/${turn.task_name}/cancel`);
    await expect.poll(async () => (await send('GET', `/v1/tasks/${turn.task_name}`)).body.status.phase).toBe('Failed');
    await send('POST', '/v1/sessions/counted/turns', { content: 'quick two', interrupt: true }, { 'idempotency-key': 'k2' });
    await send('POST', '/v1/sessions/counted/resume');
    await until('counted', 'turn.completed', 2);
    const ids = (await checkpointsOf('counted')).map(({ id }) => String(id).slice(0, 13));
    expect(ids).toEqual(['ckpt-00000002', 'ckpt-00000001']);
  });

  test('a Session whose agent system is deleted fails its next turn by name, and continues once the system is back', async () => {
    await write('agent-systems', 'comes-back', { agents: ['assistant'] });
    await write('sessions', 'patient', { system: 'comes-back' });
    await submit('patient', 'one', 'k1');
    await until('patient', 'turn.completed');
    await send('DELETE', '/v1/agent-systems/comes-back');
    expect((await submit('patient', 'two', 'k2')).body.turn).toMatchObject({
      phase: 'Failed',
      last_error: 'AgentSystem default/comes-back does not exist',
    });
    expect(await phaseOf('patient')).toBe('Failed');
    expect((await send('POST', '/v1/sessions/patient/pause')).body.status).toMatchObject({ phase: 'Paused' });
    expect((await send('POST', '/v1/sessions/patient/resume')).body.status).toMatchObject({ phase: 'WaitingInput' });
    await write('agent-systems', 'comes-back', { agents: ['assistant'] });
    await submit('patient', 'three', 'k3');
    await until('patient', 'turn.completed', 2);
    expect(await phaseOf('patient')).toBe('WaitingInput');
  });

  test('the count of queued turns equals the turns that wait, after any sequence of requests', { timeout: 60_000 }, async () => {
    const session = '/v1/sessions';
    let round = 0;
    const check = async (name: string, requests: readonly string[]) => {
      await write('sessions', name, { system: 'slow' });
      for (const [index, request] of requests.entries()) {
        if (request.startsWith('rewind')) {
          const checkpoints = await checkpointsOf(name);
          const id = checkpoints[index % Math.max(1, checkpoints.length)]?.['id'] as string | undefined;
          const both = request.endsWith('resume');
          if (id !== undefined) await branch(name, id, 'rewind', { interrupt: both, resume: both });
        } else if (request.startsWith('say')) {
          const body = { content: request.includes('quick') ? 'quick' : 'long', interrupt: request.endsWith('!') };
          await send('POST', `${session}/${name}/turns`, body, { 'idempotency-key': `k${index}` });
        } else if (request === 'cancel task') {
          const { items } = (await send('GET', `${session}/${name}/turns`)).body as { items: Wire[] };
          const running = items.find(({ phase, task_name: task }) => task !== undefined && phase !== 'Succeeded' && phase !== 'Cancelled');
          if (running) await send('POST', `/v1/tasks/${running['task_name']}/cancel`);
        } else if (request === 'wait') await new Promise((resolve) => setTimeout(resolve, 60));
        else await send('POST', `${session}/${name}/${request}`);
      }
      await expect
        .poll(async () => {
          const { activeTurnID, queuedTurns } = (await send('GET', `${session}/${name}`)).body.status;
          const { items } = (await send('GET', `${session}/${name}/turns`)).body as { items: Wire[] };
          return queuedTurns - items.filter(({ phase, id }) => phase === 'Queued' && id !== activeTurnID).length;
        })
        .toBe(0);
    };
    const request = fc.constantFrom(
      ...['say', 'say', 'say quick', 'say quick', 'say!', 'say quick!', 'wait', 'wait', 'pause', 'resume', 'resume'],
      ...['rewind', 'rewind, resume', 'cancel task', 'cancel', 'complete'],
    );
    const sequence = fc.array(request, { minLength: 3, maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(sequence, (requests) => check(`any-${(round += 1)}`, requests)),
      { numRuns: 12, endOnFailure: true },
    );
  });

  test('a deleted Session ends the streams of its readers with the reason', async () => {
    await write('sessions', 'leaves', { system: 'chat' });
    await submit('leaves', 'hello', 'k');
    const messages: { event: string; data: unknown }[] = [];
    for await (const { event, data } of sseMessages(`${server.url}/v1/sessions/leaves/stream`)) {
      messages.push({ event, data });
      // The reader waits for more when the Session goes.
      if (event === 'checkpoint.created') expect((await send('DELETE', '/v1/sessions/leaves')).status).toBe(200);
    }
    expect(messages.at(-1)).toEqual({ event: 'close', data: { reason: 'session_deleted' } });
    expect(messages.map(({ event }) => event)).toContain('turn.completed');
    await expect.poll(async () => (await send('GET', '/v1/sessions/leaves/stream')).status).toBe(404);
  });

  test('checkpoints past their number are deleted, the oldest first', async () => {
    await write('sessions', 'few', { system: 'chat', checkpoint_retention: { max_count: 2 } });
    for (let n = 1; n <= 5; n += 1) {
      await submit('few', `message ${n}`, `k${n}`);
      await until('few', 'turn.completed', n);
      expect(await checkpointsOf('few')).toHaveLength(Math.min(n, 2));
    }
    const created = (await eventsOf('few'))
      .filter(({ type }) => type === 'checkpoint.created')
      .map(({ payload }) => payload['checkpoint_id']);
    const pruned = (await eventsOf('few'))
      .filter(({ type }) => type === 'checkpoint.pruned')
      .map(({ payload }) => payload['checkpoint_id']);
    expect(pruned).toEqual(created.slice(0, 3));
    expect((await checkpointsOf('few')).map(({ id }) => id)).toEqual(created.slice(3).reverse());
  });

  test('checkpoints are deleted once none are to be kept', async () => {
    await write('sessions', 'none', { system: 'chat' });
    await submit('none', 'hello', 'k1');
    await until('none', 'turn.completed', 1);
    const made = (await checkpointsOf('none')).map(({ id }) => id);
    expect(made).toHaveLength(1);
    const spec = { checkpoint_retention: { max_count: 0 } };
    expect((await send('PATCH', '/v1/sessions/none', { spec })).status).toBe(200);
    await submit('none', 'again', 'k2');
    await until('none', 'turn.completed', 2);
    expect(await checkpointsOf('none')).toEqual([]);
    const pruned = (await eventsOf('none')).filter(({ type }) => type === 'checkpoint.pruned');
    expect(pruned.map(({ payload }) => payload['checkpoint_id'])).toEqual(made);
    expect((await send('GET', '/v1/sessions/none')).body.status).not.toHaveProperty('lastCheckpointID');
  });
});

describe.skipIf(withoutPostgres('a pause from another server'))('on two servers of one PostgreSQL', () => {
  test('a run that completes before the pause of another server reaches it ends its turn with the resume', async () => {
    const postgres = await startPostgres();
    const databaseUrl = await postgres.createDatabase();
    const database = new pg.Client({ connectionString: databaseUrl });
    const model = createServer();
    const servers: TestServer[] = [];
    let stopped: number | undefined;
    try {
      const flags = ['--database-url', databaseUrl, '--allow-private-tool-endpoints'];
      servers.push(await startTestServer([...flags, '--embedded-worker=true']));
      await database.connect();
      const announcers = `SELECT pid FROM pg_stat_activity WHERE query ~ 'LISTEN|pg_notify|^SELECT seq FROM [a-z.]*change_head$' AND pid <> pg_backend_pid() AND pid <> ALL ($1::int[])`;
      const ofFirst = await database.query<{ pid: number }>(announcers, [[]]);
      servers.push(await startTestServer([...flags, '--embedded-worker=false']));
      const ofSecond = await database.query<{ pid: number }>(announcers, [ofFirst.rows.map(({ pid }) => pid)]);
      expect([ofFirst.rowCount, ofSecond.rowCount]).toEqual([1, 1]);
      const [onFirst, onSecond] = servers.map((server) => sessionClient(() => server.url)) as [Client, Client];
      await once(model.listen(0, '127.0.0.1'), 'listening');
      const base_url = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
      const spec = { provider: 'gateway-a-compatible', base_url, default_model: 'm', allowPrivate: true, options: { stream: 'false' } };
      await onFirst.write('model-endpoints', 'held', spec);
      await onFirst.write('agents', 'held', { prompt: 'You wait.', model_ref: 'held' });
      await onFirst.write('agent-systems', 'held', { agents: ['held'] });
      await onFirst.write('sessions', 'race', { system: 'held' });
      const requested = once(model, 'request');
      await onFirst.submit('race', 'go', 'k');
      const [, response] = (await requested) as [unknown, ServerResponse];
      // The notice of the pause is not sent, so the worker of the first server does not learn of it.
      stopped = ofSecond.rows[0]!.pid;
      process.kill(stopped, 'SIGSTOP');
      expect((await onSecond.send('POST', '/v1/sessions/race/pause')).status).toBe(200);
      const message = { role: 'assistant', content: 'the answer' };
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
      const task = async () => {
        const [turn] = (await onSecond.send('GET', '/v1/sessions/race/turns')).body.items;
        return (await onSecond.send('GET', `/v1/tasks/${turn.task_name}`)).body.status.phase as string;
      };
      await expect.poll(task).toBe('Succeeded');
      process.kill(stopped, 'SIGCONT');
      stopped = undefined;
      expect((await onSecond.send('GET', '/v1/sessions/race')).body.status).toMatchObject({ phase: 'Paused', queuedTurns: 1 });
      expect(await onSecond.typesOf('race')).not.toContain('turn.completed');
      expect((await onSecond.send('POST', '/v1/sessions/race/resume')).status).toBe(200);
      await onFirst.until('race', 'turn.completed');
      const events = await onFirst.eventsOf('race');
      expect(shownText(events)).toBe('the answer');
      expect(events.filter(({ type }) => type === 'message.completed')).toHaveLength(1);
      expect((await onSecond.send('GET', '/v1/sessions/race')).body.status).toMatchObject({
        phase: 'WaitingInput',
        queuedTurns: 0,
        completedTurns: 1,
      });
    } finally {
      if (stopped !== undefined) process.kill(stopped, 'SIGCONT');
      await database.end();
      await Promise.all(servers.map((server) => server.stop()));
      model.close();
      await postgres.remove();
    }
  });
});
