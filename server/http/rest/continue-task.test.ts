// Continuing a trial over REST on a whole server: the Task continues, refusals carry their codes.
import { beforeAll, expect, test, vi } from 'vitest';
import { atFileEnd } from '../../testing/file-end.ts';
import { startTestServer } from '../../testing/running-server.ts';

const WRITER = 'writer-token-0123456789';
const READER = 'reader-token-0123456789';

let url: string;

async function send(path: string, body?: unknown, token = WRITER): Promise<{ status: number; body: any }> {
  const answer = await fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

async function put(plural: string, name: string, spec: object): Promise<void> {
  const { status, body } = await send(`/v1/${plural}`, { metadata: { name }, spec });
  expect(status, JSON.stringify(body)).toBe(201);
}

const statusOnce = (name: string, expected: object) =>
  vi.waitFor(async () => expect((await send(`/v1/tasks/${name}`)).body.status).toMatchObject(expected), { timeout: 20_000, interval: 50 });

/** A trial that waits before its agent. */
async function waitingTrial(name: string): Promise<void> {
  await put('tasks', name, { system: 'desk', input: { topic: 'tea' }, trial: { breakpoints: [{ node: 'assistant', at: 'before' }] } });
  await statusOnce(name, { phase: 'Running', trial: 'true', blockedOn: { kind: 'Breakpoint', name: 'assistant' } });
}

beforeAll(async () => {
  const server = await startTestServer([], { SVC_API_TOKENS: `w:${WRITER}:admin,r:${READER}:reader` });
  atFileEnd(server.stop);
  ({ url } = server);
  await put('model-endpoints', 'model', { provider: 'mock', default_model: 'mock' });
  await put('agents', 'assistant', { prompt: 'You help.', model_ref: 'model' });
  await put('agent-systems', 'desk', { agents: ['assistant'] });
});

test('continue answers 200 with the Task, which then succeeds, and 409 once it has ended', async () => {
  await waitingTrial('goes-on');
  const continued = await send('/v1/tasks/goes-on/continue', { input: 'another question' });
  expect(continued).toMatchObject({ status: 200, body: { kind: 'Task', metadata: { name: 'goes-on' } } });
  await statusOnce('goes-on', { phase: 'Succeeded' });
  expect(await send('/v1/tasks/goes-on/continue', {})).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
});

test('lists filter by the field status.trial', async () => {
  await waitingTrial('listed');
  await put('tasks', 'plain', { system: 'desk' });
  const named = async (selector: string) => {
    const { status, body } = await send(`/v1/tasks?fieldSelector=${encodeURIComponent(selector)}`);
    expect(status).toBe(200);
    return body.map((item: { metadata: { name: string } }) => item.metadata.name);
  };
  const trials = await named('status.trial=true');
  expect(trials).toContain('listed');
  expect(trials).not.toContain('plain');
  expect(await named('status.trial!=true')).toEqual(['plain']);
});

test('continue of an absent Task answers 404', async () => {
  expect(await send('/v1/tasks/absent/continue', {})).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
});

test('continue by a reader answers 403 and leaves the run waiting', async () => {
  await waitingTrial('guarded');
  expect((await send('/v1/tasks/guarded/continue', {}, READER)).status).toBe(403);
  expect((await send('/v1/tasks/guarded')).body.status).toMatchObject({ blockedOn: { kind: 'Breakpoint', name: 'assistant' } });
});

test.each([
  [{ output: 'x' }, 'output'],
  [{ input: 3 }, 'input'],
  [{ end: 'yes' }, 'end'],
  [{ inputs: 'x' }, 'inputs'],
])('continue with %j answers 400 and names %s', async (body, field) => {
  const name = `refused-${field}`;
  await waitingTrial(name);
  const refused = await send(`/v1/tasks/${name}/continue`, body);
  expect(refused.status).toBe(400);
  expect(refused.body.error.message).toContain(field);
});
