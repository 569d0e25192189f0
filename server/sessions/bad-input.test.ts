// Refusals of Sessions over REST: each is a 4xx with a code and a sentence, and leaves the Session as it was.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/running-server.ts';
import { sessionClient } from '../testing/session-client.ts';

let server: TestServer;
let checkpoint: string;
const { send, write, submit, until, checkpointsOf, eventsOf } = sessionClient(() => server.url);

beforeAll(async () => {
  server = await startTestServer();
  await write('model-endpoints', 'model', { provider: 'mock', default_model: 'mock' });
  await write('agents', 'assistant', { prompt: 'You help.', model_ref: 'model' });
  await write('agent-systems', 'chat', { agents: ['assistant'] });
  for (const name of ['open', 'over']) {
    await write('sessions', name, { system: 'chat' });
    await submit(name, 'hello', 'known');
    await until(name, 'turn.completed');
  }
  await send('POST', '/v1/sessions/over/cancel');
  checkpoint = String((await checkpointsOf('open'))[0]?.['id']);
});
afterAll(() => server?.stop());

let before: string;
const stored = async () =>
  JSON.stringify([
    await eventsOf('open'),
    await eventsOf('over'),
    (await send('GET', '/v1/sessions')).body,
    (await send('GET', '/v1/tasks')).body,
  ]);
beforeEach(async () => {
  before = await stored();
});

interface Refused {
  readonly title: string;
  readonly status: number;
  readonly sent: readonly [method: string, path: string, body?: unknown];
  readonly key?: string;
}

const TURNS = '/v1/sessions/open/turns';
const AT = '/v1/sessions/open/checkpoints/CHECKPOINT';
const FORK = `${AT}/fork`;
const REWIND = `${AT}/rewind`;
const NOBODY = '/v1/sessions/nobody';
const OVER = '/v1/sessions/over';

const REFUSED: readonly Refused[] = [
  { title: 'a turn without a key', status: 400, sent: ['POST', TURNS, { content: 'x' }] },
  { title: 'a key of 256 characters', status: 400, sent: ['POST', TURNS, { content: 'x' }], key: 'k'.repeat(256) },
  { title: 'a key with a space', status: 400, sent: ['POST', TURNS, { content: 'x' }], key: 'one two' },
  { title: 'a known key with another content', status: 409, sent: ['POST', TURNS, { content: 'other' }], key: 'known' },
  { title: 'an empty content', status: 400, sent: ['POST', TURNS, { content: '' }], key: 'k' },
  { title: 'a content of spaces', status: 400, sent: ['POST', TURNS, { content: ' \n ' }], key: 'k' },
  { title: 'a content above 256 KiB', status: 413, sent: ['POST', TURNS, { content: 'é'.repeat(128 * 1024 + 1) }], key: 'k' },
  { title: 'a content that is no text', status: 400, sent: ['POST', TURNS, { content: ['x'] }], key: 'k' },
  { title: 'a turn without content', status: 400, sent: ['POST', TURNS, {}], key: 'k' },
  { title: 'an unknown Session', status: 404, sent: ['POST', '/v1/sessions/nobody/turns', { content: 'x' }], key: 'k' },
  { title: 'events of an unknown Session', status: 404, sent: ['GET', '/v1/sessions/nobody/events'] },
  { title: 'a turn of a Session that has ended', status: 409, sent: ['POST', '/v1/sessions/over/turns', { content: 'x' }], key: 'k' },
  { title: 'a pause of a Session that has ended', status: 409, sent: ['POST', '/v1/sessions/over/pause'] },
  { title: 'a resume of a Session that waits', status: 409, sent: ['POST', '/v1/sessions/open/resume'] },
  { title: 'events after a cursor of the future', status: 400, sent: ['GET', '/v1/sessions/open/events?after=999999'] },
  { title: 'a stream after a cursor of the future', status: 400, sent: ['GET', '/v1/sessions/open/stream?after=999999'] },
  { title: 'a cursor that is no number', status: 400, sent: ['GET', '/v1/sessions/open/events?after=soon'] },
  { title: 'a fork without a name', status: 400, sent: ['POST', FORK, {}] },
  { title: 'a fork with a name that no object may have', status: 400, sent: ['POST', FORK, { name: 'No Spaces!' }] },
  { title: 'a fork with a name that is taken', status: 409, sent: ['POST', FORK, { name: 'over' }] },
  {
    title: 'a fork that overrides an unknown agent',
    status: 400,
    sent: ['POST', FORK, { name: 'new', overrides: { model: { nobody: 'model' } } }],
  },
  { title: 'a fork from an unknown checkpoint', status: 404, sent: ['POST', '/v1/sessions/open/checkpoints/ckpt-1/fork', { name: 'new' }] },
  { title: 'an empty key', status: 400, sent: ['POST', TURNS, { content: 'x' }], key: '' },
  { title: 'a turn that is a list', status: 400, sent: ['POST', TURNS, ['x']], key: 'k' },
  { title: 'an interrupt that is no truth value', status: 400, sent: ['POST', TURNS, { content: 'x', interrupt: 'yes' }], key: 'k' },
  {
    title: 'a turn of a Session name that no object may have',
    status: 400,
    sent: ['POST', '/v1/sessions/No%20Name/turns', { content: 'x' }],
    key: 'k',
  },
  {
    title: 'a turn of a namespace that no object may have',
    status: 400,
    sent: ['POST', `${TURNS}?namespace=No%20Name`, { content: 'x' }],
    key: 'k',
  },
  { title: 'turns of an unknown Session', status: 404, sent: ['GET', `${NOBODY}/turns`] },
  { title: 'a stream of an unknown Session', status: 404, sent: ['GET', `${NOBODY}/stream`] },
  { title: 'checkpoints of an unknown Session', status: 404, sent: ['GET', `${NOBODY}/checkpoints`] },
  { title: 'turns after a cursor that is no number', status: 400, sent: ['GET', `${TURNS}?after=soon`] },
  { title: 'turns in pages of zero', status: 400, sent: ['GET', `${TURNS}?limit=0`] },
  { title: 'events in pages above 1000', status: 400, sent: ['GET', '/v1/sessions/open/events?limit=1001'] },
  { title: 'a negative cursor', status: 400, sent: ['GET', '/v1/sessions/open/events?after=-1'] },
  ...['pause', 'resume', 'cancel', 'complete'].flatMap((control) => [
    { title: `${control} of an unknown Session`, status: 404, sent: ['POST', `${NOBODY}/${control}`] as const },
    { title: `${control} of a Session that has ended`, status: 409, sent: ['POST', `${OVER}/${control}`] as const },
    {
      title: `${control} for a reason that is no text`,
      status: 400,
      sent: ['POST', `/v1/sessions/open/${control}`, { reason: 7 }] as const,
    },
  ]),
  { title: 'an unknown checkpoint', status: 404, sent: ['GET', '/v1/sessions/open/checkpoints/ckpt-1'] },
  { title: 'a replay of an unknown checkpoint', status: 404, sent: ['GET', '/v1/sessions/open/checkpoints/ckpt-1/replay'] },
  { title: 'a replay after a cursor that is no number', status: 400, sent: ['GET', `${AT}/replay?after=soon`] },
  { title: 'a comparison without the other checkpoint', status: 400, sent: ['GET', `${AT}/diff`] },
  { title: 'a checkpoint of another Session', status: 404, sent: ['GET', `${OVER}/checkpoints/CHECKPOINT`] },
  { title: 'a rewind of another Session to the checkpoint', status: 404, sent: ['POST', `${OVER}/checkpoints/CHECKPOINT/rewind`, {}] },
  { title: 'a rewind whose resume is no truth value', status: 400, sent: ['POST', REWIND, { resume: 'yes' }] },
  { title: 'a rewind that is a list', status: 400, sent: ['POST', REWIND, []] },
  { title: 'a fork whose name is a number', status: 400, sent: ['POST', FORK, { name: 7 }] },
  { title: 'a fork with an empty name', status: 400, sent: ['POST', FORK, { name: '' }] },
  { title: 'a fork with a name of 300 characters', status: 400, sent: ['POST', FORK, { name: 'n'.repeat(300) }] },
  { title: 'a fork into a namespace without the system', status: 400, sent: ['POST', FORK, { name: 'new', namespace: 'elsewhere' }] },
  { title: 'a fork whose overrides are a text', status: 400, sent: ['POST', FORK, { name: 'new', overrides: 'model' }] },
  { title: 'a fork whose model is empty', status: 400, sent: ['POST', FORK, { name: 'new', overrides: { model: '' } }] },
  { title: 'a fork whose model is a number', status: 400, sent: ['POST', FORK, { name: 'new', overrides: { model: 7 } }] },
  {
    title: 'a fork with the model of an agent as a list',
    status: 400,
    sent: ['POST', FORK, { name: 'new', overrides: { model: { assistant: ['m'] } } }],
  },
  {
    title: 'a fork with the prompt of an unknown agent',
    status: 400,
    sent: ['POST', FORK, { name: 'new', overrides: { prompt: { nobody: 'p' } } }],
  },
  {
    title: 'a strict turn with an unknown field',
    status: 400,
    sent: ['POST', `${TURNS}?fieldValidation=Strict`, { content: 'x', foo: 1 }],
    key: 'k',
  },
  {
    title: 'a strict pause with an unknown field',
    status: 400,
    sent: ['POST', '/v1/sessions/open/pause?fieldValidation=Strict', { foo: 1 }],
  },
  { title: 'a strict rewind with an unknown field', status: 400, sent: ['POST', `${REWIND}?fieldValidation=Strict`, { foo: 1 }] },
  { title: 'a strict fork with an unknown field', status: 400, sent: ['POST', `${FORK}?fieldValidation=Strict`, { name: 'new', foo: 1 }] },
  {
    title: 'a strict fork with an unknown override',
    status: 400,
    sent: ['POST', `${FORK}?fieldValidation=Strict`, { name: 'new', overrides: { bar: 1 } }],
  },
  { title: 'a turn whose content is null', status: 400, sent: ['POST', TURNS, { content: null }], key: 'k' },
  { title: 'a rewind to an unknown checkpoint', status: 404, sent: ['POST', '/v1/sessions/open/checkpoints/ckpt-1/rewind', {}] },
];

test.each(REFUSED)('$title is refused with $status and writes nothing', async ({ status, sent, key }) => {
  const [method, path, body] = sent;
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  const answer = await send(method, path.replace('CHECKPOINT', checkpoint), body, headers);
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  expect(answer.body.error.code).toMatch(/^[a-z_]+$/);
  expect(answer.body.error.message.length).toBeGreaterThan(10);
  expect(await stored()).toBe(before);
});

test.each([
  ['no messages', { model: 'chat' }],
  ['messages that are no list', { model: 'chat', messages: 'hello' }],
  ['an unknown role', { model: 'chat', messages: [{ role: 'wizard', content: 'x' }] }],
  ['a content that is a number', { model: 'chat', messages: [{ role: 'user', content: 7 }] }],
  ['an image', { model: 'chat', messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] }],
  ['an answer as the last message', { model: 'chat', messages: [{ role: 'assistant', content: 'x' }] }],
  ['an empty last message', { model: 'chat', messages: [{ role: 'user', content: '' }] }],
  ['a body that is a list', []],
  ['no model', { messages: [{ role: 'user', content: 'x' }] }],
  ['a model that is a number', { model: 7, messages: [{ role: 'user', content: 'x' }] }],
  ['a model name that no object may have', { model: 'No Name', messages: [{ role: 'user', content: 'x' }] }],
  ['an empty list of messages', { model: 'chat', messages: [] }],
  ['a message that is a text', { model: 'chat', messages: ['x'] }],
  ['a role of the prototype', { model: 'chat', messages: [{ role: 'constructor', content: 'x' }] }],
  [
    'a message of a tool',
    {
      model: 'chat',
      messages: [
        { role: 'tool', content: 'x' },
        { role: 'user', content: 'x' },
      ],
    },
  ],
  ['no content', { model: 'chat', messages: [{ role: 'user' }] }],
  ['a content of null', { model: 'chat', messages: [{ role: 'user', content: null }] }],
  ['a text part without text', { model: 'chat', messages: [{ role: 'user', content: [{ type: 'text' }] }] }],
  ['a part that is null', { model: 'chat', messages: [{ role: 'user', content: [null] }] }],
  ['two answers', { model: 'chat', n: 2, messages: [{ role: 'user', content: 'x' }] }],
  ['a message above 256 KiB', { model: 'chat', messages: [{ role: 'user', content: 'x'.repeat(256 * 1024 + 1) }] }],
  ['a model of another namespace that has none', { model: 'elsewhere/chat', messages: [{ role: 'user', content: 'x' }] }],
  ['an unknown model', { model: 'nobody', messages: [{ role: 'user', content: 'x' }] }],
])('a chat with %s is refused with a 4xx and writes nothing', async (_, body) => {
  const answer = await send('POST', '/v1/chat/completions', body);
  expect(answer.status, JSON.stringify(answer.body)).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  expect(answer.body.error.message.length).toBeGreaterThan(10);
  expect(await stored()).toBe(before);
});

test.each([
  ['a key with a space', 'one two'],
  ['a key of 256 characters', 'k'.repeat(256)],
])('a chat with %s is refused with 400 and writes nothing', async (_, key) => {
  const body = { model: 'chat', messages: [{ role: 'user', content: 'x' }] };
  const answer = await send('POST', '/v1/chat/completions', body, { 'idempotency-key': key });
  expect(answer.status, JSON.stringify(answer.body)).toBe(400);
  expect(answer.body.error.type).toBe('invalid_request_error');
  expect(await stored()).toBe(before);
});

test('a chat under a known key with other messages is refused with 409 and writes nothing', async () => {
  const chat = (content: string) => ({ model: 'chat', messages: [{ role: 'user', content }] });
  expect((await send('POST', '/v1/chat/completions', chat('first'), { 'idempotency-key': 'chat-key' })).status).toBe(200);
  const after = await stored();
  const answer = await send('POST', '/v1/chat/completions', chat('other'), { 'idempotency-key': 'chat-key' });
  expect(answer.status, JSON.stringify(answer.body)).toBe(409);
  expect(await stored()).toBe(after);
});
