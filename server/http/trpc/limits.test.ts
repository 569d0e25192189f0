// Requests that the console's surface refuses, so that one caller cannot cost the server more than a call: streams outside of a socket, too many on one, bottomless JSON.
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startHttpFixture, type HttpFixture } from '../../testing/http-fixture.ts';

async function setup(): Promise<HttpFixture> {
  const server = await startHttpFixture({});
  onTestFinished(() => server.close());
  return server;
}

test.each(['live.changes', 'live.events'])('%s cannot be streamed over HTTP, where no cap and no revocation apply', async (path) => {
  const server = await setup();
  const { text } = await server.send('GET', `/trpc/${path}?input=%7B%7D`);
  expect(text).toContain('over the WebSocket');
  expect(text).not.toContain('synced');
});

test('input nested without end, or with an unpaired surrogate, is refused as invalid and not reported as a defect', async () => {
  const server = await setup();
  const deep = '['.repeat(50_000) + ']'.repeat(50_000);
  const request = `{"kind":"ToolApproval","namespace":"default","name":"a","uid":"x","decision":"approved","input":{"a":${deep}}}`;
  const half = '{"kind":"ToolApproval","namespace":"default","name":"a","uid":"x","decision":"denied","comment":"\\ud800"}';
  for (const body of [request, half]) {
    const headers = { 'content-type': 'application/json', origin: server.url };
    const response = await fetch(`${server.url}/trpc/approvals.decide`, { method: 'POST', headers, body });
    const { error } = (await response.json()) as { error: { data: { error: { code: string } } } };
    expect([response.status, error.data.error.code]).toEqual([400, 'invalid']);
  }
  expect(server.logged.filter(({ level }) => level === 'error')).toEqual([]);
});

test('one socket follows a few streams, and has room again when one of them ends', async () => {
  const server = await setup();
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/trpc`, { headers: { origin: server.url } });
  onTestFinished(() => void socket.terminate());
  const messages: { id: number; error?: { data: { error: { code: string } } }; result?: { type: string } }[] = [];
  socket.on('message', (data: Buffer) => {
    const text = data.toString();
    if (text.startsWith('{')) messages.push(JSON.parse(text) as (typeof messages)[number]);
  });
  await once(socket, 'open');
  const follow = (id: number) => socket.send(JSON.stringify({ id, method: 'subscription', params: { path: 'live.changes', input: {} } }));
  const refused = () => messages.flatMap(({ id, error }) => (error ? [[id, error.data.error.code]] : []));
  const following = () => messages.filter(({ result }) => result?.type === 'data').map(({ id }) => id);
  for (let id = 1; id <= 33; id += 1) follow(id);
  await expect.poll(refused).toEqual([[33, 'rate_limited']]);
  await expect.poll(following).toHaveLength(32);
  socket.send(JSON.stringify({ id: 1, method: 'subscription.stop' }));
  await expect.poll(() => messages.some(({ id, result }) => id === 1 && result?.type === 'stopped')).toBe(true);
  follow(40);
  await expect.poll(following).toContain(40);
});

test('a call that is not JSON is refused as what it is', async () => {
  const server = await setup();
  const headers = { 'content-type': 'text/plain', origin: server.url };
  const response = await fetch(`${server.url}/trpc/preferences.set`, { method: 'POST', headers, body: '{}' });
  const { error } = (await response.json()) as { error: { data: { error: { code: string } } } };
  expect([response.status, error.data.error.code]).toEqual([415, 'unsupported_media_type']);
});

test('a frame begins as many streams as one socket may follow, and no more', async () => {
  const server = await setup();
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/trpc`, { headers: { origin: server.url } });
  onTestFinished(() => void socket.terminate());
  const following = new Set<number>();
  const refusals: string[] = [];
  socket.on('message', (data: Buffer) => {
    const text = data.toString();
    if (!text.startsWith('{')) return;
    const { id, result, error } = JSON.parse(text) as { id: number; result?: { type: string }; error?: { message: string } };
    if (result?.type === 'data') following.add(id);
    if (error) refusals.push(error.message);
  });
  await once(socket, 'open');
  const frame = (from: number, count: number) =>
    JSON.stringify(
      Array.from({ length: count }, (_, i) => ({ id: from + i, method: 'subscription', params: { path: 'live.changes', input: {} } })),
    );
  socket.send(frame(100, 33));
  await expect.poll(() => refusals).toEqual(['A frame holds 32 messages at most']);
  expect(following.size).toBe(0);
  socket.send(frame(1, 32));
  await expect.poll(() => following.size).toBe(32);
});

test('a frame past the limit ends its socket with code 1009 and logs no error', async () => {
  const server = await setup();
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/trpc`, { headers: { origin: server.url } });
  onTestFinished(() => void socket.terminate());
  await once(socket, 'open');
  const closed = once(socket, 'close');
  socket.send('x'.repeat(5 * 1024 * 1024));
  expect((await closed)[0]).toBe(1009);
  await expect.poll(() => server.logged.some(({ message }) => message === 'call refused')).toBe(true);
  expect(server.logged.filter(({ level }) => level === 'error')).toEqual([]);
});

test('a client that leaves in the middle of its body logs no error', async () => {
  const server = await setup();
  const client = connect(Number(new URL(server.url).port), '127.0.0.1');
  onTestFinished(() => void client.destroy());
  client.write(
    'POST /trpc/resources.write HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"kind":',
  );
  client.end();
  await expect.poll(() => server.logged.length).toBeGreaterThan(0);
  expect(server.logged).toMatchObject([{ level: 'debug', message: 'call refused' }]);
});
