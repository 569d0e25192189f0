// The record of one decision: its shape, the text that is hashed and signed, and the check of a chain of them. Independent of any server: records and the public key are enough to check.
import type { AccessRule } from './api/access.ts';
import { canonicalJson, isObject, type Json, type JsonObject } from './json.ts';
import type { ObjectRef } from './resource.ts';

export const DECISION_RECORD_VERSION = 1;

/** Subject of the decision: a tool call in advance, a run's output, or the outcome of a lost call. */
export const DECISION_TYPES = ['tool', 'task', 'unknown_outcome'] as const;
export type DecisionType = (typeof DECISION_TYPES)[number];

/** The `previous_hash` of record 1. */
export const FIRST_PREVIOUS_HASH = `sha256:${'0'.repeat(64)}`;

export interface Decider {
  readonly name: string;
  /** How the caller was known: `none`, `session` or `bearer`. */
  readonly method: string;
  readonly role?: string;
  /** Person for whom the decider acted, as the decider stated, when that is another person. */
  readonly on_behalf_of?: string;
}

/** Content of a decision, before it has its place in the chain. */
export interface DecisionDraft {
  /** RFC 3339 in UTC. */
  readonly timestamp: string;
  readonly type: DecisionType;
  readonly approval: ObjectRef & { readonly kind: 'ToolApproval' | 'TaskApproval' };
  readonly task: ObjectRef;
  readonly agent?: string;
  /** `namespace/name` of the Tool. */
  readonly tool?: string;
  readonly operation?: string;
  readonly request_id?: string;
  readonly decision: 'approved' | 'denied' | 'expired' | 'request_changes';
  /** Outcome of a lost call, as the decider reports it, or `answered`: the call is not made. */
  readonly outcome?: string;
  readonly proposed_input?: Json;
  readonly edited_input?: Json;
  /** `callHash` of the call that may run (call-hash.ts). Only an approved one may. */
  readonly call_hash?: string;
  /** SHA-256 of the output under review, or of what the decider answered for a call, as `sha256:<hex>`. */
  readonly output_hash?: string;
  readonly rule?: AccessRule;
  /** Absent: nobody, the approval expired. */
  readonly decider?: Decider;
  readonly comment?: string;
}

export interface SignedDecision extends DecisionDraft {
  readonly version: typeof DECISION_RECORD_VERSION;
  /** 1 is the first; there are no gaps. */
  readonly seq: number;
  /** Hash of the record before. */
  readonly previous_hash: string;
  /** The key that signed: `sha256:` and the first 16 hex digits of the SHA-256 of its SPKI DER. */
  readonly key_id: string;
  /** SHA-256 of the record's text, as `sha256:<hex>`. */
  readonly hash: string;
  /** Ed25519 over the record's text, base64. */
  readonly signature: string;
}

/** The public half of a server's decision key, as `GET /v1/decisions/key` answers. */
export interface DecisionPublicKey {
  readonly key_id: string;
  readonly algorithm: 'Ed25519';
  /** SPKI. */
  readonly public_key_pem: string;
  readonly created_at: string;
}

/** The text that is hashed and signed: canonical JSON (RFC 8785) of the whole record but its hash and signature. */
export function decisionText(record: JsonObject): string {
  const { hash: _hash, signature: _signature, ...content } = record;
  return canonicalJson(content);
}

/** Functions that a check needs. They return promises, because browsers offer nothing else. */
export interface DecisionCrypto {
  /** `sha256:<hex>` of the text's UTF-8. */
  hash(text: string): string | Promise<string>;
  /** Whether `signature`, in canonical base64, is the key's over the text. `unknown_key` when there is no such key here. */
  verify(signed: {
    text: string;
    signature: string;
    keyId: string;
  }): 'valid' | 'invalid' | 'unknown_key' | Promise<'valid' | 'invalid' | 'unknown_key'>;
}

/** Problem of a record, alone or in its place in the chain. */
export type DecisionFault = 'malformed' | 'gap' | 'previous_hash' | 'hash' | 'unknown_key' | 'signature';

export interface BrokenDecision {
  /** The number the record should have. */
  readonly seq: number;
  readonly fault: DecisionFault;
  /** One readable sentence. */
  readonly message: string;
}

/** Where a chain has got to. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** The end of a server's chain, as `GET /v1/decisions/head` answers. */
export interface DecisionHead extends ChainHead {
  /** Whether the server has an encryption key to prove with that this is the end. */
  readonly authenticated: boolean;
  /** Tampering that the server found, in one sentence. */
  readonly fault?: string;
}

export const CHAIN_START: ChainHead = { seq: 0, hash: FIRST_PREVIOUS_HASH };

/** Checks one record by itself: its hash and its signature. Undefined when it is whole. */
export async function checkDecision(record: unknown, crypto: DecisionCrypto): Promise<BrokenDecision | undefined> {
  const seq = isObject(record) ? Number(record['seq']) : 0;
  if (!isSigned(record)) return { seq, fault: 'malformed', message: `record ${seq} lacks a member that every record has` };
  const text = decisionText(record);
  if ((await crypto.hash(text)) !== record.hash)
    return { seq, fault: 'hash', message: `record ${seq} was changed: its content does not have the hash it carries` };
  const verdict = await crypto.verify({ text, signature: record.signature, keyId: record.key_id });
  if (verdict === 'valid') return undefined;
  if (verdict === 'unknown_key')
    return {
      seq,
      fault: 'unknown_key',
      message: `record ${seq} is signed with key ${record.key_id}, which is not the one it is checked with`,
    };
  return { seq, fault: 'signature', message: `record ${seq} was not signed by key ${record.key_id}` };
}

/** Checks the record that follows `head`: its place in the chain, then itself. Answers with the new head, or with what is wrong. */
export async function checkNext(head: ChainHead, record: unknown, crypto: DecisionCrypto): Promise<ChainHead | BrokenDecision> {
  const seq = head.seq + 1;
  if (!isSigned(record)) return { seq, fault: 'malformed', message: `the item in the place of record ${seq} is not a decision record` };
  if (record.seq !== seq) return { seq, fault: 'gap', message: `record ${seq} is missing: record ${record.seq} follows instead` };
  const broken = await checkDecision(record, crypto);
  if (broken) return broken;
  if (record.previous_hash === head.hash) return { seq, hash: record.hash };
  const message =
    seq === 1
      ? 'record 1 does not begin a chain: its previous_hash is not the one of a first record'
      : `record ${seq} does not follow record ${head.seq}: its previous_hash is that of another record`;
  return { seq, fault: 'previous_hash', message };
}

export function isBroken(result: ChainHead | BrokenDecision): result is BrokenDecision {
  return 'fault' in result;
}

type SignedRecord = JsonObject & Pick<SignedDecision, 'seq' | 'previous_hash' | 'key_id' | 'hash' | 'signature'>;

function isSigned(record: unknown): record is SignedRecord {
  if (!isObject(record) || record['version'] !== DECISION_RECORD_VERSION || !Number.isSafeInteger(record['seq'])) return false;
  return ['previous_hash', 'key_id', 'hash', 'signature'].every((member) => typeof record[member] === 'string');
}
