import { expect, test } from 'vitest';
import { refusal } from '../testing/fake-link.ts';
import { RequestKeys } from './request-keys.ts';

test('a request without an answer is repeated with the same key until one arrives', async () => {
  const keys = new RequestKeys();
  const sent: string[] = [];
  const send = (what: string, error?: Error) =>
    keys
      .send(what, (key) => {
        sent.push(key);
        return error ? Promise.reject(error) : Promise.resolve();
      })
      .catch(() => undefined);
  const lost = new TypeError('Failed to fetch');
  await send('retry a', lost);
  await send('retry b', lost);
  await send('retry a', lost);
  await send('retry a');
  await send('retry a', refusal('conflict', 'it runs'));
  await send('retry a');
  const [a, b, again, answered, refused, last] = sent;
  expect([again, answered]).toEqual([a, a]);
  expect(new Set([a, b, refused, last]).size).toBe(4);
});

test('a request that is refused after one without an answer keeps its key', async () => {
  const keys = new RequestKeys();
  const sent: string[] = [];
  for (const error of [
    new TypeError('Failed to fetch'),
    refusal('unavailable', 'it starts'),
    refusal('rate_limited', 'too many'),
    undefined,
  ])
    await keys
      .send('retry', (key) => {
        sent.push(key);
        return error ? Promise.reject(error) : Promise.resolve();
      })
      .catch(() => undefined);
  expect(sent).toEqual(Array.from({ length: 4 }, () => sent[0]));
});
