// Renewing leases: those of lost runs, and while another process stands still in the middle of a transaction.
import pg from 'pg';
import { expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import type { Claim } from '../store/store.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import { openPostgresStore } from '../store/postgres/open.ts';
import { keptLog } from '../testing/background.ts';
import { startPostgres, withoutPostgres } from '../testing/postgres-server.ts';
import { makeItem } from '../testing/store-conformance/fixture.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createSlot } from './slot.ts';

const LEASE_MS = 30_000;
const CAPABILITIES = { gpu: false, supportedModels: [], secrets: true };
const QUERY = { queue: 'task', owner: 'me', leaseMs: LEASE_MS, limit: 9, capabilities: CAPABILITIES };

function slotOf(claim: Claim) {
  const stopping = new AbortController().signal;
  return createSlot(
    claim,
    { stopping, stopBy: () => Infinity, onProven: () => undefined, onLeaving: () => undefined },
    { clock: systemClock, leaseMs: LEASE_MS, cpuMs: () => 0, renew: async () => undefined },
  );
}

test('a lost run is not renewed, so that its lease ends in the store', async () => {
  const store = await openSqliteStore({ path: ':memory:', clock: systemClock });
  const now = Date.now();
  const claims = await store.transaction(async (tx) => {
    for (const key of ['kept', 'lost']) await tx.enqueueWork(makeItem({ key, notBefore: 0 }));
    return tx.claimWork({ ...QUERY, now });
  });
  const slots = claims.map(slotOf);
  slots.find(({ claim }) => claim.key === 'lost')?.lose();
  const clock = { ...systemClock, now: () => now + 5_000 };
  const { log } = keptLog();
  const heartbeat = createHeartbeat({ store, clock, log, leaseMs: LEASE_MS, everyMs: 10_000, slots: () => slots, cpuMs: () => 0 });
  expect(await heartbeat.runOnce()).toBe(true);
  const leases = await Promise.all(['kept', 'lost'].map(async (key) => (await store.getWorkItem('task', key))?.leaseUntil));
  expect(leases).toEqual([now + 5_000 + LEASE_MS, now + LEASE_MS]);
  await store.close();
});

test.skipIf(withoutPostgres('heartbeats'))('an item that is locked by others for long costs no other its lease', async () => {
  const server = await startPostgres();
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url, clock: systemClock });
  try {
    const claims = await store.transaction(async (tx) => {
      for (const key of ['a', 'b', 'c']) await tx.enqueueWork(makeItem({ key, notBefore: 0 }));
      return tx.claimWork({ ...QUERY, now: Date.now() });
    });
    const slots = claims.map(slotOf);
    const [first] = claims;
    if (!first) throw new Error('nothing was claimed');
    const before = Date.now();
    const heartbeat = createHeartbeat({
      store,
      clock: { ...systemClock, now: () => before + 5_000 },
      log: keptLog().log,
      leaseMs: LEASE_MS,
      everyMs: 10_000,
      slots: () => slots,
      cpuMs: () => 0,
    });
    // Another process, as it would be while it stands still.
    const frozen = new pg.Client({ connectionString: url });
    await frozen.connect();
    await frozen.query(`BEGIN; SELECT key FROM svc.work_items WHERE key = '${first.key}' FOR UPDATE`);
    const renewed = await heartbeat.runOnce();
    await frozen.end();
    expect(renewed).toBe(false);
    expect(slots.map(({ leaseUntil }) => leaseUntil === before + 5_000 + LEASE_MS)).toEqual([false, true, true]);
    expect(slots.map(({ control }) => control.lost.aborted)).toEqual([false, false, false]);
  } finally {
    await store.close();
    await server.remove();
  }
});
