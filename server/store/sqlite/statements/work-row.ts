// A row of the work queue, and the item it stands for.
import type { WorkItem, WorkRequirements } from '../../store.ts';

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
}

export const WORK_COLUMNS = 'queue, key, namespace, name, rank, not_before, demand, owner, fence, lease_until, parked';

export function toItem(row: WorkRow): WorkItem {
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
