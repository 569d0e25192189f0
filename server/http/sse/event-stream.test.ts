// An SSE response on a real connection whose reader stops for a while. Node versions differ in the drain events of corked responses.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { EventStream } from './event-stream.ts';

const BATCHES = 40;
/** One frame that goes alone, and small ones that go together. */
const BATCH = [Buffer.alloc(200_000, 'x'), Buffer.from('a'), Buffer.from('b')];
const BATCH_BYTES = 200_002;
const LIMITS = { streamDurationMs: 60_000, streamBufferedMaxBytes: 1_000, streamSlowGraceMs: 10_000 };

let server: Server;
let reader: Socket;
afterEach(() => {
  reader.destroy();
  server.close();
});

/** A stream whose reader has taken nothing yet. */
async function opened(): Promise<EventStream> {
  server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  reader = connect((server.address() as AddressInfo).port, '127.0.0.1');
  reader.pause();
  reader.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [, response] = await once(server, 'request');
  return new EventStream(response, LIMITS, new AbortController());
}

/** Counts what arrives; the reader pauses after each chunk. */
function readSlowly(): () => number {
  let bytes = 0;
  reader.on('data', (chunk) => {
    bytes += chunk.length;
    reader.pause();
    setImmediate(() => reader.resume());
  });
  reader.resume();
  return () => bytes;
}

test.each(['send', 'sendInTime'] as const)('%s continues once its reader has caught up', async (send) => {
  const stream = await opened();
  const sending = (async () => {
    for (let n = 0; n < BATCHES; n += 1) if (!(await stream[send](BATCH))) return false;
    return true;
  })();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const received = readSlowly();
  expect(await sending).toBe(true);
  await expect.poll(received).toBeGreaterThan(BATCHES * BATCH_BYTES);
  expect(stream.closeReason).toBeUndefined();
  stream.close('task_finished');
});
