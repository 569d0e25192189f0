// A first request that comes late: the head has its time from its first byte, not from the connection.
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { UnusedConnections } from './unused-connections.ts';

const HEAD_MS = 100;

async function start(waitMs: number): Promise<{ readonly open: () => Socket; readonly expired: Promise<unknown> }> {
  const server: Server = createServer({ headersTimeout: HEAD_MS, connectionsCheckingInterval: 20 }, (_, response) => response.end('ok'));
  const unused = new UnusedConnections(server, waitMs);
  const expired = new Promise((resolve) => {
    server.on('clientError', (error, socket: Socket) => {
      if (!unused.keep(socket)) socket.end('HTTP/1.1 408 Request Timeout\r\n\r\n');
      resolve(error);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    unused.destroyAll();
    server.closeAllConnections();
    server.close();
  });
  return { open: () => connect((server.address() as AddressInfo).port, '127.0.0.1'), expired };
}

function textOf(socket: Socket): () => string {
  let text = '';
  socket.on('data', (data) => (text += String(data)));
  return () => text;
}

test('a request on a connection that waited past the time of a head is answered', async () => {
  const { open, expired } = await start(60_000);
  const socket = open();
  const text = textOf(socket);
  await expired;
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(text).toMatch(/^HTTP\/1.1 200/);
  socket.destroy();
});

test('a late head that is not completed is refused with 408', async () => {
  const { open, expired } = await start(60_000);
  const socket = open();
  const text = textOf(socket);
  await expired;
  socket.write('GET / HT');
  await expect.poll(text).toMatch(/^HTTP\/1.1 408/);
});

test('a connection that never brings a request is closed without an answer', async () => {
  const { open, expired } = await start(100);
  const socket = open();
  const text = textOf(socket);
  await expired;
  await expect.poll(() => socket.closed).toBe(true);
  expect(text()).toBe('');
});

test('a connection in use is not closed with the unused ones', async () => {
  const { open, expired } = await start(HEAD_MS);
  const socket = open();
  const text = textOf(socket);
  await expired;
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(text).toMatch(/^HTTP\/1.1 200/);
  await sleep(3 * HEAD_MS);
  expect(socket.closed).toBe(false);
  socket.destroy();
});
