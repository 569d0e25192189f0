// SQL that reads the work queue without claiming: ready items, and counts by demand.
import { demandOf, requirementsOf } from '../../demand.ts';
import type { ReadyWorkPage, WorkCounts, WorkItem, WorkRequirements } from '../../store.ts';
import { toItem, WORK_COLUMNS } from '../../work-row.ts';
import type { WorkRow } from '../../work-row.ts';
import { one, statement } from '../session.ts';
import type { Session } from '../session.ts';
import { selectDemands } from './claims.ts';

const selectReady = statement(
  `SELECT ${WORK_COLUMNS} FROM work_items WHERE queue = $1 AND ready = 1 AND demand = $2 AND (rank, key) > ($3, $4) ORDER BY rank, key LIMIT $5`,
);
const selectCounts = statement(
  `SELECT count(*) FILTER (WHERE ready = 1 OR (owner IS NULL AND wake_at <= $2)) AS ready,
     count(*) FILTER (WHERE owner IS NULL AND wake_at > $2) AS waiting,
     count(*) FILTER (WHERE owner IS NOT NULL) AS claimed,
     count(*) FILTER (WHERE parked = 1) AS parked
   FROM work_items WHERE queue = $1`,
);
const selectHeld = statement(
  `SELECT count(owner) AS held FROM (
     SELECT owner FROM work_items WHERE queue = $1 AND wake_at IS NOT NULL ORDER BY wake_at LIMIT $2
   ) AS waking`,
);

/** Stands before every item in order of rank. */
const BEFORE_ALL = { rank: Number.MIN_SAFE_INTEGER, key: '' };

export async function listDemands(session: Session, queue: string): Promise<WorkRequirements[]> {
  const { rows } = await session.run<{ demand: string }>(selectDemands, [queue]);
  return rows.map(({ demand }) => requirementsOf(demand));
}

export interface ReadyQuery {
  readonly queue: string;
  readonly requirements: WorkRequirements;
}

export async function listReadyWork(session: Session, { queue, requirements }: ReadyQuery, page: ReadyWorkPage): Promise<WorkItem[]> {
  const { after = BEFORE_ALL, limit } = page;
  const { rows } = await session.run<WorkRow>(selectReady, [queue, demandOf(requirements), after.rank, after.key, limit]);
  return rows.map(toItem);
}

export async function countWork(session: Session, queue: string, now: number): Promise<WorkCounts> {
  return { ready: 0, waiting: 0, claimed: 0, parked: 0, ...(await one(session.run<WorkCounts>(selectCounts, [queue, now]))) };
}

export async function countHeldWork(session: Session, queue: string, limit: number): Promise<number> {
  return (await one(session.run<{ held: number }>(selectHeld, [queue, limit])))?.held ?? 0;
}
