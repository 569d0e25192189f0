import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { arrayReply, type PageOf } from './array-stream.ts';

const item = 'x'.repeat(70_000);

/** A response that needs a drain after every write. */
function slowResponse(): { response: ServerResponse; stream: PassThrough } {
  const stream = new PassThrough({ highWaterMark: 1 });
  return { stream, response: Object.assign(stream, { writeHead: () => stream }) as unknown as ServerResponse };
}

function pages(count: number): PageOf<string> {
  return { items: [item, item], next: count > 1 ? async () => pages(count - 1) : undefined };
}

test('waits for a slow reader without gathering listeners', async () => {
  const { response, stream } = slowResponse();
  const listeners = () => ['drain', 'close', 'error'].map((name) => stream.listenerCount(name));
  const received = text(stream);
  const before = listeners();
  await arrayReply(pages(20)).write(response);
  expect(listeners()).toEqual(before);
  expect(JSON.parse(await received)).toEqual(Array.from({ length: 40 }, () => item));
});

test('stops reading pages when the reader has disconnected', async () => {
  const { response, stream } = slowResponse();
  const endless = (): PageOf<string> => ({ items: [item], next: async () => endless() });
  const written = arrayReply(endless()).write(response);
  stream.destroy();
  await written;
});

test('reads no further page for a caller whose token was revoked', async () => {
  const { response, stream } = slowResponse();
  stream.resume();
  let read = 0;
  const endless = (): PageOf<string> => ({
    items: [item],
    next: async () => {
      read += 1;
      return endless();
    },
  });
  const written = arrayReply(endless()).write(response, () => (read < 2 ? Promise.resolve() : Promise.reject(new Error('revoked'))));
  await expect(written).rejects.toThrow('revoked');
  expect(read).toBe(2);
});
