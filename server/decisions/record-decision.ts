// Port to the decision records for the rest of the server: write one with its decision, and read the call that a record permits.
import type { DecisionDraft, DecisionHead, DecisionPublicKey, SignedDecision } from '@svc/shared/decision-record';
import type { StoreTransaction } from '../store/store.ts';

export interface DecisionQuery {
  /** Records of a greater number. */
  readonly after: number;
  readonly limit: number;
  readonly type?: string;
  /** `namespace/name` of the approval or of the Task. */
  readonly approval?: string;
  readonly task?: string;
}

export interface DecisionPage {
  readonly items: readonly SignedDecision[];
  /** Value of `after` for the next page; absent on the last. */
  readonly next?: number;
}

/** A text signed with the key of this installation, Ed25519. */
interface SignedText {
  readonly keyId: string;
  readonly publicKeyPem: string;
  /** Base64. */
  readonly signature: string;
}

/** Writes a decision record: what the engine depends on. */
export type RecordDecision = (tx: StoreTransaction, draft: DecisionDraft) => Promise<{ seq: number }>;

export interface DecisionLog {
  /**
   * At the start of a server, never inside a transaction: makes the store's decision key when there is none.
   * Answers with what keeps this process from signing with it, in one sentence; undefined when nothing does.
   */
  prepare(): Promise<string | undefined>;
  /**
   * Signs the decision and adds it to the chain, in the transaction of the decision itself: both are kept or neither.
   * Takes the chain's lock until `tx` ends. Order of locks: first the approval (getObjectForUpdate), then this, then the run (sendDecision);
   * never in a transaction that holds a run's claim. Throws `unavailable` when this process cannot sign.
   */
  readonly record: RecordDecision;
  /**
   * `call_hash` of the approved call that a record lets run. Undefined when there is no such record, it approves no call, or record or key
   * were tampered with. Rejects with `unavailable` when this process cannot prove which key is the store's.
   */
  callHashOf(seq: number): Promise<string | undefined>;
  read(seq: number): Promise<SignedDecision | undefined>;
  /** Ascending by seq. A page ends early when its records grow large. */
  list(query: DecisionQuery): Promise<DecisionPage>;
  /** Signs a text of another use, whose first line names the use: no decision record begins so. Throws `unavailable` when this process cannot sign. */
  sign(text: string): Promise<SignedText>;
  /** Throws `unavailable` when no server has made a key yet, or when the one stored is not to be trusted. */
  publicKey(): Promise<DecisionPublicKey>;
  /** The noted end of the chain, and what is wrong with it or with the key. */
  head(): Promise<DecisionHead>;
  /** Tampering with the key or the note of the newest record, in one sentence; undefined without. Cheap: for readiness. */
  fault(): Promise<string | undefined>;
}
