// Requests that wait for a run while the server stops: their clients get an answer, and the run is left for the next start.
import { expect, test } from 'vitest';
import { startTestServer } from '../../testing/running-server.ts';

const HEADERS = { 'content-type': 'application/json' };
const parts = [{ type: 'text', kind: 'text', text: 'go' }];
const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });

async function stopped(path: string, body: object): Promise<{ response: Response; body: any }> {
  const server = await startTestServer();
  const send = (to: string, content: object) =>
    fetch(`${server.url}${to}`, { method: 'POST', headers: HEADERS, body: JSON.stringify(content) });
  const script = JSON.stringify([{ hang: true }]);
  await send('/v1/model-endpoints', { metadata: { name: 'm' }, spec: { provider: 'mock', options: { script } } });
  await send('/v1/agents', { metadata: { name: 'a' }, spec: { model_ref: 'm' } });
  await send('/v1/agent-systems', { metadata: { name: 'sys' }, spec: { agents: ['a'], a2a: { enabled: true } } });
  const waiting = send(path, body);
  const tasks = async () => (await fetch(`${server.url}/v1/tasks`)).json();
  await expect.poll(tasks).toMatchObject([{ status: { phase: 'Running' } }]);
  const [response] = await Promise.all([waiting, server.stop()]);
  return { response, body: await response.json() };
}

test('a chat that waits is 503 and names the Session that has the answer later', async () => {
  const { response, body } = await stopped('/v1/chat/completions', { model: 'sys', messages: [{ role: 'user', content: 'go' }] });
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '10']);
  expect(body.error).toMatchObject({ type: 'server_error', message: expect.stringMatching(/shutting down; Session default\/chat-/) });
});

test('tasks/send that waits is 503: the same request again has the task', async () => {
  const { response, body } = await stopped('/a2a', rpc('tasks/send', { id: 'one', message: { role: 'user', parts } }));
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '10']);
  expect(body.error.message).toContain('shutting down');
});

test('message/send that waits answers with the task as it stands', async () => {
  const message = { kind: 'message', messageId: 'm1', role: 'user', parts };
  const { response, body } = await stopped('/a2a', rpc('message/send', { message }));
  expect(response.status).toBe(200);
  // The worker releases the run at the same time.
  expect(['submitted', 'working']).toContain(body.result.status.state);
});
