// Backfill of a schedule: runs for due times of the past that have none, on request of a person.
import {
  BACKFILL_LABEL,
  BACKFILL_MAX,
  SLOT_LABEL,
  type BackfillRange,
  type BackfillSlot,
  type ScheduleBackfill,
} from '@svc/shared/api/schedules';
import { firesAfter, type CronClock } from '@svc/shared/cron/cron';
import { invalidFields, ServiceError } from '@svc/shared/errors';
import { specOf } from '@svc/shared/kinds/read';
import { parseRfc3339 } from '@svc/shared/rfc3339';
import type { ObjectRef, Resource } from '@svc/shared/resource';
import { timestamp, type Clock } from '../../clock.ts';
import { partName } from '../../registry/principal.ts';
import type { Registry } from '../../registry/registry.ts';
import { eachObject } from '../../store/each-object.ts';
import type { StoredObject, StoreReader, StoreTransaction } from '../../store/store.ts';
import { createTriggeredRun } from '../create-run.ts';
import { runLabels, SCHEDULE_LABEL } from './history.ts';
import { holdSchedule, requireIdle, titleOf } from './hold-schedule.ts';
import { SCHEDULE } from './schedule-hooks.ts';
import { recordSlot, scheduleRuns, scheduleStates, type RunRef } from './schedule-state.ts';
import { listSlots, NO_RUN } from './slot-records.ts';
import { runName, slotText } from './slots.ts';
import { appendTriggered, runFields, writeStatus } from './status.ts';

export interface BackfillQuestion {
  readonly schedule: ObjectRef;
  readonly spec: CronClock;
  readonly range: BackfillRange;
  /** The first slot that the schedule has not handled, which it runs or leaves out by itself; null: there is none. */
  readonly next: number | null;
  readonly now: number;
}

/** Due times of the range with their runs. Throws `invalid` for a range that is not of the past or has too many, `conflict` for one with a slot that the schedule has yet to handle. */
export async function previewBackfill(reader: StoreReader, question: BackfillQuestion): Promise<ScheduleBackfill> {
  const { schedule, spec, next } = question;
  const due = dueTimes(spec, readRange(question.range, question.now));
  const own = due.find((at) => next !== null && at >= next);
  if (own !== undefined)
    throw new ServiceError('conflict', `${titleOf(schedule)} has yet to handle ${slotText(own)}; try again, or choose an earlier end`);
  const slots = due.map(slotText);
  const { runs, unrecordedBefore } = await findRunsOf(reader, schedule, slots);
  const isUnrecorded = unrecordedBefore !== undefined && due.some((at) => at < Date.parse(unrecordedBefore));
  return {
    time_zone: spec.time_zone,
    items: slots.map((slot) => ({ slot, task: runs.get(slot) ?? null, created: false })),
    unrecorded_before: isUnrecorded ? unrecordedBefore : null,
  };
}

function readRange({ from = '', to = '' }: BackfillRange, now: number): { readonly from: number; readonly to: number } {
  const range = { from: parseRfc3339(from) ?? NaN, to: parseRfc3339(to) ?? NaN };
  const written = 'must be an RFC 3339 time such as 2026-11-24T08:30:00Z';
  const errors = [
    ...(Number.isNaN(range.from) ? [{ path: 'from', message: written }] : []),
    ...(Number.isNaN(range.to) ? [{ path: 'to', message: written }] : []),
    ...(range.from > range.to ? [{ path: 'from', message: 'must not be after "to"' }] : []),
    ...(range.to > now ? [{ path: 'to', message: 'must not be in the future' }] : []),
  ];
  if (errors.length > 0) throw invalidFields('The backfill', errors);
  return range;
}

function dueTimes(clock: CronClock, { from, to }: { readonly from: number; readonly to: number }): number[] {
  const due = firesAfter(clock, from - 1, BACKFILL_MAX + 1).filter((at) => at <= to);
  const last = due[BACKFILL_MAX - 1];
  if (last === undefined || due.length <= BACKFILL_MAX) return due;
  const message = `is too late: a backfill has at most ${BACKFILL_MAX} due times, the last of them here ${slotText(last)}`;
  throw invalidFields('The backfill', [{ path: 'to', message }]);
}

interface FoundRuns {
  /** By slot, as namespace/name. */
  readonly runs: ReadonlyMap<string, string>;
  readonly unrecordedBefore: string | undefined;
}

/** Runs of slots: those that exist, and those that the schedule started and whose record it has. */
async function findRunsOf(reader: StoreReader, { uid, namespace, name }: ObjectRef, slots: readonly string[]): Promise<FoundRuns> {
  const runs = new Map<string, string>();
  if (slots.length === 0) return { runs, unrecordedBefore: undefined };
  const records = await listSlots(reader, uid);
  const wanted = new Set(slots);
  for (const { slot, task, outcome } of records)
    if (outcome === 'started' && slot !== null && task !== null && wanted.has(slot)) runs.set(slot, task);
  const labels = [
    { key: SCHEDULE_LABEL, op: 'eq', value: name },
    { key: SLOT_LABEL, op: 'in', values: slots },
  ] as const;
  for await (const task of eachObject(reader, { kind: 'Task', namespace, labels }))
    if (task.createdBy === partName('triggers')) runs.set(task.labels[SLOT_LABEL] ?? '', `${task.namespace}/${task.name}`);
  const oldest = records.at(-1);
  return { runs, unrecordedBefore: oldest === undefined || oldest.id === '1' ? undefined : oldest.time };
}

export interface BackfillRequest {
  readonly range: BackfillRange;
  /** The schedule as the requester reads it. */
  readonly found: Resource;
  /** Name of the requesting principal. */
  readonly by: string;
}

/** Starts a run for each due time without one. Throws `conflict` while a run is active and another would be started, and when the template gives none; then nothing is stored. */
export async function backfill(
  { registry, clock }: { readonly registry: Pick<Registry, 'within'>; readonly clock: Clock },
  tx: StoreTransaction,
  { found: { metadata }, range, by }: BackfillRequest,
): Promise<ScheduleBackfill> {
  const now = clock.now();
  const held = await holdSchedule(tx, metadata, now);
  const { schedule, state, settled } = held;
  const question = { schedule, spec: specOf(SCHEDULE, schedule), range, next: state.next, now };
  const found = await previewBackfill(tx, question);
  if (found.items.every(({ task }) => task !== null)) return found;
  requireIdle(held);
  const active: RunRef[] = [];
  const items: BackfillSlot[] = [];
  for (const item of found.items) {
    if (item.task !== null) items.push(item);
    else {
      const run = await startRun(registry, tx, { schedule, slot: item.slot, by, now });
      active.push({ name: run.name, uid: run.uid, backfill: true });
      items.push({ slot: item.slot, task: `${schedule.namespace}/${run.name}`, created: true });
    }
  }
  const created = items.filter((item) => item.created);
  const [first, last] = [created.at(0), created.at(-1)];
  const noted = await recordSlot(
    tx,
    { uid: schedule.uid, state },
    {
      ...{ slot: last?.slot ?? null, time: timestamp(now), count: created.length, ...NO_RUN, outcome: 'backfilled' },
      reason: `${created.length > 1 ? `from ${first?.slot} on, ` : ''}at the request of ${by}`,
    },
  );
  const runs = { ...settled.runs, active };
  await scheduleStates.put(tx, schedule.uid, { ...noted, runs });
  const fields = { ...runFields(schedule, { ...settled, runs }), lastTriggeredTask: last?.task ?? undefined };
  await writeStatus({ clock }, tx, { schedule, fields, next: state.next });
  return { ...found, items };
}

interface BackfilledRun {
  readonly schedule: StoredObject;
  readonly slot: string;
  readonly by: string;
  readonly now: number;
}

async function startRun(registry: Pick<Registry, 'within'>, tx: StoreTransaction, { schedule, slot, by, now }: BackfilledRun) {
  const time = timestamp(now);
  const outcome = await createTriggeredRun(tx, registry, {
    trigger: schedule,
    taskRef: specOf(SCHEDULE, schedule).task_ref,
    name: runName(schedule.name, Date.parse(slot)),
    labels: { ...runLabels(schedule), [SLOT_LABEL]: slot, [BACKFILL_LABEL]: time },
    input: {},
    alsoBy: [by],
  });
  if ('problem' in outcome) throw new ServiceError('conflict', `${titleOf(schedule)} cannot run: ${outcome.problem}`);
  const { namespace, name, uid } = outcome.task.metadata;
  await appendTriggered(tx, schedule, { time, task: `${namespace}/${name}`, slot, why: `for the slot ${slot}, at the request of ${by}` });
  await scheduleRuns.put(tx, uid, { schedule: schedule.name });
  return { name, uid };
}
