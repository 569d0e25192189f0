// Where decision records are kept: one document each under its number, never changed, and the ways to find those of one approval or Task.
import type { DecisionDraft, SignedDecision } from '@svc/shared/decision-record';
import type { StoreReader, StoreTransaction } from '../store/store.ts';

const RECORDS = 'decision.records';
const BY_APPROVAL = 'decision.by-approval';
const BY_TASK = 'decision.by-task';
/** As many as a safe integer has, so that the order of ids is that of numbers. */
const SEQ_DIGITS = 16;

const idOf = (seq: number): string => String(seq).padStart(SEQ_DIGITS, '0');

export async function appendRecord(tx: StoreTransaction, record: SignedDecision): Promise<void> {
  const { seq, approval, task } = record;
  await Promise.all([
    tx.putDocument(RECORDS, idOf(seq), { ...record }),
    tx.putDocument(BY_APPROVAL, `${place(approval)}/${idOf(seq)}`, { seq }),
    tx.putDocument(BY_TASK, `${place(task)}/${idOf(seq)}`, { seq }),
  ]);
}

const place = ({ namespace, name }: Pick<DecisionDraft['task'], 'namespace' | 'name'>): string => `${namespace}/${name}`;

/** As stored: whether it is whole is for a check to say. */
export async function readRecord(reader: StoreReader, seq: number): Promise<SignedDecision | undefined> {
  return (await reader.getDocument(RECORDS, idOf(seq))) as SignedDecision | undefined;
}

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
  if (owner === undefined) {
    const rows = await reader.listDocuments(RECORDS, idOf(after), limit);
    return rows.map(({ document }) => document as unknown as SignedDecision);
  }
  const rows = await reader.listDocuments(index, `${owner}/${idOf(after)}`, limit);
  const own = rows.filter(({ id }) => id.startsWith(`${owner}/`));
  const records = await Promise.all(own.map(({ document }) => readRecord(reader, Number(document['seq']))));
  return records.filter((record) => record !== undefined);
}
