// Where decision records are kept: one document each under its number, never changed, and the ways to find those of one approval or Task.
import type { DecisionDraft, SignedDecision } from '@svc/shared/decision-record';
import { Collection } from '../store/collection.ts';
import type { StoreReader, StoreTransaction } from '../store/store.ts';

const RECORDS = new Collection<SignedDecision>('decision.records');
const BY_APPROVAL = new Collection<Pick<SignedDecision, 'seq'>>('decision.by-approval');
const BY_TASK = new Collection<Pick<SignedDecision, 'seq'>>('decision.by-task');
/** As many as a safe integer has, so that the order of ids is that of numbers. */
const SEQ_DIGITS = 16;

const idOf = (seq: number): string => String(seq).padStart(SEQ_DIGITS, '0');

export async function appendRecord(tx: StoreTransaction, record: SignedDecision): Promise<void> {
  const { seq, approval, task } = record;
  await Promise.all([
    RECORDS.put(tx, idOf(seq), record),
    BY_APPROVAL.put(tx, `${place(approval)}/${idOf(seq)}`, { seq }),
    BY_TASK.put(tx, `${place(task)}/${idOf(seq)}`, { seq }),
  ]);
}

const place = ({ namespace, name }: Pick<DecisionDraft['task'], 'namespace' | 'name'>): string => `${namespace}/${name}`;

/** As stored: whether it is whole is for a check to say. */
export const readRecord = (reader: StoreReader, seq: number): Promise<SignedDecision | undefined> => RECORDS.get(reader, idOf(seq));

export interface RecordRange {
  readonly after: number;
  readonly limit: number;
  /** `namespace/name`; with both, those of the approval are read. */
  readonly approval?: string;
  readonly task?: string;
}

/** Ascending by seq. Fewer than `limit` only at the end. */
export async function readRecords(reader: StoreReader, { after, limit, approval, task }: RecordRange): Promise<SignedDecision[]> {
  const index = approval === undefined ? BY_TASK : BY_APPROVAL;
  const owner = approval ?? task;
  if (owner === undefined) return (await RECORDS.list(reader, idOf(after), limit)).map(({ document }) => document);
  const rows = await index.listUnder(reader, `${owner}/`, { after: idOf(after), limit });
  const records = await Promise.all(rows.map(({ document }) => readRecord(reader, document.seq)));
  return records.filter((record) => record !== undefined);
}
