// Runs of a schedule: the active ones, and finished ones up to the limits of the schedule. Kept beside the next slot, so that a slot costs the same
// however many runs there are.
import { specOf, statusOf } from '@svc/shared/kinds/read';
import { TASK_TERMINAL_PHASES } from '@svc/shared/kinds/task/schema';
import { partName } from '../../registry/principal.ts';
import type { Registry } from '../../registry/registry.ts';
import type { StoredObject, StoreReader, StoreTransaction } from '../../store/store.ts';
import { TRIGGERS } from '../create-run.ts';
import type { RunRef, ScheduleRuns, ScheduleState } from './schedule-state.ts';
import { endSlot } from './slot-records.ts';

export const SCHEDULE_LABEL = 'svc.dev/task-schedule';
const CAUSE_LABEL = 'svc.dev/created-by';
const CAUSE = 'schedule';
/** Finished runs of each kind that are counted. A higher limit of a schedule keeps all. */
const FINISHED_MAX = 1_000;

export const runLabels = ({ name }: Pick<StoredObject, 'name'>) => ({ [CAUSE_LABEL]: CAUSE, [SCHEDULE_LABEL]: name });

const ENDED: readonly string[] = TASK_TERMINAL_PHASES;
const refOf = ({ name, uid }: StoredObject): RunRef => ({ name, uid });

/** Runs of a schedule that keeps no count of them yet: a new one, or one of an older version. Other Tasks with its label are kept, even runs of a deleted schedule of its name. */
async function findRuns(
  reader: Pick<StoreReader, 'listObjects'>,
  { namespace, name, createdAt: since }: StoredObject,
): Promise<ScheduleRuns> {
  const labels = [{ key: SCHEDULE_LABEL, op: 'eq', value: name }] as const;
  const found = await reader.listObjects({ kind: 'Task', namespace, labels, order: '-createdAt', limit: FINISHED_MAX });
  const runs = found.filter(
    ({ createdBy, createdAt, labels: { [CAUSE_LABEL]: cause } }) =>
      createdBy === partName('triggers') && createdAt > since && cause === CAUSE,
  );
  const phaseOf = (run: StoredObject) => statusOf('Task', run).phase;
  return {
    active: runs
      .filter((run) => !ENDED.includes(phaseOf(run)))
      .map(refOf)
      .reverse(),
    succeeded: runs.filter((run) => phaseOf(run) === 'Succeeded').map(refOf),
    failed: runs.filter((run) => ENDED.includes(phaseOf(run)) && phaseOf(run) !== 'Succeeded').map(refOf),
  };
}

export interface SettledRuns {
  readonly runs: ScheduleRuns;
  /** When the newest success was completed, if one came to light now. */
  readonly lastSucceeded: string | undefined;
}

/** Looks after the active runs: those that have ended are moved to the finished ones. The caller holds the row of the schedule. */
export async function settleRuns(tx: StoreTransaction, schedule: StoredObject, state: Pick<ScheduleState, 'runs'>): Promise<SettledRuns> {
  const known = state.runs ?? (await findRuns(tx, schedule));
  const runs = { active: [] as RunRef[], succeeded: [...known.succeeded], failed: [...known.failed] };
  let lastSucceeded: string | undefined;
  for (const run of known.active) {
    const task = await tx.getObject({ kind: 'Task', namespace: schedule.namespace, name: run.name });
    const status = task?.uid === run.uid ? statusOf('Task', task) : undefined;
    if (status && !ENDED.includes(status.phase)) runs.active.push(run);
    else if (run.record !== undefined) await endSlot(tx, schedule.uid, { record: run.record, phase: status?.phase ?? 'Deleted' });
    if (status?.phase === 'Succeeded') lastSucceeded = status.completedAt;
    if (status && ENDED.includes(status.phase) && run.backfill !== true)
      (status.phase === 'Succeeded' ? runs.succeeded : runs.failed).unshift({ name: run.name, uid: run.uid });
  }
  return { runs, lastSucceeded };
}

/** Deletes the oldest finished runs beyond the limits of the schedule. Returns the runs that are left. */
export async function pruneHistory(
  tx: StoreTransaction,
  registry: Pick<Registry, 'within'>,
  { schedule, runs }: { readonly schedule: StoredObject; readonly runs: ScheduleRuns },
): Promise<ScheduleRuns> {
  const { successful_history_limit: succeeded, failed_history_limit: failed } = specOf('TaskSchedule', schedule);
  const prune = (finished: readonly RunRef[], limit: number) => pruned(tx, registry, { namespace: schedule.namespace, finished, limit });
  return { active: runs.active, succeeded: await prune(runs.succeeded, succeeded), failed: await prune(runs.failed, failed) };
}

async function pruned(
  tx: StoreTransaction,
  registry: Pick<Registry, 'within'>,
  { namespace, finished, limit }: { readonly namespace: string; readonly finished: readonly RunRef[]; readonly limit: number },
): Promise<readonly RunRef[]> {
  if (finished.length <= limit) return finished;
  if (limit >= FINISHED_MAX) return finished.slice(0, FINISHED_MAX);
  const keyOf = ({ name }: RunRef) => ({ kind: 'Task', namespace, name });
  // Runs that a person or a retention rule deleted do not count.
  const fields = await tx.readIndexedFields(finished.map(keyOf));
  const there = finished.filter((_run, at) => fields[at] !== undefined);
  for (const run of there.slice(limit)) {
    const task = await tx.getObject(keyOf(run));
    if (task?.uid === run.uid) await registry.within(tx).remove(TRIGGERS, { ...keyOf(run), uid: run.uid });
  }
  return there.slice(0, limit);
}
