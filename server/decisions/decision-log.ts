// The log of decisions over the store: signed, chained, in the order of their numbers. Knows no kind and no run.
import { sign } from 'node:crypto';
import { checkDecision, DECISION_RECORD_VERSION, decisionText, type DecisionDraft, type SignedDecision } from '@svc/shared/decision-record';
import type { JsonObject } from '@svc/shared/json';
import type { StoreReader, StoreTransaction } from '../store/store.ts';
import { decisionCrypto, hashText } from './decision-crypto.ts';
import { appendRecord, lockChain, readRecord, readRecords } from './decision-documents.ts';
import { createDecisionKeys, type DecisionKeyOptions, type DecisionKeys } from './decision-key.ts';
import type { DecisionLog, DecisionPage, DecisionQuery } from './record-decision.ts';

/** Records read at a time: each may hold an input of a megabyte. */
const BATCH = 16;
/** Of one page; a page has one record at least. */
const PAGE_MAX_BYTES = 4 * 1024 * 1024;
/** Records looked at for one page that a filter leaves little of. */
const SCAN_MAX = 1_000;

export function createDecisionLog(options: DecisionKeyOptions): DecisionLog {
  const { store } = options;
  const keys = createDecisionKeys(options);
  return {
    async prepare() {
      await keys.make();
      return keys.problem(store);
    },
    record: (tx, draft) => recordDecision(tx, keys, draft),
    async callHashOf(seq) {
      const record = await readRecord(store, seq);
      if (record?.seq !== seq || record.decision !== 'approved') return undefined;
      const broken = await checkDecision(record, decisionCrypto(await keys.verifying()));
      return broken ? undefined : record.call_hash;
    },
    read: (seq) => readRecord(store, seq),
    list: (query) => listDecisions(store, query),
    publicKey: () => keys.published(),
  };
}

async function recordDecision(tx: StoreTransaction, keys: DecisionKeys, draft: DecisionDraft): Promise<{ seq: number }> {
  const { keyId, key } = await keys.signing(tx);
  const head = await lockChain(tx);
  const content = { ...draft, version: DECISION_RECORD_VERSION, seq: head.seq + 1, previous_hash: head.hash, key_id: keyId } as const;
  const text = decisionText(content as unknown as JsonObject);
  const signature = sign(null, Buffer.from(text, 'utf8'), key).toString('base64');
  await appendRecord(tx, { ...content, hash: hashText(text), signature });
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
