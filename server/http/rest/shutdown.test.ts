// Requests that wait for a run while the server stops: their clients get an answer, and the run is left for the next start.
import { expect, test } from 'vitest';
import { startTestServer } from '../../testing/running-server.ts';

const HEADERS = { 'content-type': 'application/json' };
const parts = [{ type: 'text', kind: 'text', text: 'go' }];
const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });

async function stopped(path: string, body: object, headers: Record<string, string> = {}): Promise<{ response: Response; text: string }> {
  const server = await startTestServer();
  const send = (to: string, content: object, more = {}) =>
    fetch(`${server.url}${to}`, { method: 'POST', headers: { ...HEADERS, ...more }, body: JSON.stringify(content) });
  const script = JSON.stringify([{ hang: true }]);
  await send('/v1/model-endpoints', { metadata: { name: 'm' }, spec: { provider: 'mock', options: { script } } });
  await send('/v1/agents', { metadata: { name: 'a' }, spec: { model_ref: 'm' } });
  await send('/v1/agent-systems', { metadata: { name: 'sys' }, spec: { agents: ['a'], a2a: { enabled: true }, mcp: { enabled: true } } });
  const waiting = send(path, body, headers);
  const tasks = async () => (await fetch(`${server.url}/v1/tasks`)).json();
  await expect.poll(tasks).toMatchObject([{ status: { phase: 'Running' } }]);
  const [response] = await Promise.all([waiting, server.stop()]);
  return { response, text: await response.text() };
}

test.each([
  ['without a key, which no client repeats by itself', {}, 'false'],
  ['with a key', { 'idempotency-key': 'one' }, null],
])('a chat %s is 503 and names the Session that has the answer later', async (_title, headers: Record<string, string>, shouldRetry) => {
  const chat = { model: 'sys', messages: [{ role: 'user', content: 'go' }] };
  const { response, text } = await stopped('/v1/chat/completions', chat, headers);
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '10']);
  expect(response.headers.get('x-should-retry')).toBe(shouldRetry);
  expect(response.headers.get('x-svc-session')).toMatch(/^chat-/);
  expect(JSON.parse(text).error).toMatchObject({
    type: 'server_error',
    message: expect.stringMatching(/shutting down; Session default\/chat-/),
  });
});

test('tasks/send that waits is 503: the same request again has the task', async () => {
  const { response, text } = await stopped('/a2a', rpc('tasks/send', { id: 'one', message: { role: 'user', parts } }));
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '10']);
  expect(JSON.parse(text).error.message).toContain('shutting down');
});

test('message/send that waits answers with the task in its current state', async () => {
  const message = { kind: 'message', messageId: 'm1', role: 'user', parts };
  const { response, text } = await stopped('/a2a', rpc('message/send', { message }));
  expect(response.status).toBe(200);
  // The worker releases the run at the same time.
  expect(['submitted', 'working']).toContain(JSON.parse(text).result.status.state);
});

test.each([
  ['tasks/sendSubscribe', { id: 'one', message: { role: 'user', parts } }, true],
  ['message/stream', { message: { kind: 'message', messageId: 'm1', role: 'user', parts } }, false],
])('a stream of %s ends, with a reason where its protocol has one', async (method, params, hasReason) => {
  const { text } = await stopped('/a2a', rpc(method, params));
  expect(text.endsWith('event: close\ndata: {"reason":"server_shutting_down"}\n\n')).toBe(hasReason);
  expect(text.includes('event: close')).toBe(hasReason);
});

test('a message of the console that waits answers with the task in its current state', async () => {
  const { response, text } = await stopped('/trpc/agents.send', { namespace: 'default', name: 'sys', text: 'go', messageId: 'm1' });
  expect(response.status).toBe(200);
  expect(['submitted', 'working']).toContain(JSON.parse(text).result.data.result.status.state);
});

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const MODERN_HEADERS = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'sys' };

test.each([
  ['2025-11-25', {}, {}],
  ['2026-07-28', MODERN, MODERN_HEADERS],
  ['2026-07-28 with progress', { ...MODERN, progressToken: 1 }, MODERN_HEADERS],
])('tools/call of MCP %s answers with the handle of its run', async (_title, _meta, headers) => {
  const params = { name: 'sys', arguments: { message: 'go' }, _meta };
  const accept = 'application/json, text/event-stream';
  const { response, text } = await stopped('/mcp', rpc('tools/call', params), { accept, ...headers });
  expect(response.status).toBe(200);
  expect(text).not.toContain('event: close');
  const answer = JSON.parse(text.startsWith('{') ? text : (text.split('data: ').at(-1) ?? ''));
  expect(answer).toMatchObject({
    id: 1,
    result: { structuredContent: { handle: expect.stringMatching(/^mcp-/), phase: expect.stringMatching(/^(?!Cancel)/) } },
  });
});
