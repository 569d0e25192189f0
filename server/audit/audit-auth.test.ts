import { expect, test } from 'vitest';
import { createAuth } from '../auth/create-auth.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { auditAuth } from './audit-auth.ts';
import type { AuditEvent } from './audit-event.ts';

test('records each sign-in and sign-out once, and no check of a sign-in', async () => {
  const clock = createManualClock();
  const store = await openSqliteStore({ path: ':memory:', clock });
  const events: AuditEvent[] = [];
  const auth = auditAuth(
    await createAuth({ store, clock, apiTokens: 'ann:secret:writer' }),
    { write: (event) => events.push(event) },
    clock,
  );
  const request = { requestId: 'r1', clientAddress: '203.0.113.9' };
  const { key = '' } = await auth.signIn({ credential: { type: 'bearer', token: 'secret' }, ...request });
  await expect(auth.signIn({ credential: { type: 'bearer', token: 'wrong' }, ...request })).rejects.toMatchObject({ code: 'unauthorized' });
  await auth.authenticateSignIn(key, { renew: true });
  await auth.signOut(key, { requestId: 'r2' });
  await auth.signOut(key, { requestId: 'r3' });
  const common = {
    timestamp: '2026-01-02T03:04:05.000Z',
    component: 'auth',
    outcome: 'success',
    principal: { name: 'ann', method: 'session', role: 'writer' },
    resource: { kind: 'BrowserSession', name: 'ann' },
  };
  expect(events).toEqual([
    { ...common, action: 'session.create', request_id: 'r1', details: { client_address: '203.0.113.9' } },
    { ...common, action: 'session.delete', request_id: 'r2', details: {} },
  ]);
  expect(JSON.stringify(events)).not.toMatch(/secret|wrong/);
  await store.close();
});

test('without authentication nobody signs in', async () => {
  const clock = createManualClock();
  const store = await openSqliteStore({ path: ':memory:', clock });
  const events: AuditEvent[] = [];
  const auth = auditAuth(await createAuth({ store, clock }), { write: (event) => events.push(event) }, clock);
  expect(await auth.signIn({ credential: { type: 'bearer', token: 'x' }, requestId: 'r', clientAddress: '' })).toMatchObject({
    identity: { name: 'anonymous' },
  });
  expect(events).toEqual([]);
  await store.close();
});
