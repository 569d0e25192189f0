// Schedules on the write path: one work item each, due at the next slot or when the status has to be written. Nothing runs in between.
import { specOf, type ReadableSpec } from '@svc/shared/kinds/read';
import type { TaskScheduleSpec } from '@svc/shared/kinds/task-schedule/rules';
import type { Resource, ResourceKey } from '@svc/shared/resource';
import { timestamp, type Clock } from '../../clock.ts';
import type { KindHooks } from '../../registry/registry.ts';
import { racing } from '../../store/write-race.ts';
import type { StoreReader, StoreTransaction } from '../../store/store.ts';
import { slotAfter } from './slots.ts';

export const SCHEDULE = 'TaskSchedule';
/** The key is the uid of the schedule. */
export const SCHEDULE_QUEUE = 'schedule.slots';
const STATES = 'schedule.state';
/** Delay of the rest of the status after a write: a client can continue with the version in its answer. */
const SETTLE_MS = 300;

export interface ScheduleState {
  /** The first slot that was not handled yet, in milliseconds since the epoch; null while suspended. */
  readonly next: number | null;
}

interface ScheduleRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export async function readState(reader: StoreReader, uid: string): Promise<ScheduleState | undefined> {
  return (await reader.getDocument(STATES, uid)) as ScheduleState | undefined;
}

export const putState = (tx: StoreTransaction, uid: string, state: ScheduleState): Promise<void> =>
  tx.putDocument(STATES, uid, { ...state });

/** Counts from this moment, never backwards. */
export const stateFrom = (spec: TaskScheduleSpec, now: number): ScheduleState => ({
  next: spec.suspend === true ? null : (slotAfter(spec, now) ?? null),
});

/** Makes the schedule's work item due at this moment, or leaves it due earlier. A claimed item needs nothing: its handler waits for the row of the schedule. */
async function wakeSchedule(tx: StoreTransaction, { uid: key, namespace, name }: ScheduleRef, at: number): Promise<void> {
  const item = await tx.getWorkItem(SCHEDULE_QUEUE, key);
  if (item?.owner !== undefined) return;
  const due = Math.min(at, item?.notBefore ?? at);
  await racing(tx.enqueueWork({ queue: SCHEDULE_QUEUE, key, namespace, name, rank: due, notBefore: due, requirements: {} }));
}

/** Hooks of TaskSchedule. */
export function createScheduleHooks(clock: Clock): (readonly [kind: string, hooks: KindHooks])[] {
  const restart = async (tx: StoreTransaction, schedule: Resource) => {
    await putState(tx, schedule.metadata.uid, stateFrom(specOf(SCHEDULE, schedule), clock.now()));
    await wakeSchedule(tx, schedule.metadata, clock.now() + SETTLE_MS);
  };
  const schedules: KindHooks = {
    writtenStatus(spec, previous) {
      const metadata = { namespace: '', name: '' };
      if (previous && !hasOtherSlots({ spec, metadata }, previous)) return {};
      const { next } = stateFrom(specOf(SCHEDULE, { spec, metadata }), clock.now());
      return { nextScheduleTime: next === null ? undefined : timestamp(next) };
    },
    onCreated: restart,
    async onUpdated(tx, schedule, { previous }) {
      if (schedule.metadata.generation === previous.metadata.generation) return;
      if (hasOtherSlots(schedule, previous)) await restart(tx, schedule);
      else await wakeSchedule(tx, schedule.metadata, clock.now() + SETTLE_MS);
    },
    async onDeleted(tx, { metadata: { uid } }) {
      await tx.deleteDocument(STATES, uid);
      await tx.dropWork(SCHEDULE_QUEUE, uid);
    },
  };
  return [[SCHEDULE, schedules]];
}

/** Has the status of a schedule written now. */
export async function recheckSchedule(tx: StoreTransaction, found: ResourceKey, now: number): Promise<void> {
  // Under the lock of the row a handler at work has either seen the change or not begun.
  const schedule = await tx.getObjectForUpdate(found);
  if (schedule) await wakeSchedule(tx, schedule, now);
}

function hasOtherSlots(schedule: ReadableSpec, previous: ReadableSpec): boolean {
  const [now, before] = [specOf(SCHEDULE, schedule), specOf(SCHEDULE, previous)];
  return now.schedule !== before.schedule || now.time_zone !== before.time_zone || now.suspend !== before.suspend;
}
