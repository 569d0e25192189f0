// SQL of the count of takeovers of a work item.
import { demandInCompany } from '../../demand.ts';
import { LeaseLost } from '../../lease-lost.ts';
import type { Claim } from '../../store.ts';
import type { Connection } from '../connection.ts';

const HELD = 'queue = ? AND key = ? AND owner = ? AND fence = ?';

export function takeoverStatements(connection: Connection) {
  const selectDemand = connection.prepare<{ demand: string }>(`SELECT demand FROM work_items WHERE ${HELD}`);
  const clear = connection.prepare(`UPDATE work_items SET takeovers = 0, demand = ? WHERE ${HELD}`);
  const forgive = connection.prepare(
    'UPDATE work_items SET takeovers = takeovers - 1 WHERE queue = ? AND key = ? AND fence >= ? AND takeovers >= 0',
  );
  const held = ({ queue, key, owner, fence }: Claim): [string, string, string, number] => [queue, key, owner, fence];
  return {
    clearTakeovers(claim: Claim): void {
      const row = selectDemand.get(...held(claim));
      if (!row) throw new LeaseLost(claim.key, claim.fence);
      clear.run(demandInCompany(row.demand), ...held(claim));
    },
    /** Where nobody has taken it over yet, the count goes to -1. */
    forgiveTakeover({ queue, key, fence }: Claim): void {
      forgive.run(queue, key, fence);
    },
  };
}
