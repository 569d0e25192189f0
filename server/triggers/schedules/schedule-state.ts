// Stored state of a schedule beside its object: the slot to handle next, its runs, and the number of its records. A document; its writer holds the row
// of the schedule.
import type { TaskScheduleSpec } from '@svc/shared/kinds/task-schedule/rules';
import { Collection } from '../../store/collection.ts';
import type { StoreTransaction } from '../../store/store.ts';
import { slotAfter } from './slots.ts';
import { deleteSlots, putSlot, type NewSlotRecord } from './slot-records.ts';

/** By the uid of the schedule. */
export const scheduleStates = new Collection<ScheduleState>('schedule.state');
/** Name of the schedule of each run that has not ended; the id is the uid of the Task. Its labels are its writers'. */
export const scheduleRuns = new Collection<{ readonly schedule: string }>('schedule.runs');

export interface RunRef {
  readonly name: string;
  readonly uid: string;
  /** Number of the record of its slot; absent where an older version made the run. */
  readonly record?: number;
  /** The run of a backfill, which the limits of the schedule neither count nor delete. */
  readonly backfill?: true;
}

export interface ScheduleRuns {
  /** Oldest first. */
  readonly active: readonly RunRef[];
  /** Newest first. */
  readonly succeeded: readonly RunRef[];
  readonly failed: readonly RunRef[];
}

export interface ScheduleState {
  /** The first slot that was not handled yet, in milliseconds since the epoch; null while suspended. */
  readonly next: number | null;
  /** Absent until the schedule is handled for the first time. */
  readonly runs?: ScheduleRuns;
  /** Slots recorded. */
  readonly recorded?: number;
  /** Milliseconds since the epoch; only while suspended. */
  readonly suspendedAt?: number;
}

export async function deleteState(tx: StoreTransaction, uid: string): Promise<void> {
  await scheduleStates.remove(tx, uid);
  await deleteSlots(tx, uid);
}

/** The first slot from this moment on, never backwards. */
export const nextSlot = (spec: TaskScheduleSpec, now: number): number | null =>
  spec.suspend === true ? null : (slotAfter(spec, now) ?? null);

/** Adds a record. Returns the state with its number as `recorded`; the caller stores it. */
export async function recordSlot(
  tx: StoreTransaction,
  { uid, state }: { readonly uid: string; readonly state: ScheduleState },
  slot: NewSlotRecord,
): Promise<ScheduleState> {
  const recorded = (state.recorded ?? 0) + 1;
  await putSlot(tx, uid, { id: String(recorded), ...slot });
  return { ...state, recorded };
}
