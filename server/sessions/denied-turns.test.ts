// Denied and expired turns through a whole server whose only worker slot is busy.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/running-server.ts';
import { sessionClient, type Wire } from '../testing/session-client.ts';

let server: TestServer;
const { send, write, submit, eventsOf, until, phaseOf } = sessionClient(() => server.url);
const task = async (name: string): Promise<Wire> => (await send('GET', `/v1/tasks/${name}`)).body.status;
const createTask = (name: string, system: string) =>
  send('POST', '/v1/tasks', { apiVersion: 'svc.dev/v1', kind: 'Task', metadata: { name }, spec: { system } });

beforeAll(async () => {
  server = await startTestServer(['--allow-private-tool-endpoints', '--embedded-worker-max-concurrent-tasks', '1']);
  await write('model-endpoints', 'hanging', { provider: 'mock', options: { script: JSON.stringify([{ hang: true }]) } });
  await write('agents', 'hanging', { prompt: 'You wait.', model_ref: 'hanging' });
  await write('agent-systems', 'hanging', { agents: ['hanging'] });
  for (const name of ['deploy', 'brief']) {
    await write('tools', name, { type: 'http', endpoint: 'http://127.0.0.1:9/never', risk_level: 'low', description: name });
    await write('model-endpoints', name, {
      provider: 'mock',
      options: { script: JSON.stringify([{ text: 'let me see', tool: name, input: {} }]) },
    });
    await write('agents', name, { prompt: 'You call.', model_ref: name, tools: [name] });
    await write('agent-systems', name, { agents: [name] });
    const rule = { operation_class: '*', verdict: 'approval_required' };
    await write('tool-permissions', name, {
      tool_ref: name,
      operation_rules: [rule],
      ...(name === 'brief' && { approval: { ttl: '2s' } }),
    });
  }
});
afterAll(() => server.stop());
beforeAll(async () => {
  await write('model-endpoints', 'plain', { provider: 'mock', options: { script: JSON.stringify([{ text: 'a draft' }]) } });
  await write('agents', 'plain', { prompt: 'You write.', model_ref: 'plain' });
  await write('agent-systems', 'reviewed', { agents: ['plain'], completion_review: { checkpoint_id: 'final' } });
});

/** Keeps the only slot until it is cancelled. */
async function occupied<T>(name: string, work: () => Promise<T>): Promise<T> {
  await createTask(name, 'hanging');
  await expect.poll(async () => (await task(name))['phase']).toBe('Running');
  try {
    const value = await work();
    expect((await task(name))['phase']).toBe('Running');
    return value;
  } finally {
    await send('POST', `/v1/tasks/${name}/cancel`, {});
  }
}

test.each([
  ['denied', 'deploy', 'approval_denied'],
  ['expired', 'brief', 'approval_timeout'],
  ['denied', 'reviewed', 'approval_denied'],
])('a Task is Failed at once when its approval is %s (%s)', async (how, system, reason) => {
  const name = `alone-${how}-${system}`;
  await createTask(name, system);
  await expect.poll(async () => (await task(name))['phase']).toBe('WaitingApproval');
  const { kind, name: approval } = (await task(name))['blockedOn'] as { kind: string; name: string };
  const path = `/v1/${kind === 'TaskApproval' ? 'task' : 'tool'}-approvals/${approval}/deny`;
  await occupied(`busy-${how}-${system}`, async () => {
    if (how === 'denied') expect((await send('POST', path, {})).status).toBe(200);
    await expect.poll(() => task(name), { timeout: 8_000 }).toMatchObject({ phase: 'Failed', reason });
  });
});

test('a turn fails at once when its approval is denied, with the events of its end', async () => {
  await write('sessions', 'denied', { system: 'deploy' });
  const { turn } = (await submit('denied', 'deploy it', 'k1')).body;
  await expect.poll(() => phaseOf('denied')).toBe('WaitingApproval');
  const asked = (await eventsOf('denied')).findLast(({ type }) => type === 'approval.requested');
  await occupied('busy-turn', async () => {
    await send('POST', `/v1/tool-approvals/${String(asked?.payload['name'])}/deny`, {});
    await until('denied', 'turn.failed');
  });
  const events = (await eventsOf('denied')).filter(({ seq }) => seq > (asked?.seq ?? 0));
  expect(events.map(({ type }) => type)).toEqual(['approval.resolved', 'tool.completed', 'turn.failed']);
  expect(events).toMatchObject([
    { turn_id: turn.id, payload: { decision: 'denied' } },
    { turn_id: turn.id, payload: { error_code: 'approval_denied' } },
    { turn_id: turn.id, payload: { code: 'approval_denied' } },
  ]);
  expect(await phaseOf('denied')).toBe('Failed');
  expect((await send('GET', '/v1/sessions/denied/turns')).body.items).toMatchObject([{ phase: 'Failed', attempt: 1 }]);
});
