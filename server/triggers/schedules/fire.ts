// Handler of a schedule's work item: runs the slot that is due, and brings the status up to date. Everything is one transaction with the end of the item,
// so each slot is handled once, on any number of servers.
import { SLOT_LABEL } from '@svc/shared/api/schedules';
import { specOf } from '@svc/shared/kinds/read';
import { timestamp } from '../../clock.ts';
import type { StoredObject, StoreTransaction, WorkItem } from '../../store/store.ts';
import { createTriggeredRun } from '../create-run.ts';
import { pruneHistory, runLabels, settleRuns } from './history.ts';
import { SCHEDULE } from './schedule-hooks.ts';
import { nextSlot, recordSlot, scheduleRuns, scheduleStates, type ScheduleState } from './schedule-state.ts';
import { NO_RUN, slotsBetween } from './slot-records.ts';
import { dueSlot, runName, slotAfter, slotText } from './slots.ts';
import { appendTriggered, runFields, writeStatus, type ScheduleDeps, type StatusFields } from './status.ts';

export async function fireSchedule(
  deps: ScheduleDeps,
  tx: StoreTransaction,
  item: WorkItem,
): Promise<{ readonly againAt: number } | undefined> {
  const schedule = await tx.getObjectForUpdate({ kind: SCHEDULE, namespace: item.namespace, name: item.name });
  if (schedule?.uid !== item.key) return undefined;
  const now = deps.clock.now();
  const spec = specOf(SCHEDULE, schedule);
  const stored = (await scheduleStates.get(tx, schedule.uid)) ?? { next: nextSlot(spec, now) };
  const { next } = stored;
  const settled = await settleRuns(tx, schedule, stored);
  const handled = await handleSlot(deps, tx, { schedule, now, state: { ...stored, runs: settled.runs } });
  const runs = await pruneHistory(tx, deps.registry(), { schedule, runs: handled.state.runs ?? settled.runs });
  // A clock that was set back leaves the next slot where it is: a slot is never handled twice.
  const following = next === null || next > now ? next : (slotAfter(spec, now) ?? null);
  await scheduleStates.put(tx, schedule.uid, { ...handled.state, runs, next: following });
  const fields = { ...runFields(schedule, { ...settled, runs }), ...handled.fields };
  await writeStatus(deps, tx, { schedule, fields, next: following });
  return following === null ? undefined : { againAt: following };
}

interface Turn {
  readonly schedule: StoredObject;
  readonly now: number;
  readonly state: ScheduleState;
}

interface HandledSlot {
  readonly state: ScheduleState;
  readonly fields: StatusFields;
}

/** Runs the slot that is due, and records what became of it and of those before it. */
async function handleSlot(deps: ScheduleDeps, tx: StoreTransaction, { schedule, now, state }: Turn): Promise<HandledSlot> {
  const { next } = state;
  if (next === null || next > now) return { state, fields: {} };
  const spec = specOf(SCHEDULE, schedule);
  const slot = dueSlot(spec, next, now);
  const missed = slot === next ? undefined : slotsBetween(spec, next, slot ?? now + 1);
  const reason = `more than ${spec.starting_deadline_seconds} s late, or superseded by a later slot that was due`;
  const noted = missed
    ? await recordSlot(tx, { uid: schedule.uid, state }, { ...missed, ...NO_RUN, time: timestamp(now), outcome: 'missed', reason })
    : state;
  return slot === undefined ? { state: noted, fields: {} } : runSlot(deps, tx, { schedule, now, state: noted, slot });
}

/** A slot that an active run holds back is not made up for. */
async function runSlot(
  deps: ScheduleDeps,
  tx: StoreTransaction,
  { schedule, now, state, slot }: Turn & { slot: number },
): Promise<HandledSlot> {
  const { uid, namespace, name } = schedule;
  const acted = { lastScheduleTime: slotText(slot) };
  const base = { slot: slotText(slot), time: timestamp(now), count: 1, ...NO_RUN };
  const runs = state.runs ?? { active: [], succeeded: [], failed: [] };
  const [active] = runs.active;
  if (active) {
    const reason = `the run ${namespace}/${active.name} was active`;
    return { state: await recordSlot(tx, { uid, state }, { ...base, outcome: 'held_back', reason }), fields: acted };
  }
  const outcome = await createTriggeredRun(tx, deps.registry(), {
    trigger: schedule,
    taskRef: specOf(SCHEDULE, schedule).task_ref,
    name: runName(name, slot),
    labels: { ...runLabels(schedule), [SLOT_LABEL]: slotText(slot) },
    input: {},
  });
  if ('problem' in outcome) {
    const failed = await recordSlot(tx, { uid, state }, { ...base, outcome: 'failed', reason: outcome.problem });
    return { state: failed, fields: { ...acted, lastError: outcome.problem } };
  }
  const { metadata } = outcome.task;
  const task = `${metadata.namespace}/${metadata.name}`;
  const started = await recordSlot(tx, { uid, state }, { ...base, outcome: 'started', reason: null, task });
  await appendTriggered(tx, schedule, { time: base.time, task, slot: base.slot, why: `for the slot ${base.slot}` });
  await scheduleRuns.put(tx, metadata.uid, { schedule: name });
  const run = { name: metadata.name, uid: metadata.uid, record: started.recorded ?? 1 };
  return { state: { ...started, runs: { ...runs, active: [run] } }, fields: { ...acted, lastTriggeredTask: task } };
}
