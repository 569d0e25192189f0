// Requests of people about a schedule: its next due times, a run at once, and runs of past due times.
import type { BackfillRange, ScheduleBackfill, SchedulePreview, SlotRecord } from '@svc/shared/api/schedules';
import { firesAfter } from '@svc/shared/cron/cron';
import { ServiceError } from '@svc/shared/errors';
import { specOf } from '@svc/shared/kinds/read';
import type { NamespacedName } from '@svc/shared/resource';
import { timestamp, type Clock } from '../../clock.ts';
import { requireRole } from '../../registry/authorise.ts';
import type { Registry, RequestContext } from '../../registry/registry.ts';
import type { Store } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';
import { createTriggeredRun } from '../create-run.ts';
import { backfill, previewBackfill } from './backfill.ts';
import { runLabels } from './history.ts';
import { holdSchedule, requireIdle, titleOf } from './hold-schedule.ts';
import { SCHEDULE } from './schedule-hooks.ts';
import { nextSlot, recordSlot, scheduleRuns, scheduleStates } from './schedule-state.ts';
import { listSlots, NO_RUN } from './slot-records.ts';
import { runName, slotText } from './slots.ts';
import { appendTriggered, runFields, writeStatus } from './status.ts';

export const PREVIEW_DEFAULT = 5;
export const PREVIEW_MAX = 1_000;

export interface ScheduleService {
  /** The next due times, as if the schedule were not suspended. */
  preview(context: RequestContext, schedule: NamespacedName, count: number): Promise<SchedulePreview>;
  /** Records of its newest slots, newest first. */
  slots(context: RequestContext, schedule: NamespacedName): Promise<SlotRecord[]>;
  /** Runs it now, suspended or not. `conflict` while a run is active, and when the template gives no run. */
  trigger(context: RequestContext, schedule: NamespacedName): Promise<{ readonly task: string }>;
  /** Due times of a past range with their runs. `invalid` for another range or one of more than BACKFILL_MAX. */
  previewBackfill(context: RequestContext, schedule: NamespacedName, range: BackfillRange): Promise<ScheduleBackfill>;
  /** Starts the runs that are missing there, all at once, suspended or not. Errors as for both above; then nothing is started. */
  backfill(context: RequestContext, schedule: NamespacedName, range: BackfillRange): Promise<ScheduleBackfill>;
}

interface Deps {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
}

export function createScheduleService(deps: Deps): ScheduleService {
  return {
    async preview(context, schedule, count) {
      const spec = specOf(SCHEDULE, await deps.registry.get(context, { kind: SCHEDULE, ...schedule }));
      return { time_zone: spec.time_zone, items: firesAfter(spec, deps.clock.now(), count).map(slotText) };
    },
    async slots(context, schedule) {
      const { metadata } = await deps.registry.get(context, { kind: SCHEDULE, ...schedule });
      return listSlots(deps.store, metadata.uid);
    },
    trigger: (context, schedule) => trigger(deps, context, schedule),
    async previewBackfill(context, name, range) {
      const schedule = await deps.registry.get(context, { kind: SCHEDULE, ...name });
      const now = deps.clock.now();
      const spec = specOf(SCHEDULE, schedule);
      const { next } = (await scheduleStates.get(deps.store, schedule.metadata.uid)) ?? { next: nextSlot(spec, now) };
      return previewBackfill(deps.store, { schedule: schedule.metadata, spec, range, next, now });
    },
    async backfill(context, name, range) {
      requireRole(context, 'writer', 'starting runs of a schedule');
      const found = await deps.registry.get(context, { kind: SCHEDULE, ...name });
      return transactAgain(deps.store, (tx) => backfill(deps, tx, { found, range, by: context.identity.name }));
    },
  };
}

async function trigger({ store, registry, clock }: Deps, context: RequestContext, name: NamespacedName): Promise<{ task: string }> {
  requireRole(context, 'writer', 'starting the run of a schedule');
  const found = await registry.get(context, { kind: SCHEDULE, ...name });
  return transactAgain(store, async (tx) => {
    const now = clock.now();
    const held = await holdSchedule(tx, found.metadata, now);
    requireIdle(held);
    const { schedule, state, settled } = held;
    const outcome = await createTriggeredRun(tx, registry, {
      trigger: schedule,
      taskRef: specOf(SCHEDULE, schedule).task_ref,
      name: runName(schedule.name, now),
      labels: runLabels(schedule),
      input: {},
      alsoBy: [context.identity.name],
    });
    if ('problem' in outcome) throw new ServiceError('conflict', `${titleOf(schedule)} cannot run: ${outcome.problem}`);
    const { metadata } = outcome.task;
    const task = `${metadata.namespace}/${metadata.name}`;
    const reason = `started by ${context.identity.name}`;
    const record = { slot: null, time: timestamp(now), count: 1, ...NO_RUN, outcome: 'started', reason, task } as const;
    const noted = await recordSlot(tx, { uid: schedule.uid, state }, record);
    await appendTriggered(tx, schedule, { time: record.time, task, why: `at the request of ${context.identity.name}` });
    await scheduleRuns.put(tx, metadata.uid, { schedule: schedule.name });
    const run = { name: metadata.name, uid: metadata.uid, record: noted.recorded ?? 1 };
    const runs = { ...settled.runs, active: [run] };
    await scheduleStates.put(tx, schedule.uid, { ...noted, runs });
    const fields = { ...runFields(schedule, { ...settled, runs }), lastTriggeredTask: task };
    await writeStatus({ clock }, tx, { schedule, fields, next: state.next });
    return { task };
  });
}
