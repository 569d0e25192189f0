// Ends of a schedule's runs: its status follows, and old runs are deleted.
import { statusOf } from '@svc/shared/kinds/read';
import type { RunListener } from '../../engine/run-listeners.ts';
import { partName } from '../../registry/principal.ts';
import type { StoreTransaction, WorkItem } from '../../store/store.ts';
import { pruneHistory, SCHEDULE_LABEL, settleRuns } from './history.ts';
import { SCHEDULE } from './schedule-hooks.ts';
import { scheduleRuns, scheduleStates } from './schedule-state.ts';
import { newestProblem } from './slot-records.ts';
import { runFields, writeStatus, type ScheduleDeps } from './status.ts';

/** Ended runs of schedules; the key is the uid of the Task. */
export const RUN_ENDED_QUEUE = 'schedule.run-ended';

/** Leaves a work item in the transaction that ends a run of a schedule: the run does not wait for the row of the schedule. */
export const scheduleRunListener: RunListener = {
  name: 'schedules',
  async onRunChange(tx, { metadata: { uid: key, namespace, labels, createdBy } }, change) {
    if (change.kind !== 'ended' || createdBy !== partName('triggers')) return;
    // Runs of an older version have the label alone.
    const name = (await scheduleRuns.take(tx, key))?.schedule ?? labels[SCHEDULE_LABEL];
    if (name === undefined) return;
    await tx.enqueueWork({ queue: RUN_ENDED_QUEUE, key, namespace, name, rank: 0, notBefore: 0, requirements: {} });
  },
};

/** Handler of RUN_ENDED_QUEUE. */
export async function noteRunEnd(deps: ScheduleDeps, tx: StoreTransaction, { namespace, name }: WorkItem): Promise<undefined> {
  const schedule = await tx.getObjectForUpdate({ kind: SCHEDULE, namespace, name });
  if (!schedule) return undefined;
  const state = await scheduleStates.get(tx, schedule.uid);
  if (!state) return undefined;
  const settled = await settleRuns(tx, schedule, state);
  const runs = await pruneHistory(tx, deps.registry(), { schedule, runs: settled.runs });
  await scheduleStates.put(tx, schedule.uid, { ...state, runs });
  const { lastError } = statusOf(SCHEDULE, schedule);
  // A slot may have failed between the end of the run and this item.
  const isOfSlot = lastError !== undefined && lastError === (await newestProblem(tx, schedule.uid, state.recorded ?? 0));
  const fields = { ...(isOfSlot && { lastError }), ...runFields(schedule, { ...settled, runs }) };
  await writeStatus(deps, tx, { schedule, fields, next: state.next });
  return undefined;
}
