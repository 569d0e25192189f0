// SQL of claiming. Due items are first made ready, then ready ones are read by index in rank order. Locked rows are passed over:
// claimers never wait for each other and never get the same item.
import { isMet, requirementsOf } from '../../demand.ts';
import type { Claim, ClaimQuery } from '../../store.ts';
import { byRank, claimOf, WORK_COLUMNS } from '../../work-row.ts';
import type { WorkRow } from '../../work-row.ts';
import { statement } from '../session.ts';
import type { Session } from '../session.ts';
import type { TransactionSession } from '../transaction-session.ts';

/** Due items that one claim makes ready; what is left follows with the next claim. Bounds a claim after a long standstill. */
const WAKE_MAX = 1_000;
/** Candidates per demand beyond the limit, for those that other claimers hold at this moment. */
const LOCKED_MAX = 100;

const wakeDue = statement(
  `WITH due AS MATERIALIZED (
     SELECT queue, key FROM work_items WHERE queue = $1 AND wake_at <= $2 ORDER BY wake_at LIMIT ${WAKE_MAX} FOR NO KEY UPDATE SKIP LOCKED
   ) UPDATE work_items w SET ready = 1, wake_at = NULL FROM due WHERE w.queue = due.queue AND w.key = due.key`,
);
/** Steps from one demand to the next: a queue holds few different ones. */
export const selectDemands = statement(
  `WITH RECURSIVE step AS (
     (SELECT demand FROM work_items WHERE queue = $1 AND ready = 1 ORDER BY demand LIMIT 1)
     UNION ALL
     SELECT following.demand FROM step CROSS JOIN LATERAL
       (SELECT w.demand FROM work_items w WHERE w.queue = $1 AND w.ready = 1 AND w.demand > step.demand ORDER BY w.demand LIMIT 1) following
   ) SELECT demand FROM step`,
);

/** Inputs of one claim: the demands of ready items, and (as the row without one) whether others have come due. */
const survey = statement(
  `SELECT demand, FALSE AS due FROM (${selectDemands.text}) ready
   UNION ALL SELECT NULL, TRUE WHERE EXISTS (SELECT FROM work_items WHERE queue = $1 AND wake_at <= $2)`,
);

/** The columns as they were before the claim. */
const BEFORE = WORK_COLUMNS.split(', ')
  .map((column) => `picked.${column}`)
  .join(', ');
const TAKE = `UPDATE work_items w SET takeovers = w.takeovers + (w.owner IS NOT NULL)::int, owner = $4, fence = w.fence + 1, lease_until = $5, ready = 0, wake_at = $5 FROM picked
   WHERE w.queue = picked.queue AND w.key = picked.key RETURNING ${BEFORE}`;

const takeOfOne = statement(
  `WITH picked AS MATERIALIZED (
     SELECT ${WORK_COLUMNS} FROM work_items WHERE queue = $1 AND ready = 1 AND demand = $6 AND not_before <= $2
     ORDER BY rank, key LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
   ) ${TAKE}`,
);
// The first of each demand, put in order, and of those the first that are free: nothing is locked that is not taken.
// `ready <> 0` keeps the planner from the partial index, which does not begin with the key and would be read whole for each candidate.
const takeOfSeveral = statement(
  `WITH picked AS MATERIALIZED (
     SELECT ${WORK_COLUMNS.split(', ')
       .map((column) => `c.${column}`)
       .join(', ')}
     FROM (
       SELECT first.queue, first.key, first.rank FROM unnest($6::text[]) AS d (demand) CROSS JOIN LATERAL
         (SELECT queue, key, rank FROM work_items WHERE queue = $1 AND ready = 1 AND demand = d.demand AND not_before <= $2
          ORDER BY rank, key LIMIT $3::bigint + ${LOCKED_MAX}) first
       OFFSET 0
     ) candidate JOIN work_items c ON c.queue = candidate.queue AND c.key = candidate.key AND c.ready <> 0
     ORDER BY candidate.rank, candidate.key LIMIT $3 FOR NO KEY UPDATE OF c SKIP LOCKED
   ) ${TAKE}`,
);

/** A session that reads ahead of its transaction. */
export type ClaimSession = Session & Pick<TransactionSession, 'look'>;

/** Most polls find nothing due, and then take one statement. */
async function readyDemands(session: ClaimSession, { queue, now }: ClaimQuery): Promise<string[]> {
  const { rows } = await session.look<{ demand: string | null; due: boolean }>(survey, [queue, now]);
  const demands = rows.flatMap(({ demand }) => demand ?? []);
  if (demands.length === rows.length) return demands;
  // Sent together: the second sees the rows of the first.
  const [, ready] = await Promise.all([session.run(wakeDue, [queue, now]), session.run<{ demand: string }>(selectDemands, [queue])]);
  return ready.rows.map(({ demand }) => demand);
}

/** Takes up to `limit` items. */
export async function claimWork(session: ClaimSession, query: ClaimQuery): Promise<Claim[]> {
  const { queue, owner, now, limit } = query;
  const demands = (await readyDemands(session, query)).filter((demand) => isMet(requirementsOf(demand), query.capabilities));
  const [only] = demands;
  if (only === undefined || limit === 0) return [];
  const values = [queue, now, limit, owner, now + query.leaseMs];
  const { rows } =
    demands.length === 1
      ? await session.run<WorkRow>(takeOfOne, [...values, only])
      : await session.run<WorkRow>(takeOfSeveral, [...values, demands]);
  return rows.sort(byRank).map((row) => claimOf(row, query));
}
