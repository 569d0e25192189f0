import { beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { Store } from '../store/store.ts';
import { faultyStore } from '../testing/faulty-store.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createAuth } from './create-auth.ts';
import {
  endSession,
  extendSession,
  findSession,
  generateSession,
  insertSession,
  isSession,
  SESSION_MS,
  sweepSessions,
} from './session-documents.ts';

let store: Store;
beforeEach(async () => {
  store = await openSqliteStore({ path: ':memory:', clock: systemClock });
  return () => store.close();
});

const endingAt = (expiresAt: number) => ({ source: { stored: 'ab' }, expires_at: expiresAt });

test('a session that was ended is not put back by a renewal that began before', async () => {
  const session = generateSession();
  expect(isSession(session)).toBe(true);
  await insertSession(store, session, endingAt(10));
  expect(await endSession(store, session, async () => undefined)).toBe(true);
  expect(await extendSession(store, session, { was: endingAt(10), expiresAt: 20 })).toBe(false);
  expect(await findSession(store, session)).toBeUndefined();
  expect(await endSession(store, session, async () => undefined)).toBe(false);
});

describe('sweeping', () => {
  test('takes what is due, however much it is, and leaves the rest', async () => {
    const live = generateSession();
    await insertSession(store, live, endingAt(1001));
    for (let index = 0; index < 450; index += 1) await insertSession(store, generateSession(), endingAt(index));
    expect(await sweepSessions(store, 1000)).toBe(450);
    expect(await store.listDocuments('auth.session', '', 10)).toHaveLength(1);
    expect(await findSession(store, live)).toEqual(endingAt(1001));
    expect(await sweepSessions(store, 1000)).toBe(0);
  });
});

test('a session that cannot be renewed now still counts', async () => {
  const clock = createManualClock();
  const faulty = faultyStore(store);
  const auth = await createAuth({ store: faulty.store, clock, apiKey: 'key' });
  const { session = '' } = await auth.signIn({ token: 'key', requestId: 'r', clientAddress: '' });
  clock.advance(SESSION_MS / 2);
  faulty.fault = () => 'before';
  expect(await auth.authenticateSession(session, { renew: true })).toMatchObject({ identity: { name: 'api-token' }, renewed: false });
});

test('a clock that was set back shortens no session, and the next renewal puts its end right', async () => {
  const clock = createManualClock();
  const auth = await createAuth({ store, clock, apiKey: 'key' });
  const { session = '' } = await auth.signIn({ token: 'key', requestId: 'r', clientAddress: '' });
  clock.advance(-10 * SESSION_MS);
  expect(await auth.authenticateSession(session, { renew: true })).toMatchObject({ renewed: true });
  expect((await findSession(store, session))?.expires_at).toBe(clock.now() + SESSION_MS);
});
