// SQL of claiming. Due items are first made ready, then ready ones are read by index in rank order, so that waiting items cost nothing.
import { isMet, requirementsOf } from '../../demand.ts';
import type { Claim, ClaimQuery } from '../../store.ts';
import { byRank, claimOf, WORK_COLUMNS } from '../../work-row.ts';
import type { WorkRow } from '../../work-row.ts';
import type { Connection } from '../connection.ts';

/** Due items that one claim makes ready; what is left follows with the next claim. Bounds a claim after a long standstill. */
const WAKE_MAX = 1_000;

/** Prepares the claim; the returned function takes up to `limit` items. */
export function claimStatement(connection: Connection): (query: ClaimQuery) => Claim[] {
  const wakeDue = connection.prepare(
    `UPDATE work_items SET ready = 1, wake_at = NULL WHERE rowid IN
     (SELECT rowid FROM work_items WHERE queue = ? AND wake_at <= ? ORDER BY wake_at LIMIT ${WAKE_MAX})`,
  );
  const selectNextDemand = connection.prepare<{ demand: string }>(
    'SELECT demand FROM work_items WHERE queue = ? AND ready = 1 AND demand > ? ORDER BY demand LIMIT 1',
  );
  const selectReady = connection.prepare<WorkRow>(
    `SELECT ${WORK_COLUMNS} FROM work_items WHERE queue = ? AND ready = 1 AND demand = ? AND not_before <= ? ORDER BY rank, key LIMIT ?`,
  );
  const take = connection.prepare(
    `UPDATE work_items SET takeovers = takeovers + (owner IS NOT NULL), owner = ?, fence = fence + 1, lease_until = ?, ready = 0, wake_at = ?
     WHERE queue = ? AND key = ?`,
  );
  /** Steps from one demand to the next: a queue holds few different ones. */
  const matchingDemands = (query: ClaimQuery): string[] => {
    const matching: string[] = [];
    let next = selectNextDemand.get(query.queue, '');
    while (next) {
      if (isMet(requirementsOf(next.demand), query.capabilities)) matching.push(next.demand);
      next = selectNextDemand.get(query.queue, next.demand);
    }
    return matching;
  };

  return (query) => {
    wakeDue.run(query.queue, query.now);
    const claims = matchingDemands(query)
      .flatMap((demand) => selectReady.all(query.queue, demand, query.now, query.limit))
      .sort(byRank)
      .slice(0, query.limit)
      .map((row) => claimOf(row, query));
    for (const { queue, key, leaseUntil } of claims) take.run(query.owner, leaseUntil, leaseUntil, queue, key);
    return claims;
  };
}
