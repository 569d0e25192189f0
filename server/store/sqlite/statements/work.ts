// SQL of the work queue. An item is ready (claimable in rank order), waking (claimable once a moment has passed: `wake_at`, its notBefore
// or the end of its lease) or parked (neither). Claims first turn due items ready, then read ready ones by index, so waiting items cost nothing.
import { ServiceError } from '@svc/shared/errors';
import { LeaseLost } from '../../lease-lost.ts';
import type { Claim, ClaimQuery, NewWorkItem, WorkItem, WorkRequirements } from '../../store.ts';
import type { Connection } from '../connection.ts';

interface WorkRow {
  queue: string;
  key: string;
  namespace: string;
  name: string;
  rank: number;
  not_before: number;
  demand: string;
  owner: string | null;
  fence: number;
  lease_until: number;
  parked: number;
}

/** Due items that one claim makes ready; what is left follows with the next claim. Bounds a claim after a long standstill. */
const WAKE_MAX = 1_000;

/** Requirements in one canonical text: items of equal demand form one index range. */
function demandOf({ region, gpu, model }: WorkRequirements): string {
  return JSON.stringify({ region, ...(gpu && { gpu }), model });
}

function isMet(demand: WorkRequirements, offered: ClaimQuery['capabilities']): boolean {
  if (demand.region !== undefined && demand.region !== offered.region) return false;
  if (demand.gpu && !offered.gpu) return false;
  return demand.model === undefined || offered.supportedModels.length === 0 || offered.supportedModels.includes(demand.model);
}

function toItem(row: WorkRow): WorkItem {
  return {
    queue: row.queue,
    key: row.key,
    namespace: row.namespace,
    name: row.name,
    rank: row.rank,
    notBefore: row.not_before,
    requirements: JSON.parse(row.demand) as WorkRequirements,
    owner: row.owner ?? undefined,
    fence: row.fence,
    leaseUntil: row.lease_until,
    parked: row.parked === 1,
  };
}

function byRank(a: WorkRow, b: WorkRow): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  return a.key < b.key ? -1 : 1;
}

function claimOf(row: WorkRow, query: ClaimQuery): Claim {
  return {
    queue: row.queue,
    key: row.key,
    namespace: row.namespace,
    name: row.name,
    owner: query.owner,
    fence: row.fence + 1,
    leaseUntil: query.now + query.leaseMs,
    takeover: row.owner !== null && row.owner !== query.owner,
  };
}

export type WorkStatements = ReturnType<typeof workStatements>;

const COLUMNS = 'queue, key, namespace, name, rank, not_before, demand, owner, fence, lease_until, parked';
const HELD = 'queue = ? AND key = ? AND owner = ? AND fence = ?';

/** `nowMs` decides only whether a new item starts as ready or as waking; claims compare with their own `now`. */
export function workStatements(connection: Connection, nowMs: () => number) {
  const select = connection.prepare<WorkRow>(`SELECT ${COLUMNS} FROM work_items WHERE queue = ? AND key = ?`);
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
  const wakeDue = connection.prepare(
    `UPDATE work_items SET ready = 1, wake_at = NULL WHERE rowid IN
     (SELECT rowid FROM work_items WHERE queue = ? AND wake_at <= ? ORDER BY wake_at LIMIT ${WAKE_MAX})`,
  );
  const selectNextDemand = connection.prepare<{ demand: string }>(
    'SELECT demand FROM work_items WHERE queue = ? AND ready = 1 AND demand > ? ORDER BY demand LIMIT 1',
  );
  const selectReady = connection.prepare<WorkRow>(
    `SELECT ${COLUMNS} FROM work_items WHERE queue = ? AND ready = 1 AND demand = ? AND not_before <= ? ORDER BY rank, key LIMIT ?`,
  );
  const take = connection.prepare(
    'UPDATE work_items SET owner = ?, fence = fence + 1, lease_until = ?, ready = 0, wake_at = ? WHERE queue = ? AND key = ?',
  );
  const renew = connection.prepare(`UPDATE work_items SET lease_until = ?, ready = 0, wake_at = ? WHERE ${HELD}`);
  const release = connection.prepare(
    `UPDATE work_items SET owner = NULL, lease_until = 0, not_before = ?, parked = ?, ready = ?, wake_at = ?, rank = coalesce(?, rank)
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
  const matchingDemands = (query: ClaimQuery): string[] => {
    const matching: string[] = [];
    let next = selectNextDemand.get(query.queue, '');
    while (next) {
      if (isMet(JSON.parse(next.demand) as WorkRequirements, query.capabilities)) matching.push(next.demand);
      next = selectNextDemand.get(query.queue, next.demand);
    }
    return matching;
  };

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
    claim(query: ClaimQuery): Claim[] {
      wakeDue.run(query.queue, query.now);
      const rows = matchingDemands(query)
        .flatMap((demand) => selectReady.all(query.queue, demand, query.now, query.limit))
        .sort(byRank)
        .slice(0, query.limit);
      const claims = rows.map((row) => claimOf(row, query));
      for (const { queue, key, leaseUntil } of claims) take.run(query.owner, leaseUntil, leaseUntil, queue, key);
      return claims;
    },
    assertHeld(claim: Claim): void {
      if (!selectHeld.get(...held(claim))) throw new LeaseLost(claim.key, claim.fence);
    },
    renew(claims: readonly Claim[], leaseUntil: number): string[] {
      return claims.filter((claim) => renew.run(leaseUntil, leaseUntil, ...held(claim)) > 0).map((claim) => claim.key);
    },
    release(claim: Claim, options: { notBefore: number; parked: boolean; rank: number | undefined }): void {
      const { notBefore, parked, rank } = options;
      const [ready, wakeAt] = parked ? [0, null] : readyFields(notBefore);
      const written = release.run(notBefore, parked ? 1 : 0, ready, wakeAt, rank ?? null, ...held(claim));
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
