// Handler of a schedule's work item: runs the slot that is due, and brings the status up to date. Everything is one transaction with the end of the item,
// so each slot is handled once, on any number of servers.
import { specOf } from '@svc/shared/kinds/read';
import { timestamp } from '../../clock.ts';
import type { StoredObject, StoreTransaction, WorkItem } from '../../store/store.ts';
import { createTriggeredRun } from '../create-run.ts';
import { listRuns, pruneHistory, runLabels, type ScheduleRuns } from './history.ts';
import { putState, readState, SCHEDULE, stateFrom } from './schedule-hooks.ts';
import { dueSlot, runName, slotAfter, slotText } from './slots.ts';
import { runFields, writeStatus, type ScheduleDeps, type StatusFields } from './status.ts';

export async function fireSchedule(
  deps: ScheduleDeps,
  tx: StoreTransaction,
  item: WorkItem,
): Promise<{ readonly againAt: number } | undefined> {
  const schedule = await tx.getObjectForUpdate({ kind: SCHEDULE, namespace: item.namespace, name: item.name });
  if (schedule?.uid !== item.key) return undefined;
  const now = deps.clock.now();
  const spec = specOf(SCHEDULE, schedule);
  const { next } = (await readState(tx, schedule.uid)) ?? stateFrom(spec, now);
  const slot = next === null ? undefined : dueSlot(spec, next, now);
  const runs = await listRuns(tx, schedule);
  const fired = slot === undefined ? {} : await runSlot(deps, tx, { schedule, slot, runs });
  await pruneHistory(tx, deps.registry(), { schedule, runs });
  // A clock that was set back leaves the next slot where it is: a slot is never handled twice.
  const following = next === null || next > now ? next : (slotAfter(spec, now) ?? null);
  await putState(tx, schedule.uid, { next: following });
  const activeRuns = [...runs.active, ...(fired.lastTriggeredTask === undefined ? [] : [fired.lastTriggeredTask])];
  await writeStatus(deps, tx, { schedule, fields: { ...runFields(runs), ...fired, activeRuns }, next: following });
  return following === null ? undefined : { againAt: following };
}

interface Slot {
  readonly schedule: StoredObject;
  readonly slot: number;
  readonly runs: ScheduleRuns;
}

/** A slot that an active run holds back is not made up for. */
async function runSlot({ registry }: ScheduleDeps, tx: StoreTransaction, { schedule, slot, runs }: Slot): Promise<StatusFields> {
  const acted = { lastScheduleTime: timestamp(slot) };
  if (runs.active.length > 0) return acted;
  const outcome = await createTriggeredRun(tx, registry(), {
    trigger: schedule,
    taskRef: specOf(SCHEDULE, schedule).task_ref,
    name: runName(schedule.name, slot),
    labels: { ...runLabels(schedule), 'svc.dev/task-schedule-slot': slotText(slot) },
    input: {},
  });
  return 'problem' in outcome ? { ...acted, lastError: outcome.problem } : { ...acted, lastTriggeredTask: nameOf(outcome.task) };
}

const nameOf = ({ metadata: { namespace, name } }: { readonly metadata: { readonly namespace: string; readonly name: string } }) =>
  `${namespace}/${name}`;
