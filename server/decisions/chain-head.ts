// The newest record's place in the chain, kept beside the records and authenticated with the encryption key: it shows when records at the end are gone.
import { FIRST_PREVIOUS_HASH, CHAIN_START, type ChainHead } from '@svc/shared/decision-record';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { StoreReader, StoreTransaction } from '../store/store.ts';
import { readRecord, readRecords } from './decision-documents.ts';

const CHAIN = 'decision.chain';
const HEAD = 'head';
const LOCK = 'lock';
const IDENTITY = { namespace: CHAIN, name: HEAD, key: 'head' };

export interface HeadReading {
  readonly head: ChainHead;
  /** Tampering that the row itself shows, in one sentence. */
  readonly fault: string | undefined;
}

const textOf = ({ seq, hash }: ChainHead): string => `${seq} ${hash}`;

/** Reads one row. Without an encryption key only its shape is checked. */
export async function readHead(reader: StoreReader, box: SecretBox): Promise<HeadReading> {
  const row = await reader.getDocument(CHAIN, HEAD);
  if (!row) return { head: CHAIN_START, fault: box.keyId && 'the note of the newest decision record is missing from the database' };
  const head = { seq: Number(row['seq']), hash: String(row['hash']) };
  if (box.keyId === undefined || box.isAuthentic(IDENTITY, textOf(head), row['code'])) return { head, fault: undefined };
  return { head, fault: 'the note of the newest decision record was not written by a server with this encryption key' };
}

/** Until the transaction ends nobody else extends the chain. */
export async function lockHead(tx: StoreTransaction, box: SecretBox): Promise<HeadReading> {
  // One after the other on one connection: the head is read when the lock is held.
  const [, reading] = await Promise.all([tx.putDocument(CHAIN, LOCK, {}), readHead(tx, box)]);
  return reading;
}

export async function writeHead(
  tx: StoreTransaction,
  box: SecretBox,
  { head, keyId }: { head: ChainHead; keyId: string | undefined },
): Promise<void> {
  const { seq, hash } = head;
  const code = keyId === undefined ? undefined : box.authenticate(IDENTITY, textOf(head), keyId);
  await tx.putDocument(CHAIN, HEAD, { seq, hash, ...(code && { code }) });
}

/** Whether the records end where the note says; undefined when they do. */
export async function endFault(reader: StoreReader, { seq, hash }: ChainHead): Promise<string | undefined> {
  const [newest, next] = await Promise.all([seq > 0 ? readRecord(reader, seq) : undefined, readRecord(reader, seq + 1)]);
  if (next) return `decision record ${seq + 1} follows record ${seq}, which is noted as the newest`;
  const found = seq > 0 ? newest?.hash : FIRST_PREVIOUS_HASH;
  if (found === hash) return undefined;
  return newest
    ? `decision record ${seq} is not the one that is noted as the newest`
    : `decision record ${seq}, noted as the newest, is missing: the newest records were removed`;
}

const BATCH = 16;

/** The end of the records that are stored. Reads all of them. */
export async function newestRecord(reader: StoreReader): Promise<ChainHead> {
  let head = CHAIN_START;
  for (;;) {
    const records = await readRecords(reader, { after: head.seq, limit: BATCH });
    const last = records.at(-1);
    if (!last) return head;
    head = { seq: last.seq, hash: last.hash };
  }
}
