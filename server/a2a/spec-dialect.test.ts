// The plain dialect over HTTP against a whole server: tasks/send, tasks/get, tasks/cancel, tasks/sendSubscribe, and requests of all kinds that are wrong.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/running-server.ts';
import { createAgents, tokenOf, tokens, type Agents } from '../testing/a2a/agents.ts';

let server: TestServer;
let agents: Agents;
beforeAll(async () => {
  server = await startTestServer(['--allow-private-tool-endpoints'], { SVC_API_TOKENS: tokens });
  agents = await createAgents(server.url);
});
afterAll(() => server.stop());

const text = (value: string) => ({ role: 'user', parts: [{ type: 'text', text: value }] });
const ok = { httpStatus: 200, jsonrpc: '2.0' };

describe('tasks/send', () => {
  test('runs the system and answers with the completed task', async () => {
    const answer = await agents.call('echo', 'tasks/send', { id: 'first', message: text('hello there'), metadata: { from: 'me' } });
    expect(answer).toMatchObject({ ...ok, result: { id: 'first', status: { state: 'completed' }, metadata: { from: 'me' } } });
    const { result } = answer;
    expect(result.artifacts).toMatchObject([
      { index: 0, name: 'output', parts: [{ type: 'text', kind: 'text', text: expect.stringContaining('hello there') }] },
    ]);
    expect(result.history).toMatchObject([{ role: 'user', parts: [{ type: 'text', text: 'hello there' }] }]);
    expect(result).toMatchObject({ kind: 'task', contextId: expect.any(String) });
  });

  test('answers the same id and message with the same task', async () => {
    const params = { id: 'twice', message: text('once') };
    const [one, two] = [await agents.call('echo', 'tasks/send', params), await agents.call('echo', 'tasks/send', params)];
    expect(two.result).toEqual(one.result);
    expect((await agents.call('echo', 'tasks/send', { ...params, metadata: { try: '3' } })).result).toEqual(one.result);
    const other = await agents.call('echo', 'tasks/send', { id: 'twice', message: text('other') });
    expect(other).toMatchObject({ ...ok, error: { code: -32602, data: { task_id: 'twice' } } });
  });

  test('keeps ids of different systems and callers apart', async () => {
    const params = { id: 'shared', message: text('mine') };
    const mine = await agents.call('echo', 'tasks/send', params);
    const theirs = await agents.call('echo', 'tasks/send', { id: 'shared', message: text('theirs') }, { token: 'scoped' });
    const elsewhere = await agents.call('json', 'tasks/send', { id: 'shared', message: text('elsewhere') });
    expect([mine, theirs, elsewhere].map(({ result }) => result.status.state)).toEqual(['completed', 'completed', 'completed']);
    expect((await agents.call('echo', 'tasks/get', { id: 'shared' }, { token: 'scoped' })).result.history[0].parts[0].text).toBe('theirs');
  });

  test('answers the id of a turn with that task, as for ids that clients choose', async () => {
    const start = (message: object) => agents.call('echo', 'message/send', { message: { kind: 'message', role: 'user', ...message } });
    const turn = (await start({ messageId: 'm-turn', parts: [{ kind: 'text', text: 'from 0.3' }] })).result;
    const again = await agents.call('echo', 'tasks/send', { id: turn.id, message: text('from 0.3') });
    expect(again.result).toEqual(turn);
    const other = await agents.call('echo', 'tasks/send', { id: turn.id, message: text('other') });
    expect(other).toMatchObject({ ...ok, error: { code: -32602, data: { task_id: turn.id } } });
    const { tasks } = (await agents.call('echo', 'ListTasks', {})).result;
    expect(tasks.filter(({ id }: { id: string }) => id === turn.id)).toHaveLength(1);
  });

  test('takes the id of a turn of another caller', async () => {
    const message = { kind: 'message', role: 'user', messageId: 'm-theirs', parts: [{ kind: 'text', text: 'mine' }] };
    const { id } = (await agents.call('echo', 'message/send', { message })).result;
    await agents.call('echo', 'tasks/send', { id, message: text('theirs') }, { token: 'scoped' });
    const read = (token: 'writer' | 'scoped') => agents.call('echo', 'tasks/get', { id }, { token });
    expect((await read('writer')).result.history[0].parts[0].text).toBe('mine');
    expect((await read('scoped')).result.history[0].parts[0].text).toBe('theirs');
  });

  test('decides the question of a turn by its id', async () => {
    const message = { kind: 'message', role: 'user', messageId: 'm-asks', parts: [{ kind: 'text', text: 'go' }] };
    const { id, status } = (await agents.call('asker', 'message/send', { message })).result;
    expect(status.state).toBe('input-required');
    const deny = { role: 'user', parts: [{ type: 'data', data: { decision: 'deny' } }] };
    expect((await agents.call('asker', 'tasks/send', { id, message: deny })).result.status.state).toBe('failed');
  });

  test('gives the run its message, data and ids as input', async () => {
    const parts = [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
      { type: 'data', data: { n: 1 } },
    ];
    const { result } = await agents.call('echo', 'tasks/send', { id: 'inputs', message: { role: 'user', messageId: 'm-7', parts } });
    const said = result.artifacts[0].parts[0].text as string;
    expect(said).toContain('message:\none\ntwo');
    expect(said).toContain('a2a_data: [{"n":1}]');
    expect(said).toContain('a2a_message_id: m-7');
    expect(said).toContain('a2a_task_id: inputs');
    expect(said).toContain(`a2a_context_id: ${result.contextId}`);
  });

  test('takes data of 300 KB without a text', async () => {
    const message = { role: 'user', parts: [{ type: 'data', data: { blob: 'x'.repeat(300 * 1024) } }] };
    const { result } = await agents.call('json', 'tasks/send', { id: 'large', message });
    expect(result.status.state).toBe('completed');
    const long = { role: 'user', parts: [{ type: 'text', text: 'x'.repeat(300 * 1024) }] };
    expect(await agents.call('json', 'tasks/send', { id: 'long', message: long })).toMatchObject({ ...ok, error: { code: -32602 } });
  });

  test('answers with a data part where the output is JSON', async () => {
    const { result } = await agents.call('json', 'tasks/send', { id: 'json', message: text('go') });
    expect(result.artifacts[0].parts).toEqual([{ kind: 'data', type: 'data', data: { answer: 42 } }]);
  });

  test('answers a failed run as failed, with its reason', async () => {
    const { result } = await agents.call('broken', 'tasks/send', { id: 'broken', message: text('go') });
    expect(result.status).toMatchObject({
      state: 'failed',
      message: { role: 'agent', parts: [{ text: expect.stringContaining('wrong key') }] },
    });
  });

  test('answers input-required while a person must decide', async () => {
    const { result } = await agents.call('asker', 'tasks/send', { id: 'asks', message: text('go') });
    expect(result.status.state).toBe('input-required');
    const { approval } = result.status.message.parts[1].data;
    await agents.decide(approval, 'approve');
    await expect.poll(async () => (await agents.call('asker', 'tasks/get', { id: 'asks' })).result.status.state).toBe('completed');
  });

  test('decides by another message while a decision is required, once', async () => {
    const send = (message: object, token: 'writer' | 'scoped' = 'writer') =>
      agents.call('asker', 'tasks/send', { id: 'decided', message }, { token });
    const deny = { role: 'user', parts: [{ type: 'data', data: { decision: 'deny', comment: 'not today' } }] };
    expect((await send(text('go'))).result.status.state).toBe('input-required');
    expect((await send(text('hurry'))).result).toMatchObject({ status: { state: 'input-required' }, history: [{}, {}] });
    expect((await send(deny)).result.status.state).toBe('failed');
    expect((await send(deny)).result.status.state).toBe('failed');
    expect((await send(text('hurry'))).result.history).toHaveLength(3);
    expect(await send(text('more'))).toMatchObject({ ...ok, error: { code: -32602, data: { task_id: 'decided' } } });
    await send(text('go'), 'scoped');
    expect((await send(deny, 'scoped')).result.status.state).toBe('input-required');
  });

  test('ignores a decision in a message above the limit of messages', async () => {
    const send = (message: object) => agents.call('asker', 'tasks/send', { id: 'full', message });
    await send(text('go'));
    for (let count = 1; count < 200; count += 1) await send(text(`hurry ${count}`));
    const deny = { role: 'user', parts: [{ type: 'data', data: { decision: 'deny' } }] };
    expect(await send(deny)).toMatchObject({ error: { message: 'A task takes at most 200 messages' } });
    const { result } = await agents.call('asker', 'tasks/get', { id: 'full' });
    expect(result.status.state).toBe('input-required');
    expect(result.history).toHaveLength(200);
  });

  test('refuses messages of more than 4 MiB together, and lists no more at once', async () => {
    const send = (message: object, id = 'heavy') => agents.call('asker', 'tasks/send', { id, message });
    const large = (n: number) => ({ role: 'user', parts: [{ type: 'data', data: { n, blob: 'x'.repeat(900 * 1024) } }] });
    await send(text('go'), 'light');
    await send(text('go'));
    for (let n = 1; n <= 4; n += 1) expect((await send(large(n))).result.history).toHaveLength(n + 1);
    expect(await send(large(5))).toMatchObject({ error: { message: 'A task takes at most 4194304 bytes of messages' } });
    expect((await send(text('hurry'))).result.history).toHaveLength(6);
    await send(large(6), 'later');
    const { tasks, nextPageToken } = (await agents.call('asker', 'ListTasks', {})).result;
    expect(tasks.map(({ id }: { id: string }) => id)).toEqual(['later', 'heavy']);
    const more = (await agents.call('asker', 'ListTasks', { pageToken: nextPageToken })).result;
    expect(more.tasks.map(({ id }: { id: string }) => id)).toContain('light');
  });

  test('accepts a decision beside a message that takes the last place', async () => {
    const send = (message: object) => agents.call('asker', 'tasks/send', { id: 'crowded', message });
    await send(text('go'));
    for (let count = 1; count < 199; count += 1) await send(text(`hurry ${count}`));
    const deny = { role: 'user', parts: [{ type: 'data', data: { decision: 'deny' } }] };
    const [decided] = await Promise.all([send(deny), send(text('hurry 199'))]);
    expect(decided.result?.status.state).toBe('failed');
  });

  test('continues a run whose client disconnected', async () => {
    const gone = new AbortController();
    const sent = agents.call('slow', 'tasks/send', { id: 'left', message: text('go') }, { signal: gone.signal }).catch(() => 'aborted');
    await expect.poll(async () => (await agents.call('slow', 'tasks/get', { id: 'left' })).result?.status.state).toBe('working');
    gone.abort();
    expect(await sent).toBe('aborted');
    await expect.poll(async () => (await agents.call('slow', 'tasks/get', { id: 'left' })).result.status.state).toBe('completed');
  });
});

describe('tasks/cancel', () => {
  test('ends a running task as canceled, once', async () => {
    const sent = agents.call('hangs', 'tasks/send', { id: 'stop', message: text('go') });
    await expect.poll(async () => (await agents.call('hangs', 'tasks/get', { id: 'stop' })).result?.status.state).toBe('working');
    const canceled = await agents.call('hangs', 'tasks/cancel', { id: 'stop', reason: 'no longer needed' });
    expect(canceled).toMatchObject({ ...ok, result: { id: 'stop', status: { state: 'canceled' } } });
    expect((await sent).result.status.state).toBe('canceled');
    expect(await agents.call('hangs', 'tasks/cancel', { id: 'stop' })).toMatchObject({
      ...ok,
      error: { code: -32002, data: { task_id: 'stop' } },
    });
  });
});

describe('tasks/sendSubscribe', () => {
  test('streams the whole task in status events until its end', async () => {
    const { events, contentType } = await agents.stream('slow', 'tasks/sendSubscribe', { id: 'follow', message: text('go') });
    expect(contentType).toBe('text/event-stream');
    expect(events.map(({ event }) => event)).toEqual(events.map(() => 'status'));
    expect(events.map(({ data }) => data.id)).toEqual(events.map(() => 'follow'));
    expect(events.at(-1)!.data).toMatchObject({ status: { state: 'completed' }, artifacts: [{ parts: [{ type: 'text' }] }] });
    expect(events.length).toBeGreaterThan(1);
  });

  test('sends one terminal event, however soon the run ends', async () => {
    for (const system of ['echo', 'slow']) {
      const { events } = await agents.stream(system, 'tasks/sendSubscribe', { id: `end-of-${system}`, message: text('go') });
      expect(events.filter(({ data }) => ['completed', 'failed'].includes(data.status.state))).toHaveLength(1);
    }
  });
});

test('a stream above the limit of streams is refused before its run starts', async () => {
  const full = await startTestServer(['--max-watches-per-ip', '1'], { SVC_API_TOKENS: tokens });
  const { call } = await createAgents(full.url);
  const watch = new AbortController();
  await fetch(`${full.url}/v1/events/watch`, { headers: { authorization: `Bearer ${tokenOf('writer')}` }, signal: watch.signal });
  const refused = await call('echo', 'tasks/sendSubscribe', { id: 'refused', message: text('go') });
  expect(refused).toMatchObject({ httpStatus: 429, id: 1 });
  expect(await call('echo', 'tasks/get', { id: 'refused' })).toMatchObject({ ...ok, error: { code: -32001 } });
  watch.abort();
  await full.stop();
});

describe('wrong requests', () => {
  const message = text('x');
  test.each([
    ['no JSON', '{"jsonrpc":', -32700],
    ['bytes that are no text', Buffer.from([0x7b, 0xff, 0x7d]), -32700],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"x"}}]', -32600],
    ['an empty batch', '[]', -32600],
    ['a text', '"hello"', -32600],
    ['another version', JSON.stringify({ jsonrpc: '1.0', id: 1, method: 'tasks/get' }), -32600],
    ['an id that is an object', JSON.stringify({ jsonrpc: '2.0', id: {}, method: 'tasks/get' }), -32600],
    ['an id that is a fraction', JSON.stringify({ jsonrpc: '2.0', id: 1.5, method: 'tasks/get' }), -32600],
    ['no method', JSON.stringify({ jsonrpc: '2.0', id: 1 }), -32600],
    ['an unknown method', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/delete' }), -32601],
    ['a method of every object', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'constructor' }), -32601],
    ['params that are a list', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: [] }), -32602],
    ['deep nesting', `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`, -32700],
  ])('%s is answered with its code', async (_title, body, code) => {
    expect(await agents.send('echo', body)).toMatchObject({ httpStatus: 200, jsonrpc: '2.0', error: { code } });
  });

  test.each([
    ['no id', { message }, -32600],
    ['an empty id', { id: '', message }, -32600],
    ['an id that is a number', { id: 5, message }, -32602],
    ['an id with a line break', { id: 'a\nb', message }, -32602],
    ['no message', { id: 'x1' }, -32600],
    ['a message without parts', { id: 'x1', message: { role: 'user' } }, -32600],
    ['an empty list of parts', { id: 'x1', message: { role: 'user', parts: [] } }, -32602],
    ['a part with two contents', { id: 'x1', message: { role: 'user', parts: [{ text: 'a', data: {} }] } }, -32602],
    ['a part of another kind', { id: 'x1', message: { role: 'user', parts: [{ type: 'data', text: 'a' }] } }, -32602],
    ['a message of the agent', { id: 'x1', message: { role: 'agent', parts: [{ type: 'text', text: 'a' }] } }, -32602],
    [
      'a file of a strange type',
      { id: 'x1', message: { role: 'user', parts: [{ type: 'file', file: { mimeType: 'application/zip', bytes: 'AA==' } }] } },
      -32005,
    ],
    [
      'a file at a local address',
      { id: 'x1', message: { role: 'user', parts: [{ type: 'file', file: { uri: 'file:///etc/passwd' } }] } },
      -32602,
    ],
    ['metadata that is a text', { id: 'x1', message, metadata: 'x' }, -32602],
    ['metadata with an object as a value', { id: 'x1', message, metadata: { k: { n: 1 } } }, -32602],
    ['metadata with a number as a value', { id: 'x1', message, metadata: { k: 1 } }, -32602],
  ])('tasks/send with %s is refused', async (_title, params, code) => {
    expect(await agents.call('echo', 'tasks/send', params)).toMatchObject({ ...ok, error: { code } });
  });

  test.each([
    ['tasks/get', {}, -32600],
    ['tasks/get', { id: '' }, -32600],
    ['tasks/get', { id: 5 }, -32602],
    ['tasks/cancel', { reason: 'x' }, -32600],
    ['tasks/resubscribe', {}, -32602],
    ['GetTask', {}, -32602],
    ['CancelTask', {}, -32602],
  ])('%s with %j is refused', async (method, params, code) => {
    expect(await agents.call('echo', method, params)).toMatchObject({ ...ok, error: { code } });
  });

  test('an unknown task is answered with its id', async () => {
    for (const method of ['tasks/get', 'tasks/cancel'])
      expect(await agents.call('echo', method, { id: 'never' })).toMatchObject({
        ...ok,
        id: 1,
        error: { code: -32001, data: { task_id: 'never' } },
      });
  });

  test('a body above 1 MiB is refused with 413', async () => {
    expect(await agents.send('echo', ' '.repeat(1024 * 1024 + 1))).toMatchObject({ httpStatus: 413, error: { code: -32600 } });
  });

  test('a body of another type is refused with 415', async () => {
    expect(await agents.send('echo', '{}', { contentType: 'text/plain' })).toMatchObject({ httpStatus: 415, error: { code: -32005 } });
  });

  test('a notification is carried out without an answer', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'tasks/send', params: { id: 'silent', message: text('go') } });
    expect(await agents.send('echo', body)).toEqual({ httpStatus: 204 });
    await expect.poll(async () => (await agents.call('echo', 'tasks/get', { id: 'silent' })).result?.status.state).toBe('completed');
  });

  test.each([
    ['an unknown method', 'echo', { method: 'tasks/delete' }],
    ['params that are a list', 'echo', { method: 'tasks/get', params: [] }],
    ['missing params', 'echo', { method: 'tasks/send' }],
    ['a task that does not exist', 'echo', { method: 'tasks/get', params: { id: 'never' } }],
    ['a system that does not exist', 'absent', { method: 'tasks/get', params: { id: 'never' } }],
  ])('a notification with %s has no body in reply', async (_title, system, request) => {
    expect(await agents.send(system, JSON.stringify({ jsonrpc: '2.0', ...request }))).toEqual({ httpStatus: 204 });
  });

  test.each([
    ['an id of null', { jsonrpc: '2.0', id: null, method: 'tasks/delete' }, -32601],
    ['another version', { jsonrpc: '1.0', method: 'tasks/get' }, -32600],
    ['no method', { jsonrpc: '2.0' }, -32600],
  ])('a request with %s is not a notification', async (_title, body, code) => {
    expect(await agents.send('echo', JSON.stringify(body))).toMatchObject({ ...ok, id: null, error: { code } });
  });
});

describe('callers', () => {
  const get = { id: 'none' };
  test.each([
    ['no token', undefined, 'echo', 401],
    ['a wrong token', 'wrong', 'echo', 401],
    ['a wrong token for a public system', 'wrong', 'open', 401],
    ['a reader', 'reader', 'echo', 403],
    ['no token for a system that does not exist', undefined, 'absent', 401],
  ] as const)('%s is refused', async (_title, token, system, status) => {
    const answer = await agents.call(system, 'tasks/get', get, { token });
    expect(answer).toMatchObject({ httpStatus: status, jsonrpc: '2.0', id: null, error: { code: expect.any(Number) } });
  });

  test.each([
    ['a writer', 'writer', 'echo'],
    ['a scoped token', 'scoped', 'echo'],
    ['no token for a public system', undefined, 'open'],
  ] as const)('%s reaches the system', async (_title, token, system) => {
    expect(await agents.call(system, 'tasks/get', get, { token })).toMatchObject({ ...ok, error: { code: -32001 } });
  });

  test('a system that is closed or absent is answered alike', async () => {
    const [closed, absent] = [await agents.call('closed', 'tasks/get', get), await agents.call('absent', 'tasks/get', get)];
    expect(closed).toMatchObject({ ...ok, error: { code: -32003 } });
    expect(absent).toEqual(closed);
  });

  test('a system that a scoped token does not list is answered like one that is absent', async () => {
    const token = 'scoped';
    for (const path of ['/v1/agent-systems', '/v1/agents', '/a2a']) {
      const [unlisted, absent] = await Promise.all(
        ['json', 'absent'].map((system) =>
          path === '/a2a'
            ? agents.callShared('tasks/get', { ...get, system }, { token })
            : agents.call(system, 'tasks/get', get, { token, path: `${path}/${system}/a2a` }),
        ),
      );
      expect(unlisted).toMatchObject({ httpStatus: 403, jsonrpc: '2.0', id: 1, error: { code: -32003 } });
      expect(absent).toEqual(unlisted);
    }
  });

  test('a scoped token that names none of several systems learns that it has to', async () => {
    const answer = await agents.callShared('tasks/get', get, { token: 'scoped' });
    expect(answer).toMatchObject({ ...ok, id: 1, error: { code: -32003, message: expect.stringContaining('system') as string } });
  });

  test('the task of another caller is not found', async () => {
    await agents.call('echo', 'tasks/send', { id: 'private', message: text('go') });
    expect(await agents.call('echo', 'tasks/get', { id: 'private' }, { token: 'scoped' })).toMatchObject({ error: { code: -32001 } });
    expect(await agents.call('json', 'tasks/get', { id: 'private' })).toMatchObject({ error: { code: -32001 } });
  });

  test('a run shows its door and its caller', async () => {
    await agents.call('echo', 'tasks/send', { id: 'shown', message: text('go') }, { token: 'scoped' });
    const tasks = await agents.get(`/v1/tasks?labelSelector=svc.dev/door=a2a&limit=1000`);
    const mine = tasks.items.find(({ spec }: any) => spec.input.a2a_task_id === 'shown');
    expect(mine.metadata.annotations).toMatchObject({ 'svc.dev/a2a-caller': 'scoped' });
  });
});

describe('the shared endpoint', () => {
  test.each([[{ system: 'echo' }], [{ system: 'default/echo' }], [{ metadata: { system: 'echo' } }]])(
    'calls the system of %j',
    async (target) => {
      const answer = await agents.callShared('tasks/get', { id: 'none', ...target });
      expect(answer).toMatchObject({ ...ok, error: { code: -32001 } });
    },
  );

  test('names no system when several are open', async () => {
    expect(await agents.callShared('tasks/get', { id: 'none' })).toMatchObject({
      ...ok,
      error: { code: -32003, message: expect.stringContaining('params.system') },
    });
  });

  test('the older path calls the same system', async () => {
    expect(
      await agents.send('echo', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: 'none' } }), {
        path: '/v1/agents/echo/a2a',
      }),
    ).toMatchObject({ error: { code: -32001 } });
  });
});

describe('the only open system', () => {
  test('is the target of the shared endpoint, also without a token when it is public', async () => {
    const alone = await startTestServer(['--a2a-rate-limit', '1,5'], { SVC_API_TOKENS: tokens });
    try {
      const { callShared, send, remove } = await createAgents(alone.url);
      await remove((name) => name !== 'open');
      expect(await callShared('tasks/get', { id: 'none' }, { token: undefined })).toMatchObject({ ...ok, error: { code: -32001 } });
      expect(await send('', '{', { path: '/a2a', token: 'other' })).toMatchObject({ ...ok, error: { code: -32700 } });
      expect(await send('', '{', { path: '/a2a', token: undefined })).toMatchObject({ httpStatus: 401, error: { code: -32600 } });
    } finally {
      await alone.stop();
    }
  });
});

test('a caller above the rate gets 429 with the time to wait, and others are served', async () => {
  const limited = await startTestServer(['--a2a-rate-limit', '0.001,3'], { SVC_API_TOKENS: tokens });
  try {
    const bounded = await createAgents(limited.url);
    for (let n = 0; n < 3; n += 1) expect((await bounded.call('echo', 'tasks/get', { id: 'none' })).httpStatus).toBe(200);
    const response = await bounded.open('echo', 'tasks/get', { id: 'none' });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32603 } });
    expect((await bounded.call('echo', 'tasks/get', { id: 'none' }, { token: 'other' })).httpStatus).toBe(200);
  } finally {
    await limited.stop();
  }
});

test('a browser sign-in grants nothing at the endpoint, and sends messages by the procedure of the console', async () => {
  const signed = await startTestServer(['--auth-mode', 'native'], { SVC_API_TOKENS: tokens });
  try {
    const { endpoint, login, get } = await createAgents(signed.url);
    const headers = { cookie: await login(), origin: signed.url, 'content-type': 'application/json' };
    const post = (url: string, body: unknown, more = headers) => fetch(url, { method: 'POST', headers: more, body: JSON.stringify(body) });
    const direct = (system: string) => post(endpoint(system), { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: 'x' } });
    expect([(await direct('echo')).status, (await direct('open')).status]).toEqual([401, 200]);
    const send = (name: string, more = headers) =>
      post(`${signed.url}/trpc/agents.send`, { namespace: 'default', name, text: 'hello', messageId: 'm-1' }, more);
    const sent: any = await (await send('echo')).json();
    expect(sent.result.data.result).toMatchObject({ kind: 'task', status: { state: 'completed' } });
    const [run] = await get('/v1/tasks?labelSelector=svc.dev/door=a2a');
    expect(run.metadata.annotations['svc.dev/a2a-caller']).toBe('writer');
    expect((await send('closed')).status).toBe(404);
    expect((await send('echo', { ...headers, origin: 'https://elsewhere.example' })).status).toBe(403);
    const { cookie: _cookie, ...bare } = headers;
    const reader = { ...bare, authorization: `Bearer ${tokenOf('reader')}` } as never;
    expect((await send('echo', reader)).status).toBe(403);
  } finally {
    await signed.stop();
  }
});
