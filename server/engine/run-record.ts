// Port for a part that shows what runs do as they do it, such as a conversation: called in each transaction that records entries of its runs.
import type { Claim, StoredObject, StoreTransaction } from '../store/store.ts';
import type { Entry } from './core/entries.ts';
import type { RunState } from './core/state.ts';
import type { CallText } from './live/publish-text.ts';
import type { CallPlace } from './live/messages.ts';

export interface RecordedEntries {
  readonly claim: Claim;
  /** Sequence number of the entry before the first of these. */
  readonly lastSeq: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly entries: readonly Entry[];
  /** With the entries folded in. */
  readonly state: RunState;
}

/** Record of one run for as long as one claim is held. */
export interface RunRecord {
  /**
   * In the transaction that appends these entries, behind them and before run listeners. The transaction may be run again, so this changes
   * nothing but through `tx` until `committed` is called, awaits nothing but `tx`, and keeps to a bounded number of store calls.
   */
  readonly onEntries: (tx: StoreTransaction, recorded: RecordedEntries) => Promise<void>;
  /** The last transaction with `onEntries` was committed. */
  readonly committed: () => void;
  /** Begins the text of one model call, of the turn of an agent. */
  readonly beginText: (turnId: string, call: CallPlace) => CallText;
  /** Resolves when no transaction of the record itself is in flight; it begins none until `committed` is called. */
  readonly settle: () => Promise<void>;
  /** The claim is no longer held. */
  readonly close: () => void;
}

/** Called in the transaction that claims or resumes a run, or ends it without a worker; undefined for a run that nobody records. */
export type OpenRecord = (tx: StoreTransaction, task: StoredObject, claim: Claim) => Promise<RunRecord | undefined>;

export const noRecord: OpenRecord = () => Promise.resolve(undefined);
