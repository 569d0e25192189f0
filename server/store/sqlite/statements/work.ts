// SQL of the work queue. An item is ready (claimable in rank order), waking (claimable once a moment has passed: `wake_at`, its notBefore
// or the end of its lease) or parked (neither).
import { ServiceError } from '@svc/shared/errors';
import { demandOf } from '../../demand.ts';
import { LeaseLost } from '../../lease-lost.ts';
import type { Claim, NewWorkItem, WorkItem, WorkRelease } from '../../store.ts';
import { toItem, WORK_COLUMNS } from '../../work-row.ts';
import type { WorkRow } from '../../work-row.ts';
import type { Connection } from '../connection.ts';
import { claimStatement } from './claims.ts';
import { takeoverStatements } from './takeovers.ts';

const HELD = 'queue = ? AND key = ? AND owner = ? AND fence = ?';

/** `nowMs` decides only whether a new item starts as ready or as waking; claims compare with their own `now`. */
export function workStatements(connection: Connection, nowMs: () => number) {
  const select = connection.prepare<WorkRow>(`SELECT ${WORK_COLUMNS} FROM work_items WHERE queue = ? AND key = ?`);
  const selectHeld = connection.prepare<{ key: string }>(`SELECT key FROM work_items WHERE ${HELD}`);
  const selectNextWake = connection.prepare<{ wake_at: number | null }>(
    'SELECT min(wake_at) AS wake_at FROM work_items WHERE queue = ? AND wake_at > ?',
  );
  // An item that was finished and comes again keeps no fence; one that was never removed does.
  const upsert = connection.prepare(
    `INSERT INTO work_items (queue, key, namespace, name, rank, not_before, demand, owner, fence, lease_until, parked, ready, wake_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, NULL, 0, 0, 0, ?, ?)
     ON CONFLICT (queue, key) DO UPDATE SET namespace = excluded.namespace, name = excluded.name, rank = excluded.rank,
       not_before = excluded.not_before, demand = excluded.demand, parked = 0, ready = excluded.ready, wake_at = excluded.wake_at
     WHERE owner IS NULL`,
  );
  const renew = connection.prepare(`UPDATE work_items SET lease_until = ?, ready = 0, wake_at = ? WHERE ${HELD}`);
  const release = connection.prepare(
    `UPDATE work_items SET owner = NULL, lease_until = 0, not_before = ?, parked = ?, ready = ?, wake_at = ?, rank = coalesce(?, rank),
       demand = coalesce(?, demand)
     WHERE ${HELD}`,
  );
  const unpark = connection.prepare(
    'UPDATE work_items SET parked = 0, not_before = 0, ready = 1, wake_at = NULL WHERE queue = ? AND key = ? AND parked = 1',
  );
  const finish = connection.prepare(`DELETE FROM work_items WHERE ${HELD}`);
  const removeUnclaimed = connection.prepare('DELETE FROM work_items WHERE queue = ? AND key = ? AND owner IS NULL');
  const drop = connection.prepare('DELETE FROM work_items WHERE queue = ? AND key = ?');

  const held = ({ queue, key, owner, fence }: Claim): [string, string, string, number] => [queue, key, owner, fence];
  const readyFields = (notBefore: number): [number, number | null] => (notBefore <= nowMs() ? [1, null] : [0, notBefore]);

  return {
    get(queue: string, key: string): WorkItem | undefined {
      const row = select.get(queue, key);
      return row && toItem(row);
    },
    nextWorkAt: (queue: string, now: number): number | undefined => selectNextWake.get(queue, now)?.wake_at ?? undefined,
    enqueue(item: NewWorkItem): void {
      const { queue, key, namespace, name, rank, notBefore, requirements } = item;
      const written = upsert.run(queue, key, namespace, name, rank, notBefore, demandOf(requirements), ...readyFields(notBefore));
      if (written === 0) throw new ServiceError('conflict', `the work item ${key} of queue ${queue} is claimed and cannot be replaced`);
    },
    claim: claimStatement(connection),
    ...takeoverStatements(connection),
    assertHeld(claim: Claim): void {
      if (!selectHeld.get(...held(claim))) throw new LeaseLost(claim.key, claim.fence);
    },
    renew(claims: readonly Claim[], leaseUntil: number): string[] {
      return claims.filter((claim) => renew.run(leaseUntil, leaseUntil, ...held(claim)) > 0).map((claim) => claim.key);
    },
    release(claim: Claim, { notBefore, parked = false, rank, requirements }: WorkRelease): void {
      const [ready, wakeAt] = parked ? [0, null] : readyFields(notBefore);
      const demand = requirements ? demandOf(requirements) : null;
      const written = release.run(notBefore, parked ? 1 : 0, ready, wakeAt, rank ?? null, demand, ...held(claim));
      if (written === 0) throw new LeaseLost(claim.key, claim.fence);
    },
    /** Makes a parked item claimable at once; false when it is not parked. */
    unpark: (queue: string, key: string): boolean => unpark.run(queue, key) > 0,
    finish(claim: Claim): void {
      if (finish.run(...held(claim)) === 0) throw new LeaseLost(claim.key, claim.fence);
    },
    removeUnclaimed: (queue: string, key: string): boolean => removeUnclaimed.run(queue, key) > 0,
    drop(queue: string, key: string): void {
      drop.run(queue, key);
    },
  };
}
