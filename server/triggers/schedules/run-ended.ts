// Ends of a schedule's runs: its status follows, and old runs are deleted.
import { statusOf } from '@svc/shared/kinds/read';
import type { RunListener } from '../../engine/run-listeners.ts';
import type { StoreTransaction, WorkItem } from '../../store/store.ts';
import { isScheduled, listRuns, pruneHistory, SCHEDULE_LABEL } from './history.ts';
import { readState, SCHEDULE } from './schedule-hooks.ts';
import { runFields, writeStatus, type ScheduleDeps } from './status.ts';

/** Ended runs of schedules; the key is the uid of the Task. */
export const RUN_ENDED_QUEUE = 'schedule.run-ended';

/** Leaves a work item in the transaction that ends a run of a schedule: the run does not wait for the row of the schedule. */
export const scheduleRunListener: RunListener = {
  name: 'schedules',
  async onRunChange(tx, { metadata: { uid: key, namespace, labels } }, change) {
    const name = labels[SCHEDULE_LABEL];
    if (change.kind !== 'ended' || !isScheduled(labels) || name === undefined) return;
    await tx.enqueueWork({ queue: RUN_ENDED_QUEUE, key, namespace, name, rank: 0, notBefore: 0, requirements: {} });
  },
};

/** Handler of RUN_ENDED_QUEUE. */
export async function noteRunEnd(deps: ScheduleDeps, tx: StoreTransaction, { namespace, name }: WorkItem): Promise<undefined> {
  const schedule = await tx.getObjectForUpdate({ kind: SCHEDULE, namespace, name });
  if (!schedule) return undefined;
  const { next = null } = (await readState(tx, schedule.uid)) ?? {};
  const { lastError } = statusOf(SCHEDULE, schedule);
  const runs = await listRuns(tx, schedule);
  await pruneHistory(tx, deps.registry(), { schedule, runs });
  const fields = { ...(lastError !== undefined && { lastError }), ...runFields(runs) };
  await writeStatus(deps, tx, { schedule, fields, next });
  return undefined;
}
