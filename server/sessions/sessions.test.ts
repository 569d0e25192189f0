// Conversations through a whole server: turns, events, control, over REST with the mock model.
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/running-server.ts';
import { sessionClient, shownText, type Wire } from '../testing/session-client.ts';
import { sseMessages } from '../testing/sse-messages.ts';

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

const { send, write, submit, eventsOf, typesOf, until, phaseOf, checkpointsOf, branch } = sessionClient(() => server.url);

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
  expect(turns).toMatchObject([{ phase: 'Succeeded', content: 'hello there', output: { last_output: text }, attempt: 1 }]);
});

test('the Task of a turn keeps capitals of its Session in name and label', async () => {
  const long = `${'x'.repeat(29)}-${'Y'.repeat(50)}`;
  for (const name of ['CHAT', long]) {
    await write('sessions', name, { system: 'chat' });
    const { turn } = (await submit(name, 'hello', 'k')).body;
    const { items } = (await send('GET', `/v1/tasks?labelSelector=svc.dev/session=${name}&limit=10`)).body;
    expect(items.map(({ metadata }: Wire) => metadata.name)).toEqual([turn.task_name]);
    expect(turn.task_name).toMatch(name === long ? /^session-x{29}-[0-9a-f]{16}$/ : /^session-CHAT-[0-9a-f]{16}$/);
  }
});

test('lists, watches and writes show the status of an idle Session as a read of it does', async () => {
  const created = await write('sessions', 'shown', { system: 'chat' });
  const read = async () => (await send('GET', '/v1/sessions/shown')).body;
  expect(created).toEqual(await read());
  const { createdAt } = created.metadata;
  expect(created.status).toEqual({
    phase: 'WaitingInput',
    ...{ queuedTurns: 0, completedTurns: 0, fence: 0, lastEventSequence: 1, systemGeneration: 1 },
    ...{ lastActivityAt: createdAt, expiresAt: new Date(Date.parse(createdAt) + 86_400_000).toISOString() },
  });
  await submit('shown', 'hello', 'k');
  await until('shown', 'checkpoint.created');
  const session = await read();
  // Created, taken by a worker, done: no write is for the shown fields alone.
  expect(session).toMatchObject({ metadata: { resourceVersion: '3' }, status: { lastCheckpointID: expect.stringContaining('ckpt-') } });
  const { items } = (await send('GET', '/v1/sessions?limit=1000')).body as { items: Wire[] };
  expect(items.find(({ metadata }) => metadata.name === 'shown')).toEqual(session);
  for await (const { event, data } of sseMessages(`${server.url}/v1/sessions/watch?name=shown`)) {
    if (event !== 'resource') continue;
    expect(data.resource).toEqual(session);
    break;
  }
  expect((await send('DELETE', '/v1/sessions/shown')).body).toEqual(session);
});

test('a running turn shows its lease in lists; another idle_ttl moves the expiry', async () => {
  await write('sessions', 'leased', { system: 'slow' });
  await submit('leased', 'long', 'k');
  await until('leased', 'turn.started');
  const listed = async () => {
    const { items } = (await send('GET', '/v1/sessions?limit=1000')).body as { items: Wire[] };
    return items.find(({ metadata }) => metadata.name === 'leased')?.status as Wire;
  };
  const { claimedBy, leaseUntil, lastHeartbeat } = (await send('GET', '/v1/sessions/leased')).body.status;
  expect(await listed()).toMatchObject({ claimedBy, phase: 'Running', fence: 1 });
  for (const time of [leaseUntil, lastHeartbeat, (await listed()).leaseUntil, (await listed()).lastHeartbeat])
    expect(Date.parse(time)).toBeGreaterThan(0);
  await send('POST', '/v1/sessions/leased/cancel');
  const ended = await listed();
  expect(ended).toMatchObject({ phase: 'Cancelled' });
  for (const field of ['claimedBy', 'leaseUntil', 'lastHeartbeat', 'expiresAt']) expect(ended).not.toHaveProperty(field);
  await write('sessions', 'longer', { system: 'chat' });
  const merge = { 'content-type': 'application/merge-patch+json' };
  const { metadata, status } = (await send('PATCH', '/v1/sessions/longer', { spec: { idle_ttl: '48h' } }, merge)).body;
  expect(Date.parse(status.expiresAt) - Date.parse(metadata.createdAt)).toBe(48 * 3_600_000);
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

test('a turn of a system with a loop has a limit of agent turns, also where it continues when the loop is gone', async () => {
  const again = JSON.stringify([{ text: '{"route":"again"}' }]);
  await write('model-endpoints', 'again', { provider: 'mock', options: { script: again } });
  await write('agents', 'drafter', { prompt: 'You write.', model_ref: 'model' });
  await write('agents', 'critic', { prompt: 'You read.', model_ref: 'again' });
  const graph = { drafter: { next: 'critic' }, critic: { edges: [{ to: 'drafter', labels: { route: 'again' } }] } };
  const system = await write('agent-systems', 'loop', { agents: ['drafter', 'critic'], graph });
  await write('sessions', 'looping', { system: 'loop' });
  await submit('looping', 'hello', 'k1');
  await until('looping', 'turn.completed');
  const { body } = await send('GET', '/v1/tasks?labelSelector=svc.dev/session=looping');
  expect(body).toMatchObject([{ spec: { max_turns: 10 }, status: { phase: 'Succeeded' } }]);
  const ended = (await eventsOf('looping')).find(({ type }) => type === 'turn.completed');
  expect(ended?.payload['notes']).toEqual(['critic: max_turns reached: the branch ends here']);

  const [inside] = (await checkpointsOf('looping')).filter(({ safe_point: point }) => point === 'agent.completed');
  await send('PUT', '/v1/agent-systems/loop', { ...system, spec: { agents: system.spec.agents, graph: { drafter: { next: 'critic' } } } });
  expect((await branch('looping', inside?.['id'], 'rewind', { resume: true })).status).toBe(200);
  await until('looping', 'turn.completed', 2);
});

test('a turn whose agent names a route beside other text has a note about it', async () => {
  const script = JSON.stringify([{ text: 'Fine. {"route": "helper"}' }]);
  await write('model-endpoints', 'beside', { provider: 'mock', options: { script } });
  await write('agents', 'router', { prompt: 'You route.', model_ref: 'beside' });
  const graph = { router: { edges: [{ to: 'assistant', labels: { route: 'helper' } }] } };
  await write('agent-systems', 'routed', { agents: ['router', 'assistant'], graph });
  await write('sessions', 'routing', { system: 'routed' });
  await submit('routing', 'hello', 'k1');
  await until('routing', 'turn.completed');
  const ended = (await eventsOf('routing')).find(({ type }) => type === 'turn.completed');
  expect(ended?.payload['notes']).toEqual([expect.stringMatching(/^router: the route in the output is ignored/)]);
});

test('text arrives in pieces while the model streams', async () => {
  await write('sessions', 'stream', { system: 'slow' });
  await submit('stream', 'go', 'k');
  await until('stream', 'turn.completed');
  const events = await eventsOf('stream');
  expect(events.filter(({ type }) => type === 'message.delta').length).toBeGreaterThan(3);
  expect(shownText(events)).toBe(events.find(({ type }) => type === 'message.completed')?.payload['content']);
});

test('an answer is named after its agent where another one spoke last', async () => {
  const says = (text: string, delay?: string) => ({ provider: 'mock', options: { script: JSON.stringify([{ text, delay }]) } });
  for (const [name, model] of [
    ['plan', says('the plan')],
    ['late', says('LATE', '300ms')],
    ['early', says('EARLY')],
  ] as const) {
    await write('model-endpoints', name, model);
    await write('agents', name, { prompt: name, model_ref: name });
  }
  await write('agent-systems', 'fan', {
    agents: ['plan', 'late', 'early'],
    graph: { plan: { edges: [{ to: 'late' }, { to: 'early' }] } },
  });
  await write('sessions', 'fan', { system: 'fan' });
  await submit('fan', 'go', 'k');
  await until('fan', 'turn.completed');
  const events = await eventsOf('fan');
  const named = (type: string) => events.findLast((event) => event.type === type)?.payload;
  expect([named('message.delta'), named('message.completed')]).toMatchObject([
    { delta: 'EARLY', agent: 'early' },
    { content: 'EARLY', agent: 'early' },
  ]);
});

test('an approval suspends the turn, which continues after the decision', async () => {
  await write('sessions', 'approval', { system: 'caller' });
  await submit('approval', 'deploy it', 'k1');
  await until('approval', 'approval.requested');
  await expect.poll(() => phaseOf('approval')).toBe('WaitingApproval');
  const asked = (await eventsOf('approval')).find(({ type }) => type === 'approval.requested')?.payload as { name: string; kind: string };
  expect(asked.kind).toBe('ToolApproval');
  const spoken = (await eventsOf('approval')).filter(({ type }) => type.startsWith('message.')).slice(1);
  expect(spoken.map(({ type, payload }) => [type, payload])).toEqual([
    ['message.delta', { delta: 'let me see', agent: 'caller' }],
    ['message.reset', { reason: 'step' }],
  ]);
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

test.each([
  ['approve', 'turn.completed'],
  ['cancel', 'turn.cancelled'],
])('%s ends a turn whose Task lost its labels with %s', async (how, end) => {
  const name = `relabelled-${how}`;
  await write('sessions', name, { system: 'caller' });
  const { turn } = (await submit(name, 'deploy it', 'k')).body;
  await until(name, 'approval.requested');
  const path = `/v1/tasks/${turn.task_name}`;
  const merge = { 'content-type': 'application/merge-patch+json' };
  expect((await send('PATCH', path, { metadata: { labels: { 'svc.dev/created-by': null } } }, merge)).status).toBe(200);
  const asked = (await eventsOf(name)).find(({ type }) => type === 'approval.requested')?.payload;
  if (how === 'cancel') await send('POST', `${path}/cancel`, {});
  else await send('POST', `/v1/tool-approvals/${String(asked?.['name'])}/approve`, {});
  await until(name, end);
  expect(await phaseOf(name)).toBe('WaitingInput');
});

test.each([
  ['interrupt', ['message.reset', 'turn.cancelled']],
  ['cancel of its Task', ['turn.cancelled']],
  ['cancel of its Session', ['message.reset', 'turn.cancelled', 'session.cancelled']],
] as const)('%s expires the open approval of a turn', async (how, after) => {
  const name = how.replaceAll(' ', '-').toLowerCase();
  await write('sessions', name, { system: 'caller' });
  const { turn } = (await submit(name, 'deploy it', 'k1')).body;
  await expect.poll(() => phaseOf(name)).toBe('WaitingApproval');
  const asked = (await eventsOf(name)).find(({ type }) => type === 'approval.requested')?.payload as { name: string };
  if (how === 'interrupt') await send('POST', `/v1/sessions/${name}/turns`, { content: 'x', interrupt: true }, { 'idempotency-key': 'k2' });
  else await send('POST', how === 'cancel of its Task' ? `/v1/tasks/${turn.task_name}/cancel` : `/v1/sessions/${name}/cancel`);
  await until(name, 'turn.cancelled');
  const events = await eventsOf(name);
  const resolved = events.findIndex(({ type }) => type === 'approval.resolved');
  expect(events[resolved]).toMatchObject({
    turn_id: turn.id,
    payload: { kind: 'ToolApproval', name: asked.name, decision: 'expired' },
  });
  const following = events.slice(resolved + 1).filter(({ type, turn_id }) => turn_id === turn.id || type.startsWith('session.'));
  expect(following.map(({ type }) => type)).toEqual(after);
  const approval = async () => (await send('GET', `/v1/tool-approvals/${asked.name}`)).body.status;
  await expect.poll(approval).toMatchObject({ phase: 'Expired', lastError: 'the task ended as Cancelled before this was decided' });
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

test('an interrupting message counts towards max_turns, the turn that it interrupts does not', async () => {
  const interrupt = (name: string, key: string) =>
    send('POST', `/v1/sessions/${name}/turns`, { content: 'quick', interrupt: true }, { 'idempotency-key': key });
  await write('sessions', 'most', { system: 'slow', max_turns: 1 });
  await submit('most', 'long', 'k1');
  await until('most', 'turn.started');
  const message = 'Session most takes at most 1 turns (spec.max_turns): 0 completed, 1 running, 0 queued';
  expect(await submit('most', 'next', 'k3')).toMatchObject({ status: 409, body: { error: { message } } });
  expect((await interrupt('most', 'k2')).status).toBe(202);
  await until('most', 'session.completed');
  await write('sessions', 'waiting', { system: 'chat', max_turns: 1 });
  await send('POST', '/v1/sessions/waiting/pause');
  expect((await submit('waiting', 'one', 'k1')).status).toBe(202);
  expect((await interrupt('waiting', 'k2')).status).toBe(409);
  await send('POST', '/v1/sessions/waiting/resume');
  await until('waiting', 'session.completed');
  expect((await send('GET', '/v1/sessions/waiting')).body.status.completedTurns).toBe(1);
});

test('deleting a Session deletes its turns, Tasks and events', async () => {
  await write('sessions', 'gone', { system: 'slow' });
  const { body } = await submit('gone', 'long', 'k1');
  const task = `/v1/tasks/${body.turn.task_name}`;
  expect((await send('GET', task)).status).toBe(200);
  expect((await fetch(`${server.url}/v1/sessions/gone`, { method: 'DELETE' })).status).toBeLessThan(300);
  await expect.poll(async () => (await send('GET', task)).status).toBe(404);
  await write('sessions', 'gone', { system: 'slow' });
  expect(await typesOf('gone')).toEqual(['session.created']);
});

test('a Session whose idle_ttl is shortened expires by the new one', async () => {
  await write('sessions', 'shorter', { system: 'chat', idle_ttl: '48h' });
  const merge = { 'content-type': 'application/merge-patch+json' };
  expect((await send('PATCH', '/v1/sessions/shorter', { spec: { idle_ttl: '1s' } }, merge)).status).toBe(200);
  await until('shorter', 'session.expired');
  expect(await phaseOf('shorter')).toBe('Expired');
});

test('an idle Session expires', async () => {
  await write('sessions', 'idle', { system: 'chat', idle_ttl: '1s' });
  await until('idle', 'session.expired');
  expect(await phaseOf('idle')).toBe('Expired');
  expect((await submit('idle', 'late', 'k')).status).toBe(409);
});

test('a message that no worker has taken is part of the Session, and puts its expiry off', async () => {
  const idle = await startTestServer(['--embedded-worker=false']);
  try {
    const client = sessionClient(() => idle.url);
    await client.write('model-endpoints', 'model', { provider: 'mock', default_model: 'mock' });
    await client.write('agents', 'assistant', { prompt: 'You help.', model_ref: 'model' });
    await client.write('agent-systems', 'chat', { agents: ['assistant'] });
    await client.write('sessions', 'waits', { system: 'chat', idle_ttl: '2s' });
    await client.write('sessions', 'alone', { system: 'chat', idle_ttl: '2s' });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { turn } = (await client.submit('waits', 'hello', 'k1')).body;
    const only = (await client.submit('alone', 'hello', 'k1')).body.turn;
    const status = async (name = 'waits') => (await client.send('GET', `/v1/sessions/${name}`)).body.status as Wire;
    const expiresAt = new Date(Date.parse(turn.created_at) + 2_000).toISOString();
    expect(await status()).toMatchObject({
      phase: 'WaitingInput',
      activeTurnID: turn.id,
      queuedTurns: 0,
      lastActivityAt: turn.created_at,
      expiresAt,
    });
    const second = (await client.submit('waits', 'and another', 'k2')).body.turn;
    expect(await status()).toMatchObject({ activeTurnID: turn.id, queuedTurns: 1, lastActivityAt: second.created_at });
    await client.until('waits', 'session.expired');
    await client.until('alone', 'session.expired');
    expect((await status()).activeTurnID).toBeUndefined();
    const expired = async (name: string) => Date.parse((await status(name)).completedAt);
    expect(await expired('waits')).toBeGreaterThanOrEqual(Date.parse(second.created_at) + 2_000);
    expect(await expired('alone')).toBeGreaterThanOrEqual(Date.parse(only.created_at) + 2_000);
  } finally {
    await idle.stop();
  }
});

test('a page of turns or events names the next one only when more exist', async () => {
  await write('sessions', 'pages', { system: 'chat' });
  await submit('pages', 'one', 'k1');
  await submit('pages', 'two', 'k2');
  await until('pages', 'turn.completed', 2);
  const count = (await eventsOf('pages')).length;
  const page = async (path: string) => (await send('GET', `/v1/sessions/pages/${path}`)).body as Wire;
  expect(await page('turns?limit=1')).toMatchObject({ items: [{ queue_sequence: 1 }], continue: '1' });
  expect(await page('events?limit=1')).toMatchObject({ items: [{ seq: 1 }], continue: '1' });
  const last = [await page('turns?limit=2'), await page('turns?limit=1&after=1'), await page(`events?limit=${count}`)];
  expect(last.map(({ items }) => items.length)).toEqual([2, 1, count]);
  for (const each of last) expect(each).not.toHaveProperty('continue');
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

test('the record of a turn does not grow with the conversation before it', async () => {
  await write('sessions', 'long', { system: 'chat', history: { max_turns: 30 } });
  const said = 'x'.repeat(2_000);
  for (let n = 1; n <= 12; n += 1) {
    await submit('long', `${said} ${n}`, `k${n}`);
    await until('long', 'turn.completed', n);
  }
  const checkpoints = (await send('GET', '/v1/sessions/long/checkpoints')).body.items as { state_bytes: number }[];
  const bytes = checkpoints.map(({ state_bytes }) => state_bytes).reverse();
  expect(bytes[11]).toBeLessThan((bytes[1] ?? 0) + 200);
});

test('the trace of a turn reports how much of the conversation was left out and why', async () => {
  await write('sessions', 'short', { system: 'chat', history: { max_turns: 1 } });
  for (const n of [1, 2, 3]) await submit('short', `message ${n}`, `k${n}`);
  await until('short', 'turn.completed', 3);
  const turns = (await send('GET', '/v1/sessions/short/turns')).body.items as { task_name: string }[];
  const firstOf = async (index: number) =>
    (await send('GET', `/v1/tasks/${turns[index]?.task_name}`)).body.status.trace[0].message as string;
  expect(await firstOf(1)).not.toContain('left out');
  expect(await firstOf(2)).toContain('1 earlier turn is left out of the conversation: spec.history.max_turns is 1');
});
