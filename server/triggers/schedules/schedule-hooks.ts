// Schedules on the write path: one work item each, due at the next slot or when the status has to be written. Nothing runs in between.
import { specOf, type ReadableSpec } from '@svc/shared/kinds/read';
import type { Resource, ResourceKey, ObjectRef } from '@svc/shared/resource';
import { timestamp, type Clock } from '../../clock.ts';
import type { KindHooks } from '../../registry/registry.ts';
import { racing } from '../../store/write-race.ts';
import type { StoreTransaction } from '../../store/store.ts';
import { deleteState, nextSlot, recordSlot, scheduleStates, type ScheduleState } from './schedule-state.ts';
import { NO_RUN, slotsBetween } from './slot-records.ts';
import { slotText } from './slots.ts';

export const SCHEDULE = 'TaskSchedule';
/** The key is the uid of the schedule. */
export const SCHEDULE_QUEUE = 'schedule.slots';
/** Delay of the rest of the status after a write: a client can continue with the version in its answer. */
const SETTLE_MS = 300;

/** Makes the schedule's work item due at this moment, or leaves it due earlier. A claimed item needs nothing: its handler waits for the row of the schedule. */
async function wakeSchedule(tx: StoreTransaction, { uid: key, namespace, name }: ObjectRef, at: number): Promise<void> {
  const item = await tx.getWorkItem(SCHEDULE_QUEUE, key);
  if (item?.owner !== undefined) return;
  const due = Math.min(at, item?.notBefore ?? at);
  await racing(tx.enqueueWork({ queue: SCHEDULE_QUEUE, key, namespace, name, rank: due, notBefore: due, requirements: {} }));
}

/** Hooks of TaskSchedule. */
export function createScheduleHooks(clock: Clock): (readonly [kind: string, hooks: KindHooks])[] {
  const restart = async (tx: StoreTransaction, schedule: Resource, previous?: Resource) => {
    const now = clock.now();
    const { uid } = schedule.metadata;
    const { suspendedAt: _ended, ...state } = await recordLeftOut(tx, uid, { now, previous });
    const spec = specOf(SCHEDULE, schedule);
    await scheduleStates.put(tx, uid, { ...state, next: nextSlot(spec, now), ...(spec.suspend === true && { suspendedAt: now }) });
    await wakeSchedule(tx, schedule.metadata, now + SETTLE_MS);
  };
  const schedules: KindHooks = {
    writtenStatus(spec, previous) {
      const metadata = { namespace: '', name: '' };
      if (previous && !hasOtherSlots({ spec, metadata }, previous)) return {};
      const next = nextSlot(specOf(SCHEDULE, { spec, metadata }), clock.now());
      return { nextScheduleTime: next === null ? undefined : slotText(next) };
    },
    onCreated: (tx, schedule) => restart(tx, schedule),
    async onUpdated(tx, schedule, { previous }) {
      if (schedule.metadata.generation === previous.metadata.generation) return;
      if (hasOtherSlots(schedule, previous)) await restart(tx, schedule, previous);
      else await wakeSchedule(tx, schedule.metadata, clock.now() + SETTLE_MS);
    },
    async onDeleted(tx, { metadata: { uid } }) {
      await deleteState(tx, uid);
      await tx.dropWork(SCHEDULE_QUEUE, uid);
    },
  };
  return [[SCHEDULE, schedules]];
}

/** Records the slots that a change leaves out: those of a suspension that ends, or one that was due and is not handled yet. Returns the state. */
async function recordLeftOut(
  tx: StoreTransaction,
  uid: string,
  { now, previous }: { readonly now: number; readonly previous: Resource | undefined },
): Promise<ScheduleState> {
  const state = (await scheduleStates.get(tx, uid)) ?? { next: null };
  const { suspendedAt, next } = state;
  const from = suspendedAt ?? next;
  const skipped = previous && from !== null && slotsBetween(specOf(SCHEDULE, previous), from, now + 1);
  if (!skipped) return state;
  const cause =
    suspendedAt === undefined
      ? ({ outcome: 'missed', reason: 'the schedule was changed before the slot ran' } as const)
      : ({ outcome: 'suspended', reason: 'the schedule was suspended' } as const);
  return recordSlot(tx, { uid, state }, { ...skipped, ...NO_RUN, time: timestamp(now), ...cause });
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
