// Checkpoints through a whole server, on both databases: comparison, branches inside a turn, and refusals.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { CheckpointDiff } from '@svc/shared/api/sessions';
import { databaseServers } from '../testing/database-servers.ts';
import { json, startLoopbackServer } from '../testing/loopback-server.ts';
import type { TestServer } from '../testing/running-server.ts';
import { sessionClient, type Wire } from '../testing/session-client.ts';

describe.each(databaseServers('checkpoints of Sessions', ['--allow-private-tool-endpoints']))('on $name', ({ start }) => {
  let server: TestServer;
  const { send, write, submit, eventsOf, typesOf, until, checkpointsOf, branch } = sessionClient(() => server.url);
  const idOf = async (session: string, index: number) => String((await checkpointsOf(session))[index]?.['id']);
  const turnsOf = async (session: string): Promise<Wire[]> => (await send('GET', `/v1/sessions/${session}/turns`)).body.items;
  async function compare(session: string, id: string, query: string): Promise<CheckpointDiff> {
    const { status, body } = await send('GET', `/v1/sessions/${session}/checkpoints/${id}/diff?${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  }
  const texts = (messages: readonly { readonly content: string }[]) => messages.map(({ content }) => content);

  beforeAll(async () => {
    server = await start();
    const script = (steps: unknown) => ({ provider: 'mock', options: { script: JSON.stringify(steps) } });
    await write('model-endpoints', 'echo', script([{ text: 'plain' }]));
    await write('model-endpoints', 'verse', script([{ text: 'in verse' }, { text: 'in verse' }]));
    await write('agents', 'assistant', { prompt: 'You help.', model_ref: 'echo' });
    await write('agent-systems', 'chat', { agents: ['assistant'] });
    await write('tools', 'look', { type: 'http', endpoint: 'http://127.0.0.1:9/never', risk_level: 'low', description: 'looks' });
    await write('model-endpoints', 'caller', script([{ tool: 'look', input: { at: 'the sea' } }, { text: 'plain answer' }]));
    await write('agents', 'caller', { prompt: 'You call.', model_ref: 'caller', tools: ['look'] });
    await write('agent-systems', 'caller', { agents: ['caller'] });
  }, 60_000);
  afterAll(() => server?.stop());

  async function talk(session: string, contents: readonly string[], system = 'chat') {
    await write('sessions', session, { system });
    for (const [index, content] of contents.entries()) {
      await submit(session, content, `k${index}`);
      await until(session, 'turn.completed', index + 1);
    }
  }

  test('a diff of two checkpoints of one Session shares the earlier turns and adds the later ones', async () => {
    await talk('linear', ['one', 'two', 'three']);
    const [third, , first] = await checkpointsOf('linear');
    const diff = await compare('linear', String(first?.['id']), `against=${third?.['id']}`);
    expect(texts(diff.messages.shared)).toHaveLength(2);
    expect(diff.messages.left).toEqual([]);
    expect(texts(diff.messages.right).filter((_, index) => index % 2 === 0)).toEqual(['two', 'three']);
    expect(diff.left).toMatchObject({ session: 'linear', verified: true, checkpoint: { id: first?.['id'] } });
    expect(diff.usage.left.total_tokens).toBe(0);
    const [, second, last] = await turnsOf('linear');
    expect(diff.usage.right.total_tokens).toBe(second!['usage'].total_tokens + last!['usage'].total_tokens);
    expect(diff.tool_calls).toMatchObject({ shared: [], left: [], right: [], complete: true });
    expect(diff.agents).toEqual({ items: [], complete: true });
  });

  test('a diff of a checkpoint with itself has no differences', async () => {
    await talk('same', ['one']);
    const id = await idOf('same', 0);
    const { messages, outputs, agents, tool_calls: calls } = await compare('same', id, `against=${id}`);
    expect(messages).toMatchObject({ left: [], right: [], cut: { shared: false, left: false, right: false } });
    expect(texts(messages.shared)).toHaveLength(2);
    expect([outputs.items, agents.items, calls.left, calls.right]).toEqual([[], [], [], []]);
  });

  test('a list of checkpoints is paged from the newest to the oldest', async () => {
    await talk('paged', ['one', 'two', 'three']);
    const ids = (await checkpointsOf('paged')).map(({ id }) => String(id));
    expect(ids).toHaveLength(3);
    const page = async (query: string) => (await send('GET', `/v1/sessions/paged/checkpoints?${query}`)).body as Wire;
    expect(await page('limit=2')).toMatchObject({ items: [{ id: ids[0] }, { id: ids[1] }], continue: ids[1] });
    const last = await page(`limit=2&after=${ids[1]}`);
    expect(last).toMatchObject({ items: [{ id: ids[2] }] });
    for (const each of [last, await page('limit=3'), await page('limit=1000')]) expect(each).not.toHaveProperty('continue');
    for (const query of ['limit=0', 'limit=1001', 'after=3', 'after=ckpt-none'])
      expect((await send('GET', `/v1/sessions/paged/checkpoints?${query}`)).status, query).toBe(400);
  });

  test('a diff with a fork aligns both conversations and names the model and prompt that differ', async () => {
    await talk('origin', ['one', 'two']);
    const fork = { name: 'variant', resume: true, overrides: { model: 'verse', prompt: { assistant: 'You rhyme.' } } };
    expect((await branch('origin', await idOf('origin', 1), 'fork', fork)).status).toBe(201);
    await submit('variant', 'two', 'k-variant');
    await until('variant', 'turn.completed');
    const diff = await compare('origin', await idOf('origin', 0), `against=${await idOf('variant', 0)}&session=variant`);
    expect(texts(diff.messages.shared)).toHaveLength(3);
    expect(diff.messages.shared.at(-1)).toMatchObject({ role: 'user', content: 'two' });
    expect(diff.messages.left).toMatchObject([{ role: 'assistant' }]);
    expect(texts(diff.messages.right)).toEqual(['in verse']);
    expect(diff.agents.items).toEqual([
      { agent: 'assistant', left: { model: 'echo', prompt: 'You help.' }, right: { model: 'verse', prompt: 'You rhyme.' } },
    ]);
    expect(diff.outputs.items).toMatchObject([{ agent: 'assistant', right: 'in verse' }]);
    expect(diff.right).toMatchObject({ session: 'variant', overrides: { model: { assistant: 'verse' } } });
    expect(diff.left.overrides).toBeUndefined();
  });

  test('a diff of turns with tools shares the calls before a branch', async () => {
    await talk('tools', ['look there'], 'caller');
    const step = String((await checkpointsOf('tools')).find(({ safe_point: point }) => point === 'step.completed')?.['id']);
    const fork = { name: 'tools-variant', resume: true, overrides: { model: 'verse' } };
    expect((await branch('tools', step, 'fork', fork)).status).toBe(201);
    await until('tools-variant', 'turn.completed');
    const diff = await compare('tools', await idOf('tools', 0), `against=${await idOf('tools-variant', 0)}&session=tools-variant`);
    expect(diff.tool_calls.shared).toMatchObject([{ tool: 'look', agent: 'caller', input: { at: 'the sea' }, ok: false }]);
    expect(diff.tool_calls).toMatchObject({ left: [], right: [], complete: true });
    expect(texts(diff.messages.shared)).toEqual(['look there']);
    expect([texts(diff.messages.left), texts(diff.messages.right)]).toEqual([['plain answer'], ['in verse']]);
    const inside = await compare('tools', step, `against=${await idOf('tools', 0)}`);
    expect([texts(inside.messages.left), texts(inside.messages.right)]).toEqual([[], ['plain answer']]);
    expect(inside.tool_calls.shared).toHaveLength(1);
  });

  test.each([
    ['without the other checkpoint', 'ID/diff', 400],
    ['of an unknown checkpoint', 'ckpt-none/diff?against=ID', 404],
    ['with an unknown checkpoint', 'ID/diff?against=ckpt-none', 404],
    ['with a checkpoint of another Session that is not named', 'ID/diff?against=OTHER', 404],
    ['with an unknown Session', 'ID/diff?against=OTHER&session=nobody', 404],
    ['with a Session of that name in another namespace', 'ID/diff?against=OTHER&session=elsewhere/refused-other', 404],
    ['with an id that is no id', 'ID/diff?against=a%20b', 400],
  ])('a diff %s is refused', async (title, path, status) => {
    if ((await send('GET', '/v1/sessions/refused')).status === 404) {
      await talk('refused', ['one']);
      await talk('refused-other', ['one']);
    }
    const [id, other] = [await idOf('refused', 0), await idOf('refused-other', 0)];
    const answer = await send(
      'GET',
      `/v1/sessions/refused/checkpoints/${path.replace('ID', id).replace('OTHER', other).replace('ID', id)}`,
    );
    expect(answer.status, `${title} ${JSON.stringify(answer.body)}`).toBe(status);
    expect(answer.body.error.message).toMatch(/against|checkpoint|Session/);
  });

  test('a checkpoint of a deleted run is refused by diff, fork and rewind, and its replay reports it', async () => {
    await talk('lost', ['one', 'two']);
    const [kept, gone] = [await idOf('lost', 0), await idOf('lost', 1)];
    const [first] = await turnsOf('lost');
    expect((await send('DELETE', `/v1/tasks/${first!['task_name']}`)).status).toBeLessThan(300);
    const answer = await send('GET', `/v1/sessions/lost/checkpoints/${gone}/diff?against=${kept}`);
    expect(answer).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    expect(answer.body.error.message).toContain(`checkpoint ${gone} does not verify`);
    expect((await branch('lost', gone, 'fork', { name: 'lost-fork' })).status).toBe(409);
    expect((await send('GET', `/v1/sessions/lost/checkpoints/${gone}/replay`)).body.verified).toBe(false);
    expect((await compare('lost', kept, `against=${kept}`)).left.verified).toBe(true);
  });

  test('a fork inside a turn is rewound to its beginning with the same history', async () => {
    await talk('deep', ['first', 'second'], 'caller');
    const step = String((await checkpointsOf('deep')).find(({ safe_point: point }) => point === 'step.completed')?.['id']);
    const fork = await branch('deep', step, 'fork', { name: 'deep-fork' });
    const own = String(fork.body.checkpoint.id);
    expect(fork.body.checkpoint).not.toHaveProperty('task_name');
    expect(fork.body.checkpoint.turn_id).toBe((await turnsOf('deep-fork')).at(-1)?.['id']);
    expect((await branch('deep-fork', own, 'rewind', { interrupt: true, resume: true })).status).toBe(200);
    await until('deep-fork', 'turn.completed');
    const diff = await compare('deep-fork', await idOf('deep-fork', 0), `against=${await idOf('deep', 0)}&session=deep`);
    expect(texts(diff.messages.shared)).toEqual(['first', 'plain answer', 'second', 'plain answer']);
    expect(diff.messages).toMatchObject({ left: [], right: [] });
  });

  test('a fork inside a turn sends the state of a tool call to the model that made it, and to no other', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' }, extra_content: 'signed' };
    const completion = (message: object) => json({ choices: [{ message, finish_reason: 'stop' }] });
    const model = await startLoopbackServer(completion({ content: null, tool_calls: [call] }), completion({ content: 'done' }));
    onTestFinished(() => model.close());
    const endpoint = { provider: 'gateway-a-compatible', base_url: model.url, allowPrivate: true, options: { stream: 'false' } };
    await write('model-endpoints', 'signer', { ...endpoint, default_model: 'signer' });
    await write('model-endpoints', 'other', { ...endpoint, default_model: 'other' });
    await write('agents', 'signing', { prompt: 'You call.', model_ref: 'signer', tools: ['look'] });
    await write('agent-systems', 'signing', { agents: ['signing'] });
    await talk('signed', ['look'], 'signing');
    const step = String((await checkpointsOf('signed')).find(({ safe_point: point }) => point === 'step.completed')?.['id']);
    const sent: unknown[] = [];
    for (const [name, overrides] of Object.entries({ 'signed-same': {}, 'signed-other': { model: 'other' } })) {
      expect((await branch('signed', step, 'fork', { name, resume: true, overrides })).status).toBe(201);
      await until(name, 'turn.completed');
      const { messages } = JSON.parse(model.seen.at(-1)?.body ?? '') as { readonly messages: readonly { readonly tool_calls?: unknown }[] };
      sent.push(messages.find(({ tool_calls: calls }) => calls)?.tool_calls);
    }
    const { extra_content: _, ...unsigned } = call;
    expect(sent).toEqual([[call], [unsigned]]);
  });

  test('a state above 4 MiB fails its turn with its size, and the Session takes the next turn', async () => {
    const tool = await startLoopbackServer((response) => response.end('x'.repeat(1_000_000)));
    await write('tools', 'big', { type: 'http', endpoint: tool.url, risk_level: 'low', description: 'says much' });
    const steps = Array.from({ length: 9 }, (_, n) => ({ tool: 'big', input: { n } }));
    const script = JSON.stringify([{ cases: [{ when: 'briefly', text: 'short' }, steps[0]] }, ...steps.slice(1)]);
    await write('model-endpoints', 'big', { provider: 'mock', options: { script } });
    await write('agents', 'big', { prompt: 'You read.', model_ref: 'big', tools: ['big'], limits: { max_steps: 10 } });
    await write('agent-systems', 'large', { agents: ['big'] });
    await write('sessions', 'large', { system: 'large' });
    await submit('large', 'go', 'k1');
    await until('large', 'turn.failed');
    await submit('large', 'briefly', 'k2');
    await until('large', 'turn.completed');
    await tool.close();
    const turns = await turnsOf('large');
    expect(turns).toMatchObject([{ phase: 'Failed' }, { phase: 'Succeeded', output: { last_output: 'short' } }]);
    expect(turns[0]!['last_error']).toMatch(/^the state of the run has \d+ bytes; at most 4194304 can be kept/);
    expect((await send('GET', `/v1/tasks/${turns[0]!['task_name']}`)).body.status.phase).toBe('Failed');
    expect((await checkpointsOf('large')).length).toBeGreaterThan(1);
  });

  test('an expired checkpoint is not found by any request, and the newest stays', async () => {
    await write('sessions', 'aged', { system: 'chat', checkpoint_retention: { max_age: '1s' } });
    for (const n of [1, 2]) {
      await submit('aged', `message ${n}`, `k${n}`);
      await until('aged', 'turn.completed', n);
    }
    const [newest, oldest] = (await checkpointsOf('aged')).map(({ id }) => String(id));
    await expect.poll(async () => (await checkpointsOf('aged')).map(({ id }) => id)).toEqual([newest]);
    const old = `/v1/sessions/aged/checkpoints/${oldest}`;
    for (const path of [old, `${old}/replay`, `${old}/diff?against=${newest}`]) expect((await send('GET', path)).status).toBe(404);
    expect((await branch('aged', oldest!, 'rewind', {})).status).toBe(404);
    expect((await branch('aged', oldest!, 'fork', { name: 'aged-fork' })).status).toBe(404);
    const { status, body } = await send('GET', `/v1/sessions/aged/checkpoints/${newest}`);
    expect(status).toBe(200);
    // The next turn deletes both only when the newest has expired too.
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(body.expires_at));
    await submit('aged', 'message 3', 'k3');
    await until('aged', 'checkpoint.pruned', 2);
  });

  test('another max_age applies to the checkpoints that exist', async () => {
    const retain = (max_age: string) => send('PATCH', '/v1/sessions/changed', { spec: { checkpoint_retention: { max_age } } });
    await write('sessions', 'changed', { system: 'chat' });
    for (const n of [1, 2]) {
      await submit('changed', `message ${n}`, `k${n}`);
      await until('changed', 'turn.completed', n);
    }
    const made = (await checkpointsOf('changed')).map(({ id }) => id);
    expect(made).toHaveLength(2);
    expect((await retain('1s')).status).toBe(200);
    await expect.poll(async () => (await checkpointsOf('changed')).map(({ id }) => id)).toEqual([made[0]]);
    const [newest] = await checkpointsOf('changed');
    expect(Date.parse(String(newest?.['expires_at'])) - Date.parse(String(newest?.['created_at']))).toBe(1_000);
    await retain('24h');
    expect((await checkpointsOf('changed')).map(({ id }) => id)).toEqual(made);
    await retain('1s');
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(String(newest?.['expires_at'])));
    await submit('changed', 'message 3', 'k3');
    await until('changed', 'checkpoint.pruned', 2);
  });

  test('another max_count applies to the checkpoints that exist', async () => {
    const retain = (max_count: number) => send('PATCH', '/v1/sessions/fewer', { spec: { checkpoint_retention: { max_count } } });
    const lastId = async () => (await send('GET', '/v1/sessions/fewer')).body.status.lastCheckpointID as unknown;
    const listed = async () => (await checkpointsOf('fewer')).map(({ id }) => id);
    await write('sessions', 'fewer', { system: 'chat' });
    for (const n of [1, 2]) {
      await submit('fewer', `message ${n}`, `k${n}`);
      await until('fewer', 'turn.completed', n);
    }
    const [newest, oldest] = await listed();
    expect((await retain(1)).status).toBe(200);
    expect(await listed()).toEqual([newest]);
    expect((await send('GET', `/v1/sessions/fewer/checkpoints/${String(oldest)}`)).status).toBe(404);
    expect((await branch('fewer', String(oldest), 'fork', { name: 'fewer-fork' })).status).toBe(404);
    await retain(0);
    expect([await listed(), await lastId()]).toEqual([[], undefined]);
    await retain(2);
    expect([await listed(), await lastId()]).toEqual([[newest, oldest], newest]);
  });

  test('a second rewind into a turn replaces the first continuation', async () => {
    await talk('twice', ['only'], 'caller');
    const step = String((await checkpointsOf('twice')).find(({ safe_point: point }) => point === 'step.completed')?.['id']);
    await branch('twice', step, 'rewind', {});
    await branch('twice', step, 'rewind', { interrupt: true, resume: true });
    await until('twice', 'turn.completed', 2);
    await expect.poll(async () => (await turnsOf('twice')).map(({ phase }) => phase)).toEqual(['Cancelled', 'Cancelled', 'Succeeded']);
    expect((await send('GET', '/v1/sessions/twice')).body.status).toMatchObject({ queuedTurns: 0, completedTurns: 1 });
  });

  test('a rewound Session cancels the turns after the checkpoint and continues from it', async () => {
    await write('sessions', 'back', { system: 'chat' });
    for (const n of [1, 2]) {
      await submit('back', `message ${n}`, `k${n}`);
      await until('back', 'turn.completed', n);
    }
    const [, first] = await checkpointsOf('back');
    const rewound = await branch('back', first!['id'], 'rewind', {});
    expect(rewound.body).toMatchObject({ checkpoint_id: first!['id'], resumed: false });
    expect(rewound.body.session.status).toMatchObject({ phase: 'Paused', completedTurns: 1, restoredCheckpoint: first!['id'] });
    const turns = (await send('GET', '/v1/sessions/back/turns')).body.items;
    expect(turns.map(({ phase }: Wire) => phase)).toEqual(['Succeeded', 'Cancelled']);
    await submit('back', 'message 3', 'k3');
    await send('POST', '/v1/sessions/back/resume');
    await until('back', 'turn.completed', 3);
    expect((await send('GET', '/v1/sessions/back')).body.status.completedTurns).toBe(2);
  });

  test('a rewind to a step continues the turn behind that step without calling its tool again', async () => {
    await write('sessions', 'mid', { system: 'caller' });
    await submit('mid', 'look there', 'k1');
    await until('mid', 'turn.completed');
    const step = (await checkpointsOf('mid')).find(({ safe_point }) => safe_point === 'step.completed');
    const rewound = await branch('mid', step!['id'], 'rewind', { interrupt: true, resume: true });
    expect(rewound.body.resumed).toBe(true);
    await until('mid', 'turn.completed', 2);
    const events = await eventsOf('mid');
    expect(events.filter(({ type }) => type === 'tool.completed')).toHaveLength(1);
    const turns = (await send('GET', '/v1/sessions/mid/turns')).body.items;
    expect(turns.map(({ phase }: Wire) => phase)).toEqual(['Cancelled', 'Succeeded']);
    expect(turns[1].output).toEqual(turns[0].output);
    for (const { id } of await checkpointsOf('mid'))
      expect((await send('GET', `/v1/sessions/mid/checkpoints/${id}/replay`)).body.verified).toBe(true);
    const trace = (await send('GET', `/v1/tasks/${turns[1].task_name}/trace`)).body;
    expect(JSON.stringify(trace)).toContain(`continues from checkpoint ${step!['id']}`);
  });

  test('a fork has its own history and lives on when the first Session is deleted', async () => {
    await write('sessions', 'root', { system: 'chat' });
    await submit('root', 'my name is Ada', 'k1');
    await until('root', 'turn.completed');
    const [checkpoint] = await checkpointsOf('root');
    const forked = await branch('root', checkpoint!['id'], 'fork', { name: 'branch', overrides: { prompt: 'You answer in verse.' } });
    expect(forked.status, JSON.stringify(forked.body)).toBe(201);
    expect(forked.body.session.status).toMatchObject({ phase: 'Paused', completedTurns: 1 });
    expect(forked.body.session.spec.overrides.prompt).toEqual({ assistant: 'You answer in verse.' });
    expect(forked.body.checkpoint).toMatchObject({ parent_checkpoint_id: checkpoint!['id'], state_hash: checkpoint!['state_hash'] });
    await send('DELETE', '/v1/sessions/root');
    expect(await typesOf('branch')).toEqual(['session.created', 'session.forked', 'checkpoint.created']);
    expect((await send('GET', `/v1/sessions/branch/checkpoints/${forked.body.checkpoint.id}/replay`)).body.verified).toBe(true);
    await submit('branch', 'who am I?', 'k1-of-the-branch');
    await send('POST', '/v1/sessions/branch/resume');
    await until('branch', 'turn.completed');
    const turns = (await send('GET', '/v1/sessions/branch/turns')).body.items;
    expect(turns.map(({ content }: Wire) => content)).toEqual(['my name is Ada', 'who am I?']);
    const task = (await send('GET', `/v1/tasks/${turns[1].task_name}`)).body;
    expect(JSON.stringify(task)).not.toContain('my name is Ada');
  });

  test('a fork is refused with a taken name, an unknown agent, or an unknown checkpoint', async () => {
    await write('sessions', 'forks', { system: 'chat' });
    await submit('forks', 'hello', 'k1');
    await until('forks', 'turn.completed');
    const [checkpoint] = await checkpointsOf('forks');
    expect((await branch('forks', checkpoint!['id'], 'fork', { name: 'forks' })).status).toBe(409);
    expect((await branch('forks', checkpoint!['id'], 'fork', { name: 'Bad Name' })).status).toBe(400);
    expect((await branch('forks', checkpoint!['id'], 'fork', { name: 'x', overrides: { model: { nobody: 'model' } } })).status).toBe(400);
    expect((await branch('forks', checkpoint!['id'], 'fork', { name: 'x', namespace: 'elsewhere' })).status).toBe(400);
    expect((await branch('forks', 'ckpt-none', 'fork', { name: 'x' })).status).toBe(404);
    expect((await send('GET', '/v1/sessions/x')).status).toBe(404);
  });
});
