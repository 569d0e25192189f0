import { afterAll, beforeAll, expect, test } from 'vitest';
import { TASK_QUEUE } from '../../engine/task-queue.ts';
import { startHttpFixture, type HttpFixture } from '../../testing/http-fixture.ts';
import { openCallback } from '../../tools/webhook-callback/callback-records.ts';
import { newCallbackToken, sealTexts, tokenHash } from '../../tools/webhook-callback/callback-token.ts';

let http: HttpFixture;
let calls = 0;
beforeAll(async () => {
  http = await startHttpFixture({ apiKey: 'admin-token' });
});
afterAll(() => http.close());

async function waiting(): Promise<{ requestId: string; token: string }> {
  calls += 1;
  const [requestId, stream] = [`sha256-${calls}`, `uid-${calls}`];
  const token = newCallbackToken();
  const kept = { hash: tokenHash(token), sealed: sealTexts([], token) };
  await openCallback(http.store, requestId, { stream, tool: 'n/tool', token: kept, expiresAt: Date.now() + 60_000 });
  const item = { queue: TASK_QUEUE, key: stream, namespace: 'n', name: 't', rank: 0, notBefore: 0, requirements: {} };
  await http.store.transaction((tx) => tx.enqueueWork(item));
  return { requestId, token };
}

const post = (requestId: string, token: string | undefined, body: unknown) =>
  http.send('POST', `/v1/tool-callbacks/${encodeURIComponent(requestId)}`, {
    body,
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  });
const OK = { status: 'ok', output: { result: 1 } };

test('a tool needs no API token to reply, only the one of its call', async () => {
  const { requestId, token } = await waiting();
  const { status, body } = await post(requestId, token, OK);
  expect([status, body]).toEqual([202, { accepted: true }]);
  expect(await http.store.readSignals(`uid-${calls}`)).toHaveLength(1);
  expect((await post(requestId, token, OK)).status).toBe(409);
});

test('refusals have their statuses, and an API token is no callback token', async () => {
  const { requestId, token } = await waiting();
  const statuses = [
    (await post(requestId, undefined, OK)).status,
    (await post(requestId, 'admin-token', OK)).status,
    (await post('sha256-none', token, OK)).status,
    (await post(requestId, token, { status: 'perhaps' })).status,
    (await post(requestId, token, '{"status":')).status,
  ];
  expect(statuses).toEqual([401, 401, 404, 400, 400]);
  expect((await post(requestId, undefined, OK)).headers['www-authenticate']).toBe('Bearer');
  expect((await post(requestId, token, OK)).status).toBe(202);
});

test('a reply past 1 MiB is refused, and never read for an unknown caller', async () => {
  const { requestId, token } = await waiting();
  const large = { status: 'ok', output: { result: 'x'.repeat(1024 * 1024) } };
  expect((await post(requestId, 'wrong', large)).status).toBe(401);
  const { status, body } = await post(requestId, token, large);
  expect([status, body.error.message]).toEqual([413, 'The body is larger than 1048576 bytes']);
});
