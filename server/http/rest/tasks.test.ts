import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import { request } from 'undici';
import type { RunService } from '../../engine/runs/run-service.ts';
import { startHttpFixture, type HttpFixture } from '../../testing/http-fixture.ts';

let http: HttpFixture;
let asked: unknown[] = [];
const call = { request_id: 'req-1', step_id: 'a001.s0001', attempt: 1, step: 1, branch_id: 'b001', agent: 'writer' };
let seeText: () => void = () => undefined;
const textSeen = new Promise<void>((resolve) => (seeText = resolve));
let textEnded: () => void = () => undefined;
const answer =
  (name: string) =>
  async (_context: unknown, ...rest: unknown[]): Promise<any> => {
    asked.push([name, ...rest]);
    return { from: name };
  };

const runs: Partial<RunService> = {
  cancel: answer('cancel'),
  retry: answer('retry'),
  logs: answer('logs'),
  agentLogs: answer('agentLogs'),
  messages: answer('messages'),
  metrics: answer('metrics'),
  trace: answer('trace'),
  explain: answer('explain'),
  async followTrace(_context, task, { after }) {
    asked.push(['followTrace', task, after]);
    if (task.name === 'absent') throw new ServiceError('not_found', 'Task default/absent does not exist');
    return (async function* () {
      yield [
        { cursor: '1.1', entry: { type: 'task_start' } },
        { cursor: '2.1', entry: { type: 'agent_start' } },
      ];
      if (task.name === 'speaking') await textSeen;
      yield [{ cursor: '3.1', entry: { type: 'task_summary' } }];
    })();
  },
  async followText(_context, task, signal) {
    return (async function* () {
      if (task.name === 'speaking')
        yield [
          { ...call, at: 0, text: 'Once upon' },
          { ...call, reset: 'taken_back' as const },
        ];
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      textEnded();
    })();
  },
};

beforeAll(async () => {
  http = await startHttpFixture({ runs });
});
beforeEach(() => {
  asked = [];
});
afterAll(() => http.close());

const t = { namespace: 'default', name: 't' };

test.each([
  ['POST', '/v1/tasks/t/cancel', undefined, ['cancel', t, undefined], 200],
  ['POST', '/v1/tasks/t/cancel?namespace=n', { reason: 'late' }, ['cancel', { ...t, namespace: 'n' }, 'late'], 200],
  ['POST', '/v1/tasks/t/retry', {}, ['retry', t, { input: undefined }], 201],
  ['POST', '/v1/tasks/t/retry', { input: { a: 'b' } }, ['retry', t, { input: { a: 'b' } }], 201],
  ['GET', '/v1/tasks/t/logs?after=c', undefined, ['logs', t, 'c'], 200],
  ['GET', '/v1/agents/t/logs', undefined, ['agentLogs', t, undefined], 200],
  [
    'GET',
    '/v1/tasks/t/messages?phase=Queued&from_agent=a&limit=5',
    undefined,
    ['messages', t, { phase: 'Queued', from_agent: 'a', limit: 5 }],
    200,
  ],
  ['GET', '/v1/tasks/t/metrics', undefined, ['metrics', t], 200],
  ['GET', '/v1/tasks/t/trace', undefined, ['trace', t, { after: undefined }], 200],
  ['GET', '/v1/tasks/t/explain', undefined, ['explain', t], 200],
])('%s %s calls the run service', async (method, path, body, expected, status) => {
  const { status: got, body: answered } = await http.send(method, path, { body });
  expect({ got, answered, asked }).toEqual({ got: status, answered: { from: expected[0] }, asked: [expected] });
});

test.each([
  ['/v1/tasks/t/cancel', { reason: 3 }, 'reason'],
  ['/v1/tasks/t/cancel', [], 'object'],
  ['/v1/tasks/t/cancel', '{', 'JSON'],
  ['/v1/tasks/t/retry', { input: { a: 1 } }, 'input.a'],
  ['/v1/tasks/t/retry', { input: [] }, 'input'],
])('POST %s refuses %j', async (path, body, named) => {
  const { status, body: answered } = await http.send('POST', path, { body, headers: { 'content-type': 'application/json' } });
  expect({ status, asked }).toEqual({ status: 400, asked: [] });
  expect(answered.error.message).toContain(named);
});

test('the trace stream sends entries with their cursors and ends with the task', async () => {
  const { body } = await request(`${http.url}/v1/tasks/t/trace/stream?after=x`, { headers: { 'last-event-id': '0.9' } });
  expect(await body.text()).toBe(
    'id: 1.1\nevent: trace\ndata: {"type":"task_start"}\n\nid: 2.1\nevent: trace\ndata: {"type":"agent_start"}\n\n' +
      'id: 3.1\nevent: trace\ndata: {"type":"task_summary"}\n\nevent: close\ndata: {"reason":"task_finished"}\n\n',
  );
  expect(asked).toEqual([['followTrace', t, '0.9']]);
});

test('the trace stream of an absent task is 404', async () => {
  expect((await http.send('GET', '/v1/tasks/absent/trace/stream')).status).toBe(404);
});

test('the trace stream carries the text of running calls as events of their own, without an id, until the run ends', async () => {
  const ended = new Promise<void>((resolve) => (textEnded = resolve));
  const { body } = await request(`${http.url}/v1/tasks/speaking/trace/stream`);
  let text = '';
  for await (const chunk of body) {
    text += String(chunk);
    if (text.includes('taken_back')) seeText();
  }
  const events = text.split('\n\n').filter((event) => event.includes('event: delta'));
  expect(events).toEqual([
    `event: delta\ndata: ${JSON.stringify({ ...call, at: 0, text: 'Once upon' })}`,
    `event: delta\ndata: ${JSON.stringify({ ...call, reset: 'taken_back' })}`,
  ]);
  expect(text).toContain('event: close\ndata: {"reason":"task_finished"}');
  await ended;
});
