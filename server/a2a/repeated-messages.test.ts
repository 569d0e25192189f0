// Messages that a client sends again because the first answer was lost.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAgents, tokens, type Agents } from '../testing/a2a/agents.ts';
import { startTestServer, type TestServer } from '../testing/running-server.ts';

let server: TestServer;
let agents: Agents;
beforeAll(async () => {
  server = await startTestServer(['--allow-private-tool-endpoints'], { SVC_API_TOKENS: tokens });
  agents = await createAgents(server.url);
}, 60_000);
afterAll(() => server.stop());

const message = (contextId: string, text: string, more: object = {}) => ({
  ...{ kind: 'message', role: 'user', messageId: 'm-1', contextId, parts: [{ kind: 'text', text }] },
  ...more,
});
const tasksIn = async (system: string, contextId: string) => (await agents.call(system, 'ListTasks', { contextId })).result.tasks;

test('a repeated message of a context is answered with the first task, in both dialects', async () => {
  const { result: first } = await agents.call('echo', 'message/send', { message: message('lost', 'hello') });
  expect(first).toMatchObject({ contextId: 'lost', status: { state: 'completed' } });
  const { result: again } = await agents.call('echo', 'message/send', { message: message('lost', 'hello') });
  expect(again).toEqual(first);
  const v1 = { role: 'ROLE_USER', messageId: 'm-1', contextId: 'lost', parts: [{ text: 'hello' }] };
  expect((await agents.call('echo', 'SendMessage', { message: v1 })).result.task.id).toBe(first.id);
  expect(await tasksIn('echo', 'lost')).toHaveLength(1);
});

test('a repeated stream has the text of the first one', async () => {
  const { result: first } = await agents.call('slow', 'message/send', {
    message: message('streamed', 'go'),
    configuration: { blocking: false },
  });
  const { events } = await agents.stream('slow', 'message/stream', { message: message('streamed', 'go') });
  const results = events.map(({ data }) => data.result);
  expect(results[0]).toMatchObject({ kind: 'task', id: first.id });
  const said = results.flatMap(({ artifact }: any) => artifact?.parts.map(({ text }: any) => text) ?? []).join('');
  expect(said).toBe('one two three four five six seven eight nine ten');
  expect(await tasksIn('slow', 'streamed')).toHaveLength(1);
});

test('concurrent repeats of a message start one task', async () => {
  const sent = Array.from({ length: 5 }, () => agents.call('echo', 'message/send', { message: message('at-once', 'hello') }));
  const ids = (await Promise.all(sent)).map(({ result }) => result.id);
  expect(new Set(ids).size).toBe(1);
});

test.each([
  ['message/send', (id: string) => ({ message: message('joined', 'more', { messageId: 'm-2', taskId: id }) })],
  ['tasks/send', (id: string) => ({ id, message: { role: 'user', parts: [{ type: 'text', text: 'by its id' }] } })],
])('concurrent repeats of a message to a waiting task join it once by %s', async (method, paramsOf) => {
  const { result: asked } = await agents.call('asker', 'message/send', { message: message('joined', 'go') });
  const sent = await Promise.all(Array.from({ length: 5 }, () => agents.call('asker', method, paramsOf(asked.id))));
  expect(sent.map(({ result }) => result?.status.state)).toEqual(Array(5).fill('input-required'));
  const { result: task } = await agents.call('asker', 'tasks/get', { id: asked.id });
  const text = JSON.stringify(paramsOf(asked.id).message.parts[0]!.text);
  expect(JSON.stringify(task.history).split(text)).toHaveLength(2);
});

test('a used id with another text, or in another context, is a new message', async () => {
  const { result: first } = await agents.call('echo', 'message/send', { message: message('counted', 'hello') });
  const { result: second } = await agents.call('echo', 'message/send', { message: message('counted', 'and now') });
  const { result: third } = await agents.call('echo', 'message/send', { message: message('counted-too', 'hello') });
  expect(new Set([first.id, second.id, third.id]).size).toBe(3);
});

test('a repeated decision is answered with the end of its task', async () => {
  const { result: asked } = await agents.call('asker', 'message/send', { message: message('decided', 'go') });
  expect(asked.status.state).toBe('input-required');
  const decision = { messageId: 'm-2', taskId: asked.id, parts: [{ kind: 'data', data: { decision: 'deny' } }] };
  const { result: ended } = await agents.call('asker', 'message/send', { message: message('decided', '', decision) });
  const { result: again } = await agents.call('asker', 'message/send', { message: message('decided', '', decision) });
  expect(again).toEqual(ended);
});
