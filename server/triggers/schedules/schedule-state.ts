// Stored state of a schedule beside its object: the slot to handle next, its runs, and the number of its records. A document; its writer holds the row
// of the schedule.
import type { TaskScheduleSpec } from '@svc/shared/kinds/task-schedule/rules';
import type { StoreReader, StoreTransaction } from '../../store/store.ts';
import { slotAfter } from './slots.ts';
import { deleteSlots, putSlot, type NewSlotRecord } from './slot-records.ts';

const STATES = 'schedule.state';
/** Name of the schedule of each run that has not ended; the id is the uid of the Task. Its labels are its writers'. */
const RUNS = 'schedule.runs';

export interface RunRef {
  readonly name: string;
  readonly uid: string;
  /** Number of the record of its slot; absent where an older version made the run. */
  readonly record?: number;
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

export async function readState(reader: StoreReader, uid: string): Promise<ScheduleState | undefined> {
  return (await reader.getDocument(STATES, uid)) as ScheduleState | undefined;
}

export const putState = (tx: StoreTransaction, uid: string, state: ScheduleState): Promise<void> =>
  tx.putDocument(STATES, uid, { ...state });

export async function deleteState(tx: StoreTransaction, uid: string): Promise<void> {
  await tx.deleteDocument(STATES, uid);
  await deleteSlots(tx, uid);
}

export const putRun = (tx: StoreTransaction, uid: string, schedule: string): Promise<void> => tx.putDocument(RUNS, uid, { schedule });

/** Name of the schedule of a run, once. */
export async function takeRun(tx: StoreTransaction, uid: string): Promise<string | undefined> {
  const found = (await tx.getDocument(RUNS, uid)) as { readonly schedule: string } | undefined;
  if (found) await tx.deleteDocument(RUNS, uid);
  return found?.schedule;
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
