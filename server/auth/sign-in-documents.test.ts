import { beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { sweepExpired } from '../store/expiring-documents.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { Store } from '../store/store.ts';
import { faultyStore } from '../testing/faulty-store.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createAuth } from './create-auth.ts';
import {
  endSignIn,
  extendSignIn,
  findSignIn,
  generateSignInKey,
  insertSignIn,
  isSignInKey,
  relinkSignIn,
  signInId,
  SIGN_IN_MS,
  SIGN_IN_EXPIRY,
} from './sign-in-documents.ts';

let store: Store;
beforeEach(async () => {
  store = await openSqliteStore({ path: ':memory:', clock: systemClock });
  return () => store.close();
});

const endingAt = (expiresAt: number) => ({ source: { stored: 'ab' }, expires_at: expiresAt });

test('a renewal that began before a sign-out does not put the sign-in back', async () => {
  const key = generateSignInKey();
  expect(isSignInKey(key)).toBe(true);
  await insertSignIn(store, key, endingAt(10));
  expect(await endSignIn(store, signInId(key), async () => undefined)).toBe(true);
  expect(await extendSignIn(store, key, { was: endingAt(10), expiresAt: 20 })).toBe(false);
  expect(await findSignIn(store, signInId(key))).toBeUndefined();
  expect(await endSignIn(store, signInId(key), async () => undefined)).toBe(false);
});

test('a renewal that began before a change of the password keeps the new link', async () => {
  const key = generateSignInKey();
  const was = endingAt(10);
  await insertSignIn(store, key, was);
  await store.transaction((tx) => relinkSignIn(tx, signInId(key), { stored: 'cd' }));
  expect(await extendSignIn(store, key, { was, expiresAt: 20 })).toBe(true);
  expect(await findSignIn(store, signInId(key))).toEqual({ source: { stored: 'cd' }, expires_at: 20 });
  expect(await extendSignIn(store, key, { was, expiresAt: 30 })).toBe(false);
});

describe('sweeping', () => {
  test('removes all expired sign-ins, and keeps the others', async () => {
    const live = generateSignInKey();
    await insertSignIn(store, live, endingAt(1001));
    for (let index = 0; index < 450; index += 1) await insertSignIn(store, generateSignInKey(), endingAt(index));
    expect(await sweepExpired(store, SIGN_IN_EXPIRY, 1000)).toBe(450);
    expect(await store.listDocuments('auth.session', '', 10)).toHaveLength(1);
    expect(await findSignIn(store, signInId(live))).toEqual(endingAt(1001));
    expect(await sweepExpired(store, SIGN_IN_EXPIRY, 1000)).toBe(0);
  });
});

test('a sign-in stays valid when its renewal fails', async () => {
  const clock = createManualClock();
  const faulty = faultyStore(store);
  const auth = await createAuth({ store: faulty.store, clock, apiKey: 'key' });
  const { key = '' } = await auth.signIn({ credential: { type: 'bearer', token: 'key' }, requestId: 'r', clientAddress: '' });
  clock.advance(SIGN_IN_MS / 2);
  faulty.fault = () => 'before';
  expect(await auth.authenticateSignIn(key, { renew: true })).toMatchObject({ identity: { name: 'api-token' }, renewed: false });
});

test('a clock that is set back shortens no sign-in, and the next renewal corrects its expiry', async () => {
  const clock = createManualClock();
  const auth = await createAuth({ store, clock, apiKey: 'key' });
  const { key = '' } = await auth.signIn({ credential: { type: 'bearer', token: 'key' }, requestId: 'r', clientAddress: '' });
  clock.advance(-10 * SIGN_IN_MS);
  expect(await auth.authenticateSignIn(key, { renew: true })).toMatchObject({ renewed: true });
  expect((await findSignIn(store, signInId(key)))?.expires_at).toBe(clock.now() + SIGN_IN_MS);
});
