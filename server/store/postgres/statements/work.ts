// SQL of the work queue. An item is ready (claimable in rank order), waking (claimable once a moment has passed: `wake_at`, its notBefore
// or the end of its lease) or parked (neither). Writes without a claim never wait for a row: who holds it may be waiting for this transaction.
import { ServiceError } from '@svc/shared/errors';
import { demandInCompany, demandOf } from '../../demand.ts';
import { LeaseLost } from '../../lease-lost.ts';
import type { Claim, NewWorkItem, WorkItem, WorkRelease } from '../../store.ts';
import { toItem, WORK_COLUMNS } from '../../work-row.ts';
import type { WorkRow } from '../../work-row.ts';
import { one, statement } from '../session.ts';
import type { Session } from '../session.ts';

const HELD = 'queue = $1 AND key = $2 AND owner = $3 AND fence = $4';
const LOCKED_NOW = 'SELECT owner, parked FROM work_items WHERE queue = $1 AND key = $2 FOR UPDATE NOWAIT';

const select = statement(`SELECT ${WORK_COLUMNS} FROM work_items WHERE queue = $1 AND key = $2`);
const lockHeld = statement(`SELECT key FROM work_items WHERE ${HELD} FOR NO KEY UPDATE`);
const selectNextWake = statement('SELECT min(wake_at) AS wake_at FROM work_items WHERE queue = $1 AND wake_at > $2');
// An item that was finished and comes again keeps no fence; one that was never removed does.
const upsert = statement(
  `WITH locked AS MATERIALIZED (${LOCKED_NOW})
   INSERT INTO work_items AS w (queue, key, namespace, name, rank, not_before, demand, owner, fence, lease_until, parked, ready, wake_at)
   SELECT $1, $2, $3, $4, $5::float8, $6::float8, $7, NULL, 0, 0, 0, $8::smallint, $9::float8 FROM (SELECT count(*) FROM locked) AS seen
   ON CONFLICT (queue, key) DO UPDATE SET namespace = excluded.namespace, name = excluded.name, rank = excluded.rank,
     not_before = excluded.not_before, demand = excluded.demand, parked = 0, ready = excluded.ready, wake_at = excluded.wake_at
   WHERE w.owner IS NULL`,
);
// Rows are locked in the order of the arrays.
const renew = statement(
  `WITH held AS MATERIALIZED (
     SELECT w.queue, w.key FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS c (queue, key, owner, fence)
     JOIN work_items w ON w.queue = c.queue AND w.key = c.key AND w.owner = c.owner AND w.fence = c.fence
     FOR NO KEY UPDATE OF w
   ) UPDATE work_items w SET lease_until = $5, ready = 0, wake_at = $5 FROM held WHERE w.queue = held.queue AND w.key = held.key
   RETURNING w.queue, w.key`,
);
const release = statement(
  `UPDATE work_items SET owner = NULL, lease_until = 0, not_before = $5, parked = $6, ready = $7, wake_at = $8,
     rank = coalesce($9, rank), demand = coalesce($10, demand)
   WHERE ${HELD}`,
);
const lockNow = statement(LOCKED_NOW);
const wakeParked = statement('UPDATE work_items SET parked = 0, not_before = 0, ready = 1, wake_at = NULL WHERE queue = $1 AND key = $2');
const lockDemand = statement(`SELECT demand FROM work_items WHERE ${HELD} FOR NO KEY UPDATE`);
const clear = statement(`UPDATE work_items SET takeovers = 0, demand = $5 WHERE ${HELD}`);
const forgive = statement(
  'UPDATE work_items SET takeovers = takeovers - 1 WHERE queue = $1 AND key = $2 AND fence >= $3 AND takeovers >= 0',
);
const finish = statement(`DELETE FROM work_items WHERE ${HELD}`);
const removeUnclaimed = statement(
  `WITH locked AS MATERIALIZED (${LOCKED_NOW})
   DELETE FROM work_items w USING locked WHERE w.queue = $1 AND w.key = $2 AND locked.owner IS NULL`,
);
const drop = statement(
  `WITH locked AS MATERIALIZED (${LOCKED_NOW}) DELETE FROM work_items w USING locked WHERE w.queue = $1 AND w.key = $2`,
);

function held({ queue, key, owner, fence }: Claim): [string, string, string, number] {
  return [queue, key, owner, fence];
}

function readyFields(notBefore: number, nowMs: number): [ready: number, wakeAt: number | null] {
  return notBefore <= nowMs ? [1, null] : [0, notBefore];
}

export async function getWorkItem(session: Session, queue: string, key: string): Promise<WorkItem | undefined> {
  const row = await one(session.run<WorkRow>(select, [queue, key]));
  return row && toItem(row);
}

export async function nextWorkAt(session: Session, queue: string, now: number): Promise<number | undefined> {
  return (await one(session.run<{ wake_at: number | null }>(selectNextWake, [queue, now])))?.wake_at ?? undefined;
}

/** `nowMs` decides only whether the item starts as ready or as waking. Throws `conflict` when an item of the key is claimed. */
export async function enqueueWork(session: Session, item: NewWorkItem, nowMs: number): Promise<void> {
  const { queue, key, namespace, name, rank, notBefore, requirements } = item;
  const values = [queue, key, namespace, name, rank, notBefore, demandOf(requirements), ...readyFields(notBefore, nowMs)];
  const { count } = await session.run(upsert, values);
  if (count === 0) throw new ServiceError('conflict', `the work item ${key} of queue ${queue} is claimed and cannot be replaced`);
}

/** Throws LeaseLost. Until the transaction ends nobody can take the claim over. */
export async function lockClaim(session: Session, claim: Claim): Promise<void> {
  if (!(await one(session.run(lockHeld, held(claim))))) throw new LeaseLost(claim.key, claim.fence);
}

/** Returns the keys still held, in the order of the claims. */
export async function renewWork(session: Session, claims: readonly Claim[], leaseUntil: number): Promise<string[]> {
  if (claims.length === 0) return [];
  // In one order everywhere, so that two renewals never wait for each other.
  const ordered = [...claims].sort((a, b) => (`${a.queue}/${a.key}` < `${b.queue}/${b.key}` ? -1 : 1));
  const { rows } = await session.run<{ queue: string; key: string }>(renew, [
    ordered.map((claim) => claim.queue),
    ordered.map((claim) => claim.key),
    ordered.map((claim) => claim.owner),
    ordered.map((claim) => claim.fence),
    leaseUntil,
  ]);
  return claims.filter((claim) => rows.some((row) => row.queue === claim.queue && row.key === claim.key)).map(({ key }) => key);
}

/** Throws LeaseLost. */
export async function releaseWork(session: Session, claim: Claim, fields: WorkRelease & { readonly nowMs: number }): Promise<void> {
  const { notBefore, parked = false, rank, requirements, nowMs } = fields;
  const [ready, wakeAt] = parked ? [0, null] : readyFields(notBefore, nowMs);
  const demand = requirements ? demandOf(requirements) : null;
  const { count } = await session.run(release, [...held(claim), notBefore, parked ? 1 : 0, ready, wakeAt, rank ?? null, demand]);
  if (count === 0) throw new LeaseLost(claim.key, claim.fence);
}

/** Makes a parked item claimable at once; false when it is not parked. Locks the item either way: its owner may be about to park it. */
export async function unparkWork(session: Session, queue: string, key: string): Promise<boolean> {
  const row = await one(session.run<{ parked: number }>(lockNow, [queue, key]));
  if (row?.parked !== 1) return false;
  await session.run(wakeParked, [queue, key]);
  return true;
}

/** Throws LeaseLost. */
export async function clearTakeovers(session: Session, claim: Claim): Promise<void> {
  const row = await one(session.run<{ demand: string }>(lockDemand, held(claim)));
  if (!row) throw new LeaseLost(claim.key, claim.fence);
  await session.run(clear, [...held(claim), demandInCompany(row.demand)]);
}

/** Before the takeover has happened the count goes below 0 by one. */
export async function forgiveTakeover(session: Session, { queue, key, fence }: Claim): Promise<void> {
  await session.run(forgive, [queue, key, fence]);
}

/** Throws LeaseLost. */
export async function finishWork(session: Session, claim: Claim): Promise<void> {
  if ((await session.run(finish, held(claim))).count === 0) throw new LeaseLost(claim.key, claim.fence);
}

/** False when it is claimed or absent. */
export async function removeUnclaimedWork(session: Session, queue: string, key: string): Promise<boolean> {
  return (await session.run(removeUnclaimed, [queue, key])).count > 0;
}

/** Under any holder. */
export async function dropWork(session: Session, queue: string, key: string): Promise<void> {
  await session.run(drop, [queue, key]);
}
