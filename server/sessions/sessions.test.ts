// Conversations through a whole server: turns, events, control, over REST with the mock model.
import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SessionEvent } from '@svc/shared/api/sessions';
import { startTestServer, type TestServer } from '../testing/running-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(['--allow-private-tool-endpoints']);
  await write('model-endpoints', 'model', { provider: 'mock', default_model: 'mock' });
  await write('agents', 'assistant', { prompt: 'You help.', model_ref: 'model' });
  await write('agent-systems', 'chat', { agents: ['assistant'] });
  const slow = 'one two three four five six seven eight nine ten eleven twelve';
  await write('model-endpoints', 'slow', {
    provider: 'mock',
    options: {
      script: JSON.stringify([
        {
          cases: [
            { when: 'quick', text: 'quick answer' },
            { text: slow, pieces: 40, piece_delay: '50ms' },
          ],
        },
      ]),
    },
  });
  await write('agents', 'slow', { prompt: 'You are slow.', model_ref: 'slow' });
  await write('agent-systems', 'slow', { agents: ['slow'] });
  await write('tools', 'deploy', { type: 'http', endpoint: 'http://127.0.0.1:9/never', risk_level: 'low', description: 'deploys' });
  await write('model-endpoints', 'caller', {
    provider: 'mock',
    options: { script: JSON.stringify([{ text: 'let me see', tool: 'deploy', input: { to: 'prod' } }, { text: 'done: {{result}}' }]) },
  });
  await write('agents', 'caller', { prompt: 'You call.', model_ref: 'caller', tools: ['deploy'] });
  await write('agent-systems', 'caller', { agents: ['caller'] });
  await write('tool-permissions', 'ask', { tool_ref: 'deploy', operation_rules: [{ operation_class: '*', verdict: 'approval_required' }] });
  await write('agents', 'broken', { prompt: 'You fail.', model_ref: 'broken' });
  await write('model-endpoints', 'broken', {
    provider: 'mock',
    options: {
      script: JSON.stringify([
        { cases: [{ when: 'work', text: 'works again' }, { error: { code: 'auth_invalid', message: 'wrong key' } }] },
      ]),
    },
  });
  await write('agent-systems', 'broken', { agents: ['broken'] });
});
afterAll(() => server.stop());

async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as any };
}

async function write(plural: string, name: string, spec: unknown) {
  const answer = await send('POST', `/v1/${plural}`, { apiVersion: 'svc.dev/v1', kind: KINDS[plural], metadata: { name }, spec });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}
const KINDS: Record<string, string> = {
  'model-endpoints': 'ModelEndpoint',
  agents: 'Agent',
  'agent-systems': 'AgentSystem',
  sessions: 'Session',
  tools: 'Tool',
  'tool-permissions': 'ToolPermission',
};

const submit = (session: string, content: string, key: string) =>
  send('POST', `/v1/sessions/${session}/turns`, { content }, { 'idempotency-key': key });
const eventsOf = async (session: string): Promise<SessionEvent[]> => (await send('GET', `/v1/sessions/${session}/events`)).body.items;
const typesOf = async (session: string) => (await eventsOf(session)).map(({ type }) => type);

async function until(session: string, type: string, count = 1) {
  await expect.poll(async () => (await typesOf(session)).filter((each) => each === type).length).toBe(count);
}

test('a Session answers a turn and records its events without gaps', async () => {
  await write('sessions', 'first', { system: 'chat' });
  const submitted = await submit('first', 'hello there', 'k1');
  expect(submitted.status, JSON.stringify(submitted.body)).toBe(202);
  await until('first', 'turn.completed');
  const events = await eventsOf('first');
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const types = events.map(({ type }) => type);
  expect(types.filter((type) => type !== 'message.delta')).toEqual([
    'session.created',
    'message.created',
    'turn.queued',
    'turn.started',
    'message.completed',
    'turn.completed',
    'checkpoint.created',
  ]);
  const text = events
    .filter(({ type }) => type === 'message.delta')
    .map(({ payload }) => payload['delta'])
    .join('');
  const completed = events.find(({ type }) => type === 'message.completed')?.payload;
  expect(text).toBe(completed?.['content']);
  expect(text).not.toBe('');
  const { body } = await send('GET', '/v1/sessions/first');
  expect(body.status).toMatchObject({
    phase: 'WaitingInput',
    completedTurns: 1,
    queuedTurns: 0,
    fence: 1,
    lastEventSequence: events.length,
  });
  const turns = (await send('GET', '/v1/sessions/first/turns')).body.items;
  expect(turns).toMatchObject([{ phase: 'Succeeded', content: 'hello there', output: text, attempt: 1 }]);
});

test('the same key answers with the same turn; another content under it is refused', async () => {
  await write('sessions', 'keys', { system: 'chat' });
  const first = await submit('keys', 'one', 'k');
  const again = await submit('keys', 'one', 'k');
  expect(again.status).toBe(200);
  expect(again.body).toMatchObject({ created: false, turn: { id: first.body.turn.id } });
  expect((await submit('keys', 'two', 'k')).status).toBe(409);
  expect((await send('POST', '/v1/sessions/keys/turns', { content: 'x' })).status).toBe(400);
  await until('keys', 'turn.completed');
});

test('turns run in their order and later ones see the earlier conversation', async () => {
  await write('sessions', 'order', { system: 'chat' });
  for (const n of [1, 2, 3]) expect((await submit('order', `message ${n}`, `k${n}`)).status).toBe(202);
  await until('order', 'turn.completed', 3);
  const ended = (await eventsOf('order')).filter(({ type }) => type === 'turn.completed');
  const turns = (await send('GET', '/v1/sessions/order/turns')).body.items;
  expect(ended.map(({ turn_id }) => turn_id)).toEqual(turns.map(({ id }: { id: string }) => id));
});

test('a cancelled Session takes no turns', async () => {
  await write('sessions', 'over', { system: 'chat' });
  expect((await send('POST', '/v1/sessions/over/cancel')).body.status.phase).toBe('Cancelled');
  expect((await submit('over', 'hello', 'k')).status).toBe(409);
  expect((await send('POST', '/v1/sessions/over/pause')).status).toBe(409);
  expect(await typesOf('over')).toEqual(['session.created', 'session.cancelled']);
});

test('a paused Session keeps its turns until it is resumed', async () => {
  await write('sessions', 'pause', { system: 'chat' });
  expect((await send('POST', '/v1/sessions/pause/pause', { reason: 'lunch' })).body.status.phase).toBe('Paused');
  await submit('pause', 'hello', 'k');
  expect((await send('GET', '/v1/sessions/pause')).body.status).toMatchObject({ phase: 'Paused', queuedTurns: 1 });
  expect((await send('POST', '/v1/sessions/pause/resume')).status).toBe(200);
  await until('pause', 'turn.completed');
});

const phaseOf = async (session: string) => (await send('GET', `/v1/sessions/${session}`)).body.status.phase;

/** The text that readers are left with: deltas since the last reset. */
function shownText(events: readonly SessionEvent[]): string {
  let text = '';
  for (const { type, payload } of events) {
    if (type === 'message.reset') text = '';
    if (type === 'message.delta') text += String(payload['delta']);
  }
  return text;
}

test('text comes in pieces while the model speaks', async () => {
  await write('sessions', 'stream', { system: 'slow' });
  await submit('stream', 'go', 'k');
  await until('stream', 'turn.completed');
  const events = await eventsOf('stream');
  expect(events.filter(({ type }) => type === 'message.delta').length).toBeGreaterThan(3);
  expect(shownText(events)).toBe(events.find(({ type }) => type === 'message.completed')?.payload['content']);
});

test('an interrupting message cancels the turn under way and runs next', async () => {
  await write('sessions', 'interrupt', { system: 'slow' });
  await submit('interrupt', 'long', 'k1');
  await expect.poll(() => typesOf('interrupt')).toContain('message.delta');
  await submit('interrupt', 'quick later', 'k2');
  const third = await send('POST', '/v1/sessions/interrupt/turns', { content: 'quick now', interrupt: true }, { 'idempotency-key': 'k3' });
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

test('an approval suspends the turn, which continues after the decision', async () => {
  await write('sessions', 'approval', { system: 'caller' });
  await submit('approval', 'deploy it', 'k1');
  await until('approval', 'approval.requested');
  await expect.poll(() => phaseOf('approval')).toBe('WaitingApproval');
  const asked = (await eventsOf('approval')).find(({ type }) => type === 'approval.requested')?.payload as { name: string; kind: string };
  expect(asked.kind).toBe('ToolApproval');
  expect(shownText(await eventsOf('approval'))).toBe('');
  expect((await send('POST', `/v1/tool-approvals/${asked.name}/approve`, {})).status).toBe(200);
  await until('approval', 'turn.completed');
  const types = (await typesOf('approval')).filter((type) => type !== 'message.delta' && type !== 'message.reset');
  expect(types).toEqual([
    'session.created',
    'message.created',
    'turn.queued',
    'turn.started',
    'approval.requested',
    'turn.started',
    'approval.resolved',
    'tool.started',
    'tool.completed',
    'checkpoint.created',
    'message.completed',
    'turn.completed',
    'checkpoint.created',
  ]);
  const { body } = await send('GET', '/v1/sessions/approval/checkpoints');
  expect(body.items.map(({ safe_point }: { safe_point: string }) => safe_point)).toEqual(['turn.completed', 'step.completed']);
  for (const { id, event_sequence } of body.items) {
    const replay = (await send('GET', `/v1/sessions/approval/checkpoints/${id}/replay`)).body;
    expect(replay).toMatchObject({ verified: true, model_calls: 0, tool_calls: 0 });
    expect(replay.events.at(-1)).toMatchObject({ seq: event_sequence, type: 'checkpoint.created', payload: { checkpoint_id: id } });
  }
});

test('a failed turn leaves the Session open for a new turn', async () => {
  await write('sessions', 'fails', { system: 'broken' });
  await submit('fails', 'please', 'k1');
  await until('fails', 'turn.failed');
  const { body } = await send('GET', '/v1/sessions/fails');
  expect(body.status.phase).toBe('Failed');
  expect(body.status.lastError).toContain('wrong key');
  await submit('fails', 'work now', 'k2');
  await until('fails', 'turn.completed');
  expect(await phaseOf('fails')).toBe('WaitingInput');
});

test('a Session whose agent system is gone fails the turn with its name', async () => {
  await write('agent-systems', 'leaves', { agents: ['assistant'] });
  await write('sessions', 'left', { system: 'leaves' });
  await fetch(`${server.url}/v1/agent-systems/leaves`, { method: 'DELETE' });
  expect((await submit('left', 'hello', 'k')).body.turn).toMatchObject({
    phase: 'Failed',
    last_error: 'AgentSystem default/leaves does not exist',
  });
  expect(await phaseOf('left')).toBe('Failed');
});

test('a Session completes with its last allowed turn', async () => {
  await write('sessions', 'max', { system: 'chat', max_turns: 2 });
  await submit('max', 'one', 'k1');
  await submit('max', 'two', 'k2');
  expect((await submit('max', 'three', 'k3')).status).toBe(409);
  await until('max', 'session.completed');
  expect(await phaseOf('max')).toBe('Completed');
});

test('a deleted Session takes its turns, Tasks and events along', async () => {
  await write('sessions', 'gone', { system: 'slow' });
  const { body } = await submit('gone', 'long', 'k1');
  const task = `/v1/tasks/${body.turn.task_name}`;
  expect((await send('GET', task)).status).toBe(200);
  expect((await fetch(`${server.url}/v1/sessions/gone`, { method: 'DELETE' })).status).toBeLessThan(300);
  await expect.poll(async () => (await send('GET', task)).status).toBe(404);
  await write('sessions', 'gone', { system: 'slow' });
  expect(await typesOf('gone')).toEqual(['session.created']);
});

test('an idle Session expires', async () => {
  await write('sessions', 'idle', { system: 'chat', idle_ttl: '1s' });
  await until('idle', 'session.expired');
  expect(await phaseOf('idle')).toBe('Expired');
  expect((await submit('idle', 'late', 'k')).status).toBe(409);
});

test('a Session of a missing agent system is refused', async () => {
  const answer = await send('POST', '/v1/sessions', {
    apiVersion: 'svc.dev/v1',
    kind: 'Session',
    metadata: { name: 'no' },
    spec: { system: 'nowhere' },
  });
  expect(answer.status).toBe(400);
  expect(answer.body.error.message).toContain('nowhere');
});

type Wire = Record<string, any>;

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

const checkpointsOf = async (session: string): Promise<Wire[]> => (await send('GET', `/v1/sessions/${session}/checkpoints`)).body.items;
const branch = (session: string, id: string, action: 'rewind' | 'fork', body: unknown) =>
  send('POST', `/v1/sessions/${session}/checkpoints/${id}/${action}`, body);

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
  await send('DELETE', '/v1/tool-permissions/ask').catch(() => undefined);
  await write('sessions', 'mid', { system: 'caller' });
  await submit('mid', 'deploy it', 'k1');
  await until('mid', 'turn.completed');
  const step = (await checkpointsOf('mid')).find(({ safe_point }) => safe_point === 'step.completed');
  const rewound = await branch('mid', step!['id'], 'rewind', { interrupt: true, resume: true });
  expect(rewound.body.resumed).toBe(true);
  await until('mid', 'turn.completed', 2);
  const events = await eventsOf('mid');
  expect(events.filter(({ type }) => type === 'tool.completed')).toHaveLength(1);
  const turns = (await send('GET', '/v1/sessions/mid/turns')).body.items;
  expect(turns.map(({ phase }: Wire) => phase)).toEqual(['Cancelled', 'Succeeded']);
  expect(turns[1].output).toBe(turns[0].output);
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

test('each control of a Session is an audit record with its action', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'session-audit-')), 'audit.jsonl');
  const audited = await startTestServer(['--audit-log', file]);
  const post = (path: string, body: unknown) =>
    fetch(`${audited.url}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  await post('/v1/agent-systems', { metadata: { name: 'system' }, spec: { agents: ['nobody'] } });
  expect((await post('/v1/sessions', { metadata: { name: 'talk' }, spec: { system: 'system' } })).status).toBe(201);
  for (const control of ['pause', 'resume', 'complete']) expect((await post(`/v1/sessions/talk/${control}`, {})).status).toBe(200);
  await audited.stop();
  const records = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Wire);
  const controls = records.filter(({ action }) => action === 'session.control');
  expect(controls.map(({ details }) => details.action)).toEqual(['pause', 'resume', 'complete']);
});
