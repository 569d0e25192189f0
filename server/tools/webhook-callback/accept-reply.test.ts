import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { sweepExpired } from '../../store/expiring-documents.ts';
import { openPostgresStore } from '../../store/postgres/open.ts';
import type { Store } from '../../store/store.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import { WriteRace } from '../../store/write-race.ts';
import { createManualClock } from '../../testing/manual-clock.ts';
import { startPostgres, withoutPostgres, type PostgresServer } from '../../testing/postgres-server.ts';
import { createToolCallbacks } from './accept-reply.ts';
import { closeCallback, openCallback, openCallbacks, closedCallbacks, CALLBACK_EXPIRY, type Documents } from './callback-records.ts';
import { newCallbackToken, sealTexts, tokenHash } from './callback-token.ts';

const QUEUE = 'task';
const LIFE_MS = 60_000;
const OK = { status: 'ok', output: { result: 'fine' } };
const SECRET = 's3cret/+value';

let postgres: PostgresServer | undefined;

function suite(openStore: () => Promise<Store>): void {
  const clock = createManualClock();
  const callbacks = (store: Store) => createToolCallbacks({ store, clock, queue: QUEUE });
  let store: Store;
  let calls = 0;

  beforeAll(async () => {
    store = await openStore();
  }, 60_000);
  afterAll(() => store.close());

  /** A waiting call of an active run, with its token. */
  async function waiting({ working = true, notBefore = 0 } = {}): Promise<{ requestId: string; stream: string; token: string }> {
    calls += 1;
    const stream = `uid-${calls}`;
    const requestId = `req/${calls}`;
    if (working) {
      await store.transaction((tx) =>
        tx.enqueueWork({ queue: QUEUE, key: stream, namespace: 'n', name: 't', rank: 0, notBefore, requirements: {} }),
      );
    }
    return { requestId, stream, token: await offer(requestId, stream) };
  }

  async function offer(requestId: string, stream: string): Promise<string> {
    const token = newCallbackToken();
    const kept = { hash: tokenHash(token), sealed: sealTexts([SECRET], token) };
    await openCallback(store, requestId, { stream, tool: 'n/tool', token: kept, expiresAt: clock.now() + LIFE_MS });
    return token;
  }

  const send = (requestId: string, token: string | undefined, body: unknown = OK) =>
    callbacks(store).accept({ requestId, token, read: () => Promise.resolve(body) });

  test('a reply with the token of the call is a signal to its run, once', async () => {
    const { requestId, stream, token } = await waiting();
    await send(requestId, token);
    expect(await store.readSignals(stream)).toMatchObject([
      { type: 'tool_reply', data: { request_id: requestId, reply: { status: 'ok', output: 'fine' } } },
    ]);
    await expect(send(requestId, token)).rejects.toMatchObject({ code: 'conflict' });
    expect(await store.readSignals(stream)).toHaveLength(1);
  });

  test('a reply makes a run that waits for a later moment claimable at once', async () => {
    const { requestId, stream, token } = await waiting({ notBefore: clock.now() + 600_000 });
    await send(requestId, token);
    expect(await store.getWorkItem(QUEUE, stream)).toMatchObject({ notBefore: 0, owner: undefined });
  });

  test.each(['ends', 'closes the call'])('a reply reaches a run whose fork %s', async (how) => {
    const { requestId, stream, token } = await waiting();
    const fork = await waiting({ working: false });
    await offer(requestId, fork.stream);
    if (how === 'closes the call') await closeCallback(store, requestId, fork.stream);
    await send(requestId, token);
    expect(await store.readSignals(stream)).toHaveLength(1);
  });

  test('a reply reaches a run and its fork', async () => {
    const { requestId, stream, token } = await waiting();
    const fork = await waiting();
    await offer(requestId, fork.stream);
    await send(requestId, token);
    expect([await store.readSignals(stream), await store.readSignals(fork.stream)]).toMatchObject([{ length: 1 }, { length: 1 }]);
  });

  test('an unreachable run keeps the call open: the reply may be sent again', async () => {
    const { requestId, token } = await waiting();
    const busy: Documents = {
      getDocument: (collection, id) => store.getDocument(collection, id),
      transaction: () => Promise.reject(new WriteRace(undefined)),
    };
    const accepting = createToolCallbacks({ store: busy, clock, queue: QUEUE }).accept({
      requestId,
      token,
      read: () => Promise.resolve(OK),
    });
    await expect(accepting).rejects.toMatchObject({ code: 'unavailable' });
    await send(requestId, token);
  });

  test('one of several concurrent replies is accepted', async () => {
    const { requestId, stream, token } = await waiting();
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => send(requestId, token)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await store.readSignals(stream)).toHaveLength(1);
  });

  test('without the right token nothing is read and nothing is taken', async () => {
    const { requestId, token } = await waiting();
    const other = await waiting();
    const unread = () => Promise.reject(new Error('the body was read'));
    for (const wrong of [undefined, '', 'x', other.token, `${token}x`]) {
      const accepting = callbacks(store).accept({ requestId, token: wrong, read: unread });
      await expect(accepting).rejects.toMatchObject({ code: 'unauthorized' });
    }
    await expect(send('req/none', token)).rejects.toMatchObject({ code: 'not_found' });
    await send(requestId, token);
    await expect(send(requestId, other.token)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('a malformed reply is refused, and the tool may correct it', async () => {
    const { requestId, stream, token } = await waiting();
    const attempt = send(requestId, token, { status: 'done' });
    await expect(attempt).rejects.toMatchObject({
      code: 'invalid',
      message: 'the reply of Tool "n/tool" has a status other than ok, error or denied',
    });
    expect(await store.readSignals(stream)).toEqual([]);
    await send(requestId, token);
  });

  test('a call that is over, expired or without its run takes no reply', async () => {
    const closed = await waiting();
    await closeCallback(store, closed.requestId, closed.stream);
    await expect(send(closed.requestId, closed.token)).rejects.toMatchObject({ code: 'conflict' });
    const ended = await waiting({ working: false });
    await expect(send(ended.requestId, ended.token)).rejects.toMatchObject({ code: 'conflict' });
    const late = await waiting();
    clock.advance(LIFE_MS);
    await expect(send(late.requestId, late.token)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('secrets of the call and the token are removed from the reply of the tool', async () => {
    const { requestId, stream, token } = await waiting();
    const result = { echo: [SECRET, encodeURIComponent(SECRET), Buffer.from(SECRET).toString('base64'), token] };
    await send(requestId, token, { status: 'ok', output: { result } });
    const failed = await waiting();
    await send(failed.requestId, failed.token, { status: 'error', error: { code: 'x', message: `bad token ${SECRET}` } });
    const [ok] = await store.readSignals(stream);
    const [error] = await store.readSignals(failed.stream);
    expect(ok?.data['reply']).toEqual({ status: 'ok', output: '{"echo":["***","***","***","***"]}' });
    expect(error?.data['reply']).toMatchObject({
      error: { message: 'Tool "n/tool" answered with the error execution_failed: bad token ***' },
    });
    const stored = JSON.stringify([await closedCallbacks.get(store, requestId), await closedCallbacks.get(store, failed.requestId)]);
    expect([stored.includes(SECRET), stored.includes(token)]).toEqual([false, false]);
  });

  test('a repeated call keeps its earlier tokens, and reports a call that was answered', async () => {
    const { requestId, stream, token } = await waiting();
    const second = await offer(requestId, stream);
    await send(requestId, token);
    await expect(send(requestId, second)).rejects.toMatchObject({ code: 'conflict' });
    const kept = { hash: tokenHash('t'), sealed: '' };
    const again = await openCallback(store, requestId, { stream, tool: 'n/tool', token: kept, expiresAt: clock.now() + LIFE_MS });
    expect(again).toEqual({ status: 'ok', output: 'fine' });
  });

  test('records are removed at their expiry, not earlier', async () => {
    clock.advance(LIFE_MS);
    await sweepExpired(store, CALLBACK_EXPIRY, clock.now());
    const answered = await waiting();
    await send(answered.requestId, answered.token);
    const left = await waiting();
    const prolonged = await waiting();
    clock.advance(LIFE_MS / 2);
    await offer(prolonged.requestId, prolonged.stream);
    expect(await sweepExpired(store, CALLBACK_EXPIRY, clock.now())).toBe(0);
    clock.advance(LIFE_MS / 2);
    expect(await sweepExpired(store, CALLBACK_EXPIRY, clock.now())).toBe(3);
    expect([await closedCallbacks.get(store, answered.requestId), await openCallbacks.get(store, left.requestId)]).toEqual([
      undefined,
      undefined,
    ]);
    expect(await openCallbacks.get(store, prolonged.requestId)).toBeDefined();
    clock.advance(LIFE_MS / 2);
    expect(await sweepExpired(store, CALLBACK_EXPIRY, clock.now())).toBe(1);
    expect(await openCallbacks.get(store, prolonged.requestId)).toBeUndefined();
  });

  test('many records are swept in pages', async () => {
    for (let n = 0; n < 450; n += 50) await Promise.all(Array.from({ length: 50 }, (_, k) => offer(`many/${n + k}`, 'uid-many')));
    clock.advance(LIFE_MS);
    expect(await sweepExpired(store, CALLBACK_EXPIRY, clock.now())).toBeGreaterThanOrEqual(450);
    expect(await openCallbacks.get(store, 'many/449')).toBeUndefined();
  });
}

describe('on the embedded store', () => suite(() => openSqliteStore({ path: ':memory:', clock: systemClock })));

describe.skipIf(withoutPostgres('replies to tool calls on PostgreSQL'))('on PostgreSQL', () => {
  afterAll(() => postgres?.remove());
  suite(async () => {
    postgres = await startPostgres();
    return openPostgresStore({ url: await postgres.createDatabase(), clock: systemClock });
  });
});
