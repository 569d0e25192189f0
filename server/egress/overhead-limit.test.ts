import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createEgress } from './create-egress.ts';
import { readText } from './response.ts';
import type { EgressRequest } from './egress.ts';

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

/** A server that writes bytes of its own; `answer` is called for each request. */
async function serve(answer: (socket: Socket) => void, open: (take: (socket: Socket) => void) => Server = createServer): Promise<number> {
  const server = open((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Writes the block until the connection ends. */
const flood =
  (block: string, head = '') =>
  (socket: Socket) => {
    socket.write(head);
    const push = () => {
      while (!socket.destroyed && socket.write(block));
      if (!socket.destroyed) socket.once('drain', push);
    };
    push();
  };

function call(port: number) {
  const egress = createEgress();
  onTestFinished(() => egress.close());
  const request: EgressRequest = {
    method: 'GET',
    url: `http://127.0.0.1:${port}/`,
    headers: {},
    signal: new AbortController().signal,
    allowPrivate: true,
    permittedBy: 'the switch',
  };
  return async () => readText(await egress.send(request), { maxBytes: 64 * 1024 * 1024, retryable: true, what: 'it' });
}

test.each([
  ['interim responses', flood('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000))],
  ['a chunk extension', flood('x'.repeat(65_536), `${CHUNKED}1;`)],
  ['chunks with extensions', flood(`1;${'x'.repeat(4_000)}\r\n \r\n`.repeat(16), CHUNKED)],
  ['chunks of one byte', flood('1\r\n \r\n'.repeat(10_000), CHUNKED)],
])('ends an answer of %s without an end', async (_title, answer) => {
  await expect(call(await serve(answer))()).rejects.toMatchObject({ code: 'execution_failed', reason: 'overhead', retryable: false });
});

test('takes an answer of short chunks', async () => {
  const body = `1\r\nx\r\n`.repeat(10_000) + `40\r\n${'y'.repeat(64)}\r\n`.repeat(100_000);
  const port = await serve((socket) => socket.write(`HTTP/1.1 103 Early Hints\r\n\r\n${CHUNKED}${body}0\r\n\r\n`));
  expect((await call(port)()).length).toBe(6_410_000);
});

test('counts each answer of a connection by itself', async () => {
  const size = 4 * 1024 * 1024;
  let connections = 0;
  const port = await serve(
    (socket) => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n${'x'.repeat(size)}`),
    (take) =>
      createServer((socket) => {
        connections += 1;
        take(socket);
      }),
  );
  const send = call(port);
  const lengths = [await send(), await send(), await send()].map((text) => text.length);
  expect([lengths, connections]).toEqual([[size, size, size], 1]);
});
