// Facts of the contract that neither the official clients nor the plain dialect's tests show: shared shapes, refused runs, files by address, values of cards.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isObject } from '@svc/shared/json';
import { createAgents, tokenOf, tokens, type Agents } from '../testing/a2a/agents.ts';
import { startLoopbackServer, text } from '../testing/loopback-server.ts';
import { startTestServer, type TestServer } from '../testing/running-server.ts';

let server: TestServer;
let agents: Agents;
beforeAll(async () => {
  server = await startTestServer(['--allow-private-tool-endpoints'], { SVC_API_TOKENS: tokens });
  agents = await createAgents(server.url);
}, 60_000);
afterAll(() => server.stop());

let ids = 0;
const message = (parts: readonly object[], more: object = {}) => ({
  kind: 'message',
  role: 'user',
  messageId: `c${(ids += 1)}`,
  parts,
  ...more,
});

test('tasks/get answers in a form that clients of both of its dialects read', async () => {
  await agents.call('echo', 'tasks/send', { id: 'shared-form', message: { role: 'user', parts: [{ type: 'text', text: 'hello' }] } });
  const { result } = await agents.call('echo', 'tasks/get', { id: 'shared-form' });
  expect(result).toMatchObject({
    ...{ kind: 'task', id: 'shared-form', contextId: expect.any(String), status: { state: 'completed', timestamp: expect.any(String) } },
    artifacts: [{ artifactId: 'output', name: 'output', index: 0, parts: [{ kind: 'text', type: 'text', text: expect.any(String) }] }],
  });
});

test('a run that fails its validation is rejected', async () => {
  await agents.put('agent-systems', 'broken-system', { agents: ['nobody'], a2a: { enabled: true } });
  const { result } = await agents.call('broken-system', 'message/send', { message: message([{ kind: 'text', text: 'go' }]) });
  expect(result).toMatchObject({ status: { state: 'rejected' } });
  expect(result.status.message.parts[0].text).toContain('nobody');
  const plain = { id: 'rejected', message: { role: 'user', parts: [{ type: 'text', text: 'go' }] } };
  expect((await agents.call('broken-system', 'tasks/send', plain)).result.status.state).toBe('rejected');
});

test('a run of a system with a loop has a limit of agent turns, in all dialects', async () => {
  await agents.put('agent-systems', 'loop', { agents: ['echo'], graph: { echo: { next: 'echo' } }, a2a: { enabled: true } });
  const { result } = await agents.call('loop', 'message/send', { message: message([{ kind: 'text', text: 'go' }]) });
  expect(result).toMatchObject({ status: { state: 'completed' } });
  const plain = { id: 'looping', message: { role: 'user', parts: [{ type: 'text', text: 'go' }] } };
  expect((await agents.call('loop', 'tasks/send', plain)).result.status.state).toBe('completed');
});

test('a message without a decision joins the history of a task that waits for one, which is answered unchanged', async () => {
  const { result: asked } = await agents.call('asker', 'message/send', { message: message([{ kind: 'text', text: 'go' }]) });
  expect(asked.status.state).toBe('input-required');
  const more = message([{ kind: 'text', text: 'please hurry' }], { taskId: asked.id, contextId: asked.contextId });
  const { result } = await agents.call('asker', 'message/send', { message: more });
  expect(result.status).toMatchObject({ state: 'input-required', message: asked.status.message });
  expect(result.history.map(({ parts }: any) => parts[0].text)).toEqual(['go', 'please hurry']);
  await agents.call('asker', 'tasks/cancel', { id: asked.id });
});

test('a message to a paused context is answered at once, and its task completes after the resume', async () => {
  const sent = (contextId?: string) => message([{ kind: 'text', text: 'hello' }], contextId === undefined ? {} : { contextId });
  const { result: first } = await agents.call('echo', 'message/send', { message: sent() });
  const { items } = await agents.get('/v1/sessions?limit=1000');
  const { name } = items.find(({ metadata }: any) => metadata.annotations['svc.dev/a2a-context'] === first.contextId).metadata;
  const control = (word: string) =>
    fetch(`${server.url}/v1/sessions/${name}/${word}`, { method: 'POST', headers: { authorization: `Bearer ${tokenOf('writer')}` } });
  expect((await control('pause')).status).toBe(200);
  const { result: held } = await agents.call('echo', 'message/send', { message: sent(first.contextId) });
  expect(held.status).toMatchObject({ state: 'submitted', message: { parts: [{ text: expect.stringContaining('is paused') }] } });
  expect((await control('resume')).status).toBe(200);
  const status = async () => (await agents.call('echo', 'tasks/get', { id: held.id })).result.status;
  await expect.poll(async () => (await status()).state).toBe('completed');
  expect(await status()).not.toHaveProperty('message');
});

test('a file by its address is passed as the address and never fetched; one with its bytes is data', async () => {
  const files = await startLoopbackServer(text('secret'));
  const parts = [
    { kind: 'text', text: 'read these' },
    { kind: 'file', file: { uri: `${files.url}/a.txt`, mimeType: 'text/plain' } },
    { kind: 'file', file: { bytes: 'aGk=', name: 'b.txt', mimeType: 'text/plain' } },
  ];
  const sent = message(parts);
  await agents.call('echo', 'message/send', { message: sent });
  const { items } = await agents.get('/v1/tasks?limit=1000');
  const { input } = items.find(({ spec }: any) => spec.input.a2a_message_id === sent.messageId).spec;
  expect(JSON.parse(input.a2a_data)).toEqual([
    { file: { uri: `${files.url}/a.txt`, mediaType: 'text/plain' } },
    { file: { bytes: 'aGk=', name: 'b.txt', mediaType: 'text/plain' } },
  ]);
  expect(files.seen).toEqual([]);
  await files.close();
});

test.each(['0.3', '1.0'])('the card of version %s has no empty and no default value', async (version) => {
  const response = await fetch(`${server.url}/v1/agent-systems/asker/.well-known/agent-card.json`, { headers: { 'a2a-version': version } });
  const empty: string[] = [];
  const visit = (value: unknown, path: string) => {
    if (value === '' || value === false || value === 0 || value === null) empty.push(path);
    const entries = Array.isArray(value) ? Object.entries(value) : isObject(value) ? Object.entries(value) : undefined;
    // The scheme of a requirement has no scopes: its empty object is its value.
    if (entries?.length === 0 && !path.startsWith('.securityRequirements.')) empty.push(path);
    for (const [key, each] of entries ?? []) visit(each, `${path}.${key}`);
  };
  visit(await response.json(), '');
  expect(empty).toEqual([]);
});

const CLIENT_TASK = { id: 'closed', message: { role: 'user', parts: [{ type: 'text', text: 'go' }] } };

// A revoked token has all streams checked at once; otherwise the next heartbeat has.
async function checkStreams() {
  const headers = { authorization: `Bearer ${tokenOf('writer')}`, 'content-type': 'application/json' };
  await fetch(`${server.url}/v1/tokens`, { method: 'POST', headers, body: JSON.stringify({ name: 'spare', role: 'reader' }) });
  await fetch(`${server.url}/v1/tokens/spare`, { method: 'DELETE', headers });
}

test.each([
  ['without a token', 'message/stream', undefined, ''],
  ['with a token', 'message/stream', tokenOf('writer'), '"code":-32003'],
  ['with a token', 'tasks/sendSubscribe', tokenOf('writer'), 'event: close\ndata: {"reason":"forbidden"}'],
])('the stream of a caller %s ends when its system is closed, by %s', async (_title, method, token, said) => {
  await agents.put('agent-systems', 'open-hangs', { agents: ['hangs'], a2a: { enabled: true, auth: 'public' } });
  const content = method === 'message/stream' ? { message: message([{ kind: 'text', text: 'go' }]) } : CLIENT_TASK;
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: content });
  const stream = await fetch(agents.endpoint('open-hangs'), { method: 'POST', headers, body });
  expect(stream.status).toBe(200);
  await agents.put('agent-systems', 'open-hangs', { agents: ['hangs'], a2a: { enabled: false } });
  await checkStreams();
  const text = await stream.text();
  expect(text).not.toContain('"final":true');
  expect(text).toContain(said);
});
