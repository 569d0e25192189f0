// Origin of runs on their approvals: every interface records it, and no client can claim a different one.
import { createHmac } from 'node:crypto';
import { beforeAll, expect, test, vi } from 'vitest';
import { approvalOrigin, DOOR_LABEL } from '@svc/shared/run-origin';
import type { Resource } from '@svc/shared/resource';
import { atFileEnd } from '../testing/file-end.ts';
import { startTestServer } from '../testing/running-server.ts';

const ANN = 'ann-token-0123456789';
const BOB = 'bob-token-0123456789';
const SECRET = 'topsecret';

let url: string;

async function send(path: string, body?: unknown, { token = ANN, ...headers }: Record<string, string> = {}): Promise<any> {
  const answer = await fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const parsed: unknown = await answer.json();
  expect(answer.status, JSON.stringify(parsed)).toBeLessThan(300);
  return parsed;
}

const put = (plural: string, name: string, spec: object, metadata: object = {}) =>
  send(`/v1/${plural}`, { metadata: { name, ...metadata }, spec });

/** Origins of the approvals of one interface, once there are that many. */
async function originsOf(door: string, count = 1) {
  return vi.waitFor(
    async () => {
      const found: Resource[] = await send(`/v1/task-approvals?labelSelector=${encodeURIComponent(`${DOOR_LABEL}=${door}`)}`);
      expect(found).toHaveLength(count);
      return found.map(({ metadata }) => approvalOrigin(metadata));
    },
    { timeout: 20_000, interval: 50 },
  );
}

beforeAll(async () => {
  const server = await startTestServer([], { SVC_API_TOKENS: `ann:${ANN}:admin,bob:${BOB}:writer` });
  atFileEnd(server.stop);
  ({ url } = server);
  await put('model-endpoints', 'model', { provider: 'mock', default_model: 'mock' });
  await put('agents', 'assistant', { prompt: 'You help.', model_ref: 'model' });
  await put('agent-systems', 'desk', { agents: ['assistant'], completion_review: { checkpoint_id: 'final' } });
  await put('tasks', 'template', { system: 'desk', mode: 'template' });
});

test('a Task names its creator, and labels of another door on it are not believed', async () => {
  const labels = { 'svc.dev/created-by': 'session', [DOOR_LABEL]: 'chat' };
  const annotations = { 'svc.dev/asked-by': 'ann', 'svc.dev/origin': 'Session default/theirs' };
  const spec = { system: 'desk', input: { session_id: 'theirs' } };
  await send('/v1/tasks', { metadata: { name: 'forged', labels, annotations }, spec }, { token: BOB });
  expect(await originsOf('api')).toEqual([{ door: 'api', askedBy: 'bob' }]);
});

test('a turn names its Session and its sender', async () => {
  const name = `talk-${'x'.repeat(70)}`;
  await put('sessions', name, { system: 'desk' });
  await send(`/v1/sessions/${name}/turns`, { content: 'hello' }, { token: BOB, 'idempotency-key': 'k' });
  expect(await originsOf('session')).toEqual([
    { door: 'session', source: { kind: 'Session', namespace: 'default', name }, askedBy: 'bob' },
  ]);
});

test('a chat request names itself, its Session and its caller', async () => {
  const request = { model: 'desk', stream: true, messages: [{ role: 'user', content: 'hello' }] };
  const gone = new AbortController();
  const answer = fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${BOB}` },
    body: JSON.stringify(request),
    signal: gone.signal,
  }).catch(() => undefined);
  const name: unknown = expect.stringMatching(/^chat-/);
  expect(await originsOf('chat')).toEqual([{ door: 'chat', source: { kind: 'Session', namespace: 'default', name }, askedBy: 'bob' }]);
  gone.abort();
  await answer;
});

test('a run of a webhook names the webhook and who made it', async () => {
  await put('secrets', 'hook-secret', { stringData: { value: SECRET } });
  await put('task-webhooks', 'push', { task_ref: 'template', auth: { secret_ref: 'hook-secret' } });
  await expect.poll(async () => (await send('/v1/task-webhooks/push')).status.phase).toBe('Ready');
  const path = String((await send('/v1/task-webhooks/push')).status.endpointPath);
  const body = '{"event":"push"}';
  const at = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', SECRET).update(`${at}.${body}`).digest('hex');
  await send(path, body, { 'x-timestamp': at, 'x-event-id': 'e-1', 'x-signature': `sha256=${signature}` });
  expect(await originsOf('webhook')).toEqual([
    { door: 'webhook', source: { kind: 'TaskWebhook', namespace: 'default', name: 'push' }, askedBy: 'ann' },
  ]);
});

test('a run of a schedule names the schedule and who made it', async () => {
  await put('task-schedules', 'nightly', { task_ref: 'template', schedule: '0 3 1 1 *' });
  await send('/v1/task-schedules/nightly/trigger', {});
  expect(await originsOf('schedule')).toEqual([
    { door: 'schedule', source: { kind: 'TaskSchedule', namespace: 'default', name: 'nightly' }, askedBy: 'ann' },
  ]);
});

test('the origin of an A2A run names the interface, the Session of its context and the caller', async () => {
  await put('agent-systems', 'open-desk', { agents: ['assistant'], completion_review: { checkpoint_id: 'final' }, a2a: { enabled: true } });
  const message = { kind: 'message', messageId: 'm-1', role: 'user', parts: [{ kind: 'text', text: 'hello' }] };
  const params = { message, configuration: { blocking: false } };
  await send('/v1/agent-systems/open-desk/a2a', { jsonrpc: '2.0', id: 1, method: 'message/send', params }, { token: BOB });
  const name: unknown = expect.stringMatching(/^a2a-/);
  expect(await originsOf('a2a')).toEqual([{ door: 'a2a', source: { kind: 'Session', namespace: 'default', name }, askedBy: 'bob' }]);
});

test('a call of a tool of MCP names the door and the caller', async () => {
  await put('agent-systems', 'tool-desk', { agents: ['assistant'], completion_review: { checkpoint_id: 'final' }, mcp: { enabled: true } });
  const params = { name: 'tool-desk', arguments: { message: 'hello' } };
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${BOB}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  expect(await answer.text()).toContain('TaskApproval');
  expect(await originsOf('mcp')).toEqual([{ door: 'mcp', askedBy: 'bob' }]);
});
