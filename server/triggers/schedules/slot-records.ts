// Records of a schedule's slots: what each led to, and why it left no run. The newest ones only; each is written in the transaction of its slot.
import { SLOTS_COUNTED_MAX, type SlotRecord } from '@svc/shared/api/schedules';
import { countFires, latestFire, type CronClock } from '@svc/shared/cron/cron';
import { Collection } from '../../store/collection.ts';
import type { StoreReader, StoreTransaction } from '../../store/store.ts';
import { slotText } from './slots.ts';

const SLOTS = new Collection<SlotRecord>('schedule.slot');
/** Records of one schedule; a new one takes the place of the oldest. */
const KEPT = 100;

export type NewSlotRecord = Omit<SlotRecord, 'id'>;

/** Fields of a slot that left no run. */
export const NO_RUN = { task: null, phase: null } as const;

const keyOf = (uid: string, record: number) => `${uid}/${String((record - 1) % KEPT).padStart(3, '0')}`;

/** Its id is the number of the record, from 1 without gaps. */
export const putSlot = (tx: StoreTransaction, uid: string, slot: SlotRecord): Promise<void> =>
  SLOTS.put(tx, keyOf(uid, Number(slot.id)), slot);

/** Problem of the newest slot; undefined where it left a run, or had a reason that is no problem. */
export async function newestProblem(reader: StoreReader, uid: string, recorded: number): Promise<string | undefined> {
  const { outcome, reason } = (await SLOTS.get(reader, keyOf(uid, recorded))) ?? {};
  return outcome === 'failed' ? (reason ?? undefined) : undefined;
}

/** Notes how the run of a record ended, unless a newer record has its place. */
export async function endSlot(
  tx: StoreTransaction,
  uid: string,
  { record, phase }: { readonly record: number; readonly phase: string },
): Promise<void> {
  const stored = await SLOTS.get(tx, keyOf(uid, record));
  if (stored?.id === String(record)) await putSlot(tx, uid, { ...stored, phase });
}

/** Newest first. */
export async function listSlots(reader: StoreReader, uid: string): Promise<SlotRecord[]> {
  const records = (await SLOTS.listUnder(reader, `${uid}/`, { limit: KEPT })).map(({ document }) => document);
  return records.sort((a, b) => Number(b.id) - Number(a.id));
}

export async function deleteSlots(tx: StoreTransaction, uid: string): Promise<void> {
  for (const { id } of await SLOTS.listUnder(tx, `${uid}/`, { limit: KEPT })) await SLOTS.remove(tx, id);
}

/** Due times from `from` to before `to`: the newest, and how many; undefined when there is none. */
export function slotsBetween(clock: CronClock, from: number, to: number): Pick<SlotRecord, 'slot' | 'count'> | undefined {
  const newest = latestFire(clock, to - 1);
  if (newest === undefined || newest < from) return undefined;
  return { slot: slotText(newest), count: countFires(clock, { from, to, max: SLOTS_COUNTED_MAX }) };
}
