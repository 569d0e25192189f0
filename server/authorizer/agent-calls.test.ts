// The authorizer on the surfaces that other agents call, where a denial reveals nothing about the systems it hides, and on open streams.
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { atFileEnd } from '../testing/file-end.ts';
import { startTestServer } from '../testing/running-server.ts';
import type { AuthorizerQuestion } from './authorizer.ts';

const TOKEN = 'root-token-0123456789';
const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

let isDenied: (question: AuthorizerQuestion) => boolean = () => false;
let aheadMs = 0;
/** Answers of the authorizer are kept for 5 seconds. */
const forgetAnswers = () => (aheadMs += 6_000);

let url = '';
beforeAll(async () => {
  const server = await startTestServer(
    ['--embedded-worker', 'false'],
    { SVC_API_TOKEN: TOKEN },
    {
      clock: { ...systemClock, now: () => systemClock.now() + aheadMs },
      authorize: (question) => Promise.resolve({ allow: !isDenied(question), reason: 'not your team' }),
    },
  );
  atFileEnd(server.stop);
  ({ url } = server);
});
beforeEach(() => {
  isDenied = () => false;
  forgetAnswers();
});

const post = (path: string, body: unknown) => fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });

const listed = async (path: string) => (await fetch(`${url}/v1/${path}`, { headers })).json() as Promise<any[]>;

const callMcp = (method: string, params: object) =>
  fetch(`${url}/mcp`, {
    ...{ method: 'POST', headers: { ...headers, accept: 'application/json, text/event-stream' } },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });

async function create(namespace: string, name: string): Promise<void> {
  const spec = { agents: ['a'], a2a: { enabled: true }, mcp: { enabled: true } };
  expect((await post(`/v1/agent-systems?namespace=${namespace}`, { metadata: { name }, spec })).ok).toBe(true);
}

it.each([
  ['the address of the system', (name: string) => ({ path: `/v1/agent-systems/${name}/a2a?namespace=hidden` })],
  ['the shared address', (name: string) => ({ path: '/a2a', system: `hidden/${name}` })],
] as const)('answers an A2A call of a denied system like one of an absent system, at %s', async (_title, targetOf) => {
  await create('hidden', 'here');
  isDenied = ({ namespace }) => namespace === 'hidden';
  const answerOf = async (name: string) => {
    const { path, ...named } = targetOf(name);
    const answer = await post(path, { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { ...named, id: 't' } });
    return `${answer.status} ${await answer.text()}`;
  };
  const denied = await answerOf('here');
  expect(denied).toMatch(/^403 .*-32003.*not your team/);
  expect(await answerOf('gone')).toBe(denied.replaceAll('here', 'gone'));
});

it('answers the console like that, too', async () => {
  await create('hidden', 'talks');
  isDenied = ({ namespace }) => namespace === 'hidden';
  const answerOf = async (name: string) => {
    const answer = await post('/trpc/agents.send', { namespace: 'hidden', name, text: 'hello', messageId: 'm' });
    return `${answer.status} ${await answer.text()}`.replace(/"requestId":"[^"]*"/, '');
  };
  const denied = await answerOf('talks');
  expect(denied).toMatch(/^403 .*not your team/);
  expect(await answerOf('mute')).toBe(denied.replaceAll('talks', 'mute'));
});

it('ends an A2A stream once its caller is denied', async () => {
  await create('default', 'streams');
  const message = { role: 'user', parts: [{ type: 'text', text: 'go' }] };
  const stream = await post('/v1/agent-systems/streams/a2a', {
    ...{ jsonrpc: '2.0', id: 1, method: 'tasks/sendSubscribe' },
    params: { id: 'streamed', message },
  });
  expect(stream.status).toBe(200);
  isDenied = ({ resource }) => resource === 'a2a';
  forgetAnswers();
  // A revoked token has all streams checked at once; otherwise the next heartbeat has.
  await post('/v1/tokens', { name: 'spare', role: 'reader' });
  await fetch(`${url}/v1/tokens/spare`, { method: 'DELETE', headers });
  expect(await stream.text()).toContain('event: close\ndata: {"reason":"forbidden"}');
});

it('ends the stream of a Session before its first event after a denial', async () => {
  await create('default', 'talks');
  expect((await post('/v1/sessions', { metadata: { name: 'talk' }, spec: { system: 'talks' } })).status).toBe(201);
  const stream = await fetch(`${url}/v1/sessions/talk/stream`, { headers });
  expect(stream.status).toBe(200);
  isDenied = ({ method, resource }) => method === 'GET' && resource === 'sessions';
  forgetAnswers();
  const turn = await fetch(`${url}/v1/sessions/talk/turns`, {
    ...{ method: 'POST', headers: { ...headers, 'idempotency-key': 'k' }, body: JSON.stringify({ content: 'hello' }) },
  });
  expect(turn.status).toBe(202);
  const text = await stream.text();
  expect(text).toContain('event: close\ndata: {"reason":"forbidden"}');
  expect(text).not.toContain('message.created');
});

it('hides the one open system from a denied call that names none', async () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: 't' } };
  for (const namespace of ['default', 'hidden', 'ops']) {
    for (const { metadata } of await listed(`agent-systems?namespace=${namespace}`))
      await fetch(`${url}/v1/agent-systems/${metadata.name}?namespace=${namespace}`, { method: 'DELETE', headers });
  }
  const none = await (await post('/a2a', call)).text();
  expect(none).toContain('No agent is open to A2A');
  await create('hidden', 'only');
  expect(await (await post('/a2a', call)).text()).not.toBe(none);
  isDenied = ({ namespace }) => namespace === 'hidden';
  forgetAnswers();
  const denied = await post('/a2a', call);
  expect(denied.status).toBe(200);
  expect(await denied.text()).toBe(none);
});

it.each([
  ['a stream', true, 200, 'data: {"error"'],
  ['a whole answer', false, 403, '{"error"'],
])('ends a chat with %s once its caller is denied, and its run', async (title, stream, status, start) => {
  const name = `chats-${stream}`;
  await create('default', name);
  const pending = post('/v1/chat/completions', { model: name, stream, messages: [{ role: 'user', content: title }] });
  const sessions = () => listed(`sessions?fieldSelector=spec.system%3D${name}`);
  await expect.poll(async () => (await sessions()).length).toBe(1);
  isDenied = ({ resource }) => resource === 'chat';
  forgetAnswers();
  const [session] = await sessions();
  expect((await post(`/v1/sessions/${session.metadata.name}/pause`, {})).status).toBe(200);
  const answer = await pending;
  expect(answer.status).toBe(status);
  const text = await answer.text();
  expect(text).toContain(start);
  expect(text).toContain('The authorizer denies POST chat/default');
  await expect.poll(async () => (await sessions())[0]?.status.phase).toBe('Cancelled');
});

it('gives no result of an MCP call whose caller was denied meanwhile', async () => {
  await create('default', 'long');
  const pending = callMcp('tools/call', { name: 'long', arguments: { message: 'go' } });
  const runs = () => listed('tasks?fieldSelector=spec.system%3Dlong');
  await expect.poll(async () => (await runs()).length).toBe(1);
  isDenied = ({ resource }) => resource === 'mcp';
  forgetAnswers();
  const [run] = await runs();
  expect((await post(`/v1/tasks/${run.metadata.name}/cancel`, {})).status).toBe(200);
  const text = await (await pending).text();
  expect(text).toContain('The authorizer denies POST mcp/default/long');
  expect(text).not.toContain('cancelled');
});

it('lists the MCP tool that a call reaches where a denied system would make the same name', async () => {
  await create('default', 'ops--echo');
  await create('ops', 'echo');
  const texts = async (method: string, params: object) => (await callMcp(method, params)).text();
  const described = (text: string) => text.match(/Runs the agent system [a-z/-]*echo/g);
  expect(described(await texts('tools/list', {}))).toEqual(['Runs the agent system default/ops--echo']);
  isDenied = ({ resource, name }) => resource === 'mcp' && name === 'ops--echo';
  forgetAnswers();
  expect(described(await texts('tools/list', {}))).toEqual(['Runs the agent system ops/echo']);
  expect(await texts('tools/call', { name: 'ops--echo', arguments: { handle: 'mcp-000000000000000000000000' } })).toContain(
    'no run of yours has this handle',
  );
});
