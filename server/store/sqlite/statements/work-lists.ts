// SQL that reads the work queue without claiming: ready items, and counts by demand.
import { demandOf, requirementsOf } from '../../demand.ts';
import type { ReadyWorkPage, WorkCounts, WorkItem, WorkRequirements } from '../../store.ts';
import { toItem, WORK_COLUMNS } from '../../work-row.ts';
import type { WorkRow } from '../../work-row.ts';
import type { Connection } from '../connection.ts';

/** Position before every item in order of rank. */
const BEFORE_ALL = { rank: Number.MIN_SAFE_INTEGER, key: '' };

export function workListStatements(connection: Connection) {
  const selectNextDemand = connection.prepare<{ demand: string }>(
    'SELECT demand FROM work_items WHERE queue = ? AND ready = 1 AND demand > ? ORDER BY demand LIMIT 1',
  );
  const selectReady = connection.prepare<WorkRow>(
    `SELECT ${WORK_COLUMNS} FROM work_items WHERE queue = ? AND ready = 1 AND demand = ? AND (rank, key) > (?, ?) ORDER BY rank, key LIMIT ?`,
  );
  const selectCounts = connection.prepare<WorkCounts>(
    `SELECT coalesce(sum(ready = 1 OR (owner IS NULL AND wake_at <= ?1)), 0) AS ready,
       coalesce(sum(owner IS NULL AND wake_at > ?1), 0) AS waiting,
       coalesce(sum(owner IS NOT NULL), 0) AS claimed,
       coalesce(sum(parked), 0) AS parked
     FROM work_items WHERE queue = ?2`,
  );
  const selectHeld = connection.prepare<{ held: number }>(
    `SELECT count(owner) AS held FROM (SELECT owner FROM work_items WHERE queue = ? AND wake_at IS NOT NULL ORDER BY wake_at LIMIT ?)`,
  );

  return {
    demands(queue: string): WorkRequirements[] {
      const found: WorkRequirements[] = [];
      for (let row = selectNextDemand.get(queue, ''); row; row = selectNextDemand.get(queue, row.demand))
        found.push(requirementsOf(row.demand));
      return found;
    },
    ready: (queue: string, requirements: WorkRequirements, { after = BEFORE_ALL, limit }: ReadyWorkPage): WorkItem[] =>
      selectReady.all(queue, demandOf(requirements), after.rank, after.key, limit).map(toItem),
    counts(queue: string, now: number): WorkCounts {
      return { ready: 0, waiting: 0, claimed: 0, parked: 0, ...selectCounts.get(now, queue) };
    },
    held: (queue: string, limit: number): number => selectHeld.get(queue, limit)?.held ?? 0,
  };
}
