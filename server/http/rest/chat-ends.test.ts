// Chats whose connection the server refuses or ends, through the official OpenAI client.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import OpenAI from 'openai';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { SessionEvent } from '@svc/shared/api/sessions';
import type { Overrides } from '../../app.ts';
import { errorRecord } from '../../log/error-record.ts';
import { startHttpFixture } from '../../testing/http-fixture.ts';
import { startTestServer, type TestServer } from '../../testing/running-server.ts';
import { sessionClient } from '../../testing/session-client.ts';

let server: TestServer;
let dataDir: string;
const { send, write, phaseOf } = sessionClient(() => server.url);
const start = async (flags: readonly string[], overrides: Overrides = {}) =>
  (server = await startTestServer([...flags, '--data-dir', dataDir], {}, overrides));
beforeEach(async () => void (dataDir = await mkdtemp(join(tmpdir(), 'svcd-chat-'))));
afterEach(async () => {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const TEXT = 'one two three four five six seven eight nine ten';

async function writeSystem() {
  const script = JSON.stringify([{ text: TEXT, pieces: 10, piece_delay: '150ms' }]);
  await write('model-endpoints', 'slow', { provider: 'mock', options: { script } });
  await write('agents', 'slow', { model_ref: 'slow', prompt: 'You are slow.' });
  await write('agent-systems', 'slow', { agents: ['slow'] });
}

const sessions = async (): Promise<any[]> => (await send('GET', '/v1/sessions?namespace=default')).body;

async function ask(stream: boolean, model = 'slow') {
  const client = new OpenAI({ apiKey: 'none', baseURL: `${server.url}/v1`, maxRetries: 0 });
  const answer = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'hello' }], stream });
  if (!(Symbol.asyncIterator in answer)) return answer.choices[0]!.message.content;
  let text = '';
  for await (const chunk of answer) text += chunk.choices[0]!.delta.content ?? '';
  return text;
}

test('a stream above the limit of streams is refused before its run starts', async () => {
  await start(['--max-watches-per-ip', '1']);
  await writeSystem();
  const watch = new AbortController();
  await fetch(`${server.url}/v1/events/watch`, { signal: watch.signal });
  await expect(ask(true)).rejects.toMatchObject({ status: 429, type: 'rate_limit_error' });
  expect(await sessions()).toEqual([]);
  watch.abort();
  await expect.poll(() => ask(true, 'unknown').catch((error: unknown) => error)).toMatchObject({ status: 404 });
  expect(await ask(true)).toBe(TEXT);
});

test.each([
  [true, { status: undefined, message: expect.stringContaining('shutting down') as string, type: 'server_error' }],
  [false, { status: 503, message: expect.stringContaining('shutting down') as string, type: 'server_error' }],
])('a shutdown ends a chat with an error of the client and keeps its run, streamed: %s', async (stream, expected) => {
  await start(['--shutdown-grace', '400ms']);
  await writeSystem();
  const failed = ask(stream).catch((error: unknown) => error);
  await expect.poll(async () => (await sessions()).map(({ status }) => status.phase)).toEqual(['Running']);
  const [{ metadata }] = await sessions();
  await server.stop();
  expect(await failed).toMatchObject(expected);
  await start([]);
  await expect.poll(() => phaseOf(metadata.name)).toBe('Completed');
});

test.each([true, false])('a client that leaves before its Session exists cancels it, streamed: %s', async (stream) => {
  const steps = new EventEmitter();
  const [writing, gone] = [once(steps, 'writing'), once(steps, 'gone')];
  await start([], {
    async authorize({ resource }) {
      if (resource !== 'chat') return { allow: true };
      steps.emit('writing');
      await gone;
      return { allow: true };
    },
  });
  await writeSystem();
  const { hostname, port } = new URL(server.url);
  const body = JSON.stringify({ model: 'slow', messages: [{ role: 'user', content: 'hello' }], stream });
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await writing;
  socket.destroy();
  await once(socket, 'close');
  // The server has read the end of the connection before it answers another one.
  await send('GET', '/v1/capabilities');
  steps.emit('gone');
  await expect.poll(async () => (await sessions()).map(({ status }) => status.phase)).toEqual(['Cancelled']);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toContain('svc_http_open_streams{stream="session"} 0');
});

test('the answer of a chat is refused with 401 when its token was revoked meanwhile', async () => {
  await start([]);
  await writeSystem();
  const { token: admin } = (await send('POST', '/v1/tokens', { name: 'root', role: 'admin' })).body as { token: string };
  const as = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });
  const created = { method: 'POST', headers: as(admin), body: JSON.stringify({ name: 'guest', role: 'writer' }) };
  const { token: guest } = (await (await fetch(`${server.url}/v1/tokens`, created)).json()) as { token: string };
  const body = JSON.stringify({ model: 'slow', messages: [{ role: 'user', content: 'hello' }] });
  const pending = fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers: as(guest), body });
  const chats = async () => ((await (await fetch(`${server.url}/v1/sessions`, { headers: as(admin) })).json()) as unknown[]).length;
  await expect.poll(chats).toBe(1);
  await fetch(`${server.url}/v1/tokens/guest`, { method: 'DELETE', headers: as(admin) });
  const answer = await pending;
  expect([answer.status, await answer.text()]).toEqual([401, expect.stringContaining('invalid_api_key')]);
});

test('a streamed chat is abandoned when its token was revoked before the stream', async () => {
  const admin = { identity: { method: 'bearer', name: 'root', role: 'admin' }, requestId: 'r' } as const;
  const abandoned: unknown[] = [];
  const chat = { session: { namespace: 'default', name: 'chat', uid: 'u' }, created: 0, answersAtOnce: true, isShared: false };
  const http = await startHttpFixture({
    chats: {
      async start() {
        await http.auth.deleteToken(admin, 'guest');
        const now = performance.now.bind(performance);
        // A caller is authenticated again after a second.
        vi.spyOn(performance, 'now').mockImplementation(() => now() + 2_000);
        return chat;
      },
      follow: async function* () {},
      abandon: async (_context, which) => void abandoned.push(which),
    },
  });
  onTestFinished(() => void vi.restoreAllMocks());
  onTestFinished(() => http.close());
  await http.auth.createToken(admin, { name: 'root', role: 'admin' });
  const { token } = await http.auth.createToken(admin, { name: 'guest', role: 'writer' });
  const body = { model: 'writer', messages: [{ role: 'user', content: 'hello' }], stream: true };
  const headers = { authorization: `Bearer ${token}` };
  expect(await http.send('POST', '/v1/chat/completions', { body, headers })).toMatchObject({ status: 401 });
  expect(abandoned).toEqual([chat]);
});

test('a chat whose run failed is logged as news, without a stack', async () => {
  const failed = { type: 'turn.failed', payload: { error: 'the model is overloaded' } } as unknown as SessionEvent;
  const http = await startHttpFixture({
    chats: {
      start: async () => ({
        session: { namespace: 'default', name: 'chat', uid: 'u' },
        created: 0,
        answersAtOnce: true,
        isShared: false,
      }),
      follow: async function* () {
        yield { items: [failed], more: false };
      },
      abandon: async () => undefined,
    },
  });
  const body = { model: 'writer', messages: [{ role: 'user', content: 'hello' }] };
  expect(await http.send('POST', '/v1/chat/completions', { body })).toMatchObject({
    status: 500,
    body: { error: { type: 'server_error' } },
  });
  const [line] = http.logged.filter(({ message }) => message === 'request failed');
  expect([line?.level, errorRecord(line?.fields.err)]).toEqual([
    'info',
    { type: 'ServiceError', message: 'the model is overloaded', code: 'internal' },
  ]);
  await http.close();
});
