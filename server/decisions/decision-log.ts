// The log of decisions over the store: signed, chained, in the order of their numbers. Independent of any kind and any run.
import { sign } from 'node:crypto';
import { checkDecision, DECISION_RECORD_VERSION, decisionText, type DecisionDraft, type SignedDecision } from '@svc/shared/decision-record';
import { ServiceError } from '@svc/shared/errors';
import type { JsonObject } from '@svc/shared/json';
import type { SecretBox } from '../secrets/secret-box.ts';
import { readSealingKey } from '../secrets/store-key.ts';
import { PAGE_MAX_BYTES } from '../store/page-bytes.ts';
import type { StoreReader, StoreTransaction } from '../store/store.ts';
import { decisionCrypto, hashText } from './decision-crypto.ts';
import { endFault, lockHead, readHead, writeHead, type HeadReading } from './chain-head.ts';
import { appendRecord, readRecord, readRecords } from './decision-documents.ts';
import { createDecisionKeys, DecisionKeyFault, storedPublicKey, type DecisionKeyOptions, type DecisionKeys } from './decision-key.ts';
import type { DecisionLog, DecisionPage, DecisionQuery } from './record-decision.ts';

/** Records read at a time: each may hold an input of a megabyte. */
const BATCH = 16;
/** Records examined for one page that a filter leaves little of. */
const SCAN_MAX = 1_000;

export interface DecisionLogOptions extends DecisionKeyOptions {
  /** Receives, in one sentence, each sign of tampering that is found while calls are checked. */
  readonly reportFault?: (problem: string) => void;
}

export function createDecisionLog(options: DecisionLogOptions): DecisionLog {
  const { store, secretBox, reportFault } = options;
  const keys = createDecisionKeys(options);
  return {
    async prepare() {
      try {
        await keys.make();
        await keys.pair(store);
        return (await readChain(store, secretBox)).fault;
      } catch (error) {
        return sentenceOf(error);
      }
    },
    record: (tx, draft) => recordDecision(tx, { keys, secretBox }, draft),
    async callHashOf(seq) {
      const { callHash, fault } = await checkedCall(options, keys, seq);
      if (fault !== undefined) reportFault?.(fault);
      return callHash;
    },
    read: (seq) => readRecord(store, seq),
    list: (query) => listDecisions(store, query),
    async publicKey() {
      try {
        const { keyId, publicKeyPem, createdAt } = await keys.pair(store);
        return { key_id: keyId, algorithm: 'Ed25519', public_key_pem: publicKeyPem, created_at: createdAt };
      } catch (error) {
        if (error instanceof DecisionKeyFault) throw error;
        return storedPublicKey(store);
      }
    },
    async sign(text) {
      const { keyId, publicKeyPem, privateKey } = await keys.pair(store);
      return { keyId, publicKeyPem, signature: sign(null, Buffer.from(text, 'utf8'), privateKey).toString('base64') };
    },
    async head() {
      await readSealingKey(store, secretBox);
      const { head, fault } = await readChain(store, secretBox);
      const problem = (await keyFault(keys, store)) ?? fault;
      return { ...head, authenticated: secretBox.keyId !== undefined, ...(problem && { fault: problem }) };
    },
    async fault() {
      const problem = await keyFault(keys, store);
      // Without the store's key, or after it was lost, the note proves nothing.
      if (problem !== undefined || !(await isProvable(options, keys))) return problem;
      return (await readHead(store, secretBox)).fault;
    },
  };
}

const sentenceOf = (error: unknown): string => {
  if (error instanceof ServiceError) return error.message;
  throw error;
};

async function keyFault(keys: DecisionKeys, reader: StoreReader): Promise<string | undefined> {
  const error = await keys.pair(reader).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof DecisionKeyFault ? error.message : undefined;
}

/** Whether this process has the store's key and opens the pair. */
const isProvable = ({ store, secretBox }: DecisionLogOptions, keys: DecisionKeys): Promise<boolean> =>
  Promise.all([keys.pair(store), readSealingKey(store, secretBox)]).then(
    () => true,
    () => false,
  );

/** Readings of the end of the chain while others record. */
const READINGS_MAX = 10;

/** The noted end of the chain, and whether the records end there. A fault counts if the note is the same after it: others may record meanwhile. */
async function readChain(reader: StoreReader, box: SecretBox): Promise<HeadReading> {
  for (let left = READINGS_MAX - 1; ; left -= 1) {
    const reading = await readHead(reader, box);
    const fault = reading.fault ?? (await endFault(reader, reading.head));
    if (fault === undefined || left === 0 || (await readHead(reader, box)).head.seq === reading.head.seq) return { ...reading, fault };
  }
}

interface CheckedCall {
  readonly callHash?: string | undefined;
  readonly fault?: string;
}

/** Rejects with `unavailable` when this process cannot prove which key is the store's. */
async function checkedCall({ store, secretBox }: DecisionLogOptions, keys: DecisionKeys, seq: number): Promise<CheckedCall> {
  const problem = await keyFault(keys, store);
  if (problem !== undefined) return { fault: problem };
  await readSealingKey(store, secretBox);
  const [pair, record, { head, fault }] = await Promise.all([keys.pair(store), readRecord(store, seq), readHead(store, secretBox)]);
  if (fault !== undefined) return { fault };
  if (seq > head.seq || record?.seq !== seq) return { fault: `decision record ${seq} is not there; the newest is ${head.seq}` };
  if (record.decision !== 'approved') return {};
  const broken = await checkDecision(record, decisionCrypto(pair));
  return broken ? { fault: broken.message } : { callHash: record.call_hash };
}

interface Recording {
  readonly keys: DecisionKeys;
  readonly secretBox: SecretBox;
}

async function recordDecision(tx: StoreTransaction, { keys, secretBox }: Recording, draft: DecisionDraft): Promise<{ seq: number }> {
  const { keyId, privateKey } = await keys.pair(tx);
  const { head, fault } = await lockHead(tx, secretBox);
  // With the lock held no rotation changes the store's key.
  const [sealWith, broken] = await Promise.all([readSealingKey(tx, secretBox), fault ?? endFault(tx, head)]);
  if (broken !== undefined) throw new DecisionKeyFault(broken);
  const content = { ...draft, version: DECISION_RECORD_VERSION, seq: head.seq + 1, previous_hash: head.hash, key_id: keyId } as const;
  const text = decisionText(content as unknown as JsonObject);
  const signature = sign(null, Buffer.from(text, 'utf8'), privateKey).toString('base64');
  const record = { ...content, hash: hashText(text), signature };
  await appendRecord(tx, record);
  await writeHead(tx, secretBox, { head: record, keyId: sealWith });
  return { seq: content.seq };
}

async function listDecisions(reader: StoreReader, query: DecisionQuery): Promise<DecisionPage> {
  const items: SignedDecision[] = [];
  let bytes = 0;
  let { after } = query;
  for (let scanned = 0; scanned < SCAN_MAX; scanned += BATCH) {
    const batch = await readRecords(reader, { ...query, after, limit: BATCH });
    for (const record of batch) {
      const size = matches(record, query) ? JSON.stringify(record).length : 0;
      if (items.length > 0 && bytes + size > PAGE_MAX_BYTES) return { items, next: after };
      if (size > 0) items.push(record);
      after = record.seq;
      bytes += size;
      if (items.length === query.limit) return (await endsAt(reader, query, after)) ? { items } : { items, next: after };
    }
    if (batch.length < BATCH) return { items };
  }
  return { items, next: after };
}

function matches({ type, task }: SignedDecision, query: DecisionQuery): boolean {
  return (query.type ?? type) === type && (query.task ?? `${task.namespace}/${task.name}`) === `${task.namespace}/${task.name}`;
}

async function endsAt(reader: StoreReader, query: DecisionQuery, after: number): Promise<boolean> {
  return (await readRecords(reader, { ...query, after, limit: 1 })).length === 0;
}
