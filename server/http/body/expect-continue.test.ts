// Requests with `Expect: 100-continue`, as curl sends them for bodies above 1 MiB.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHttpFixture, type HttpFixture } from '../../testing/http-fixture.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttpFixture();
}, 60_000);
afterAll(() => http.close());

function open(path: string, headers: readonly string[]): Socket {
  const { hostname, port } = new URL(http.url);
  const socket = connect(Number(port), hostname);
  socket.setEncoding('latin1');
  const head = [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', 'Expect: 100-continue', ...headers];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  return socket;
}

async function all(socket: Socket): Promise<string> {
  let received = '';
  socket.on('data', (text: string) => (received += text));
  await once(socket, 'close');
  return received;
}

test.each([
  ['/v1/agents', ['Content-Length: 4194305'], 413],
  ['/v1/agents', ['Content-Length: 4194305', 'Connection: close'], 413],
  ['/v1/agents', ['Content-Length: 100', 'Content-Encoding: gzip'], 415],
  ['/trpc/resources.write', ['Content-Length: 99999999'], 413],
])('POST %s with %j is refused with %d in place of 100, and its connection ends', async (path, headers, status) => {
  expect(await all(open(path, headers))).toMatch(new RegExp(`^HTTP/1.1 ${status} .*Connection: close`, 's'));
});

test('a body that may come is requested, and then read', async () => {
  const body = JSON.stringify({ metadata: { name: 'asked' }, spec: { model_ref: 'm', prompt: 'p' } });
  const socket = open('/v1/agents', [`Content-Length: ${body.length}`, 'Connection: close']);
  expect(String(await once(socket, 'data'))).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  socket.write(body);
  expect(await all(socket)).toMatch(/^HTTP\/1.1 201 /);
});
