// Memory of bodies that have not ended, whatever their clients send.
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { collectGarbage } from '../../testing/collect-garbage.ts';
import { readBody } from './read-body.ts';

const MIB = 1024 * 1024;

function begin(bodyMaxBytes = MIB) {
  const request = Object.assign(new PassThrough(), { headers: {} }) as PassThrough & IncomingMessage;
  const body = readBody(request, { bodyMaxBytes, bodyTimeoutMs: 30_000 });
  body.catch(() => undefined);
  return { request, body, send: (chunk: Buffer) => request.emit('data', chunk) };
}

test('returns the bytes of all chunks in their order', async () => {
  const { request, body, send } = begin();
  const sent = Array.from({ length: 1_000 }, (_, n) => Buffer.alloc(n % 7, n % 256));
  for (const chunk of sent) send(chunk);
  request.emit('end');
  expect((await body).equals(Buffer.concat(sent))).toBe(true);
});

test('a body in chunks of one byte takes a few times its size', async () => {
  collectGarbage();
  const before = process.memoryUsage();
  const { request, body, send } = begin();
  for (let n = 0; n < 500_000; n += 1) send(Buffer.of(n % 256));
  collectGarbage();
  const after = process.memoryUsage();
  expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(20 * MIB);
  request.emit('end');
  expect((await body).length).toBe(500_000);
});

test('refuses the oldest bodies with 503 when unfinished ones take too much memory', async () => {
  const chunk = Buffer.alloc(60 * MIB);
  const bodies = [1, 2, 3].map(() => begin(64 * MIB));
  for (const { send } of bodies) send(chunk);
  const [oldest, ...others] = bodies;
  await expect(oldest?.body).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
  for (const { request, body } of others) {
    request.emit('end');
    expect((await body).length).toBe(chunk.length);
  }
});
