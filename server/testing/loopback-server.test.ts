// Clients of the scripted server that end early: a rejection without a handler would fail the run of another test.
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startLoopbackServer, text } from './loopback-server.ts';

test('a client that goes away in the middle of its body is no request', async () => {
  const server = await startLoopbackServer(text('ok'));
  const socket = connect(server.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n');
  await once(socket, 'data');
  socket.destroy();
  await expect.poll(() => server.connections()).toBe(0);
  expect(server.seen).toEqual([]);
  await server.close();
});
