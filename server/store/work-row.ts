// A row of the work queue, and what it stands for: an item, or a claim on it. Pure; both engines store the same columns.
import { requirementsOf } from './demand.ts';
import type { Claim, ClaimQuery, FormerOwner, WorkItem } from './store.ts';

export interface WorkRow {
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
  takeovers: number;
}

export const WORK_COLUMNS = 'queue, key, namespace, name, rank, not_before, demand, owner, fence, lease_until, parked, takeovers';

export function toItem(row: WorkRow): WorkItem {
  return {
    queue: row.queue,
    key: row.key,
    namespace: row.namespace,
    name: row.name,
    rank: row.rank,
    notBefore: row.not_before,
    requirements: requirementsOf(row.demand),
    owner: row.owner ?? undefined,
    fence: row.fence,
    leaseUntil: row.lease_until,
    parked: row.parked === 1,
    takeovers: Math.max(0, row.takeovers),
  };
}

/** The order in which items are taken. */
export function byRank(a: Pick<WorkRow, 'rank' | 'key'>, b: Pick<WorkRow, 'rank' | 'key'>): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  return a.key < b.key ? -1 : 1;
}

/** The claim that `query` makes of a row as it was before. */
export function claimOf(row: WorkRow, query: ClaimQuery): Claim {
  return {
    queue: row.queue,
    key: row.key,
    namespace: row.namespace,
    name: row.name,
    owner: query.owner,
    fence: row.fence + 1,
    claimedAt: query.now,
    leaseUntil: query.now + query.leaseMs,
    notBefore: row.not_before,
    takeover: row.owner !== null,
    takeovers: Math.max(0, row.takeovers + (row.owner === null ? 0 : 1)),
    requirements: requirementsOf(row.demand),
    ...(row.owner !== null && { from: formerOwner(row.owner, row.lease_until) }),
  };
}

/** A lease is ended by writing 0 where its process is known to be gone, as at the start on a file that one process owns. */
function formerOwner(owner: string, leaseUntil: number): FormerOwner {
  return { owner, ended: leaseUntil === 0 };
}
