// Stored records of calls that a tool may answer by itself: the permitted tokens, the deadline, and the reply. Shared by workers, which open and close
// records, and servers, which take replies. Independent of HTTP.
import type { ToolReply } from '../../engine/ports.ts';
import { Collection } from '../../store/collection.ts';
import { indexExpiry, type ExpiringDocuments } from '../../store/expiring-documents.ts';
import type { Store, StoreTransaction } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';

const [OPEN, CLOSED] = ['tool.callback', 'tool.callback.over'];
export const openCallbacks = new Collection<CallbackRecord>(OPEN);
/** Finished calls, kept until their time is up so that a late reply gets another answer than an unknown one. */
export const closedCallbacks = new Collection<ClosedRecord>(CLOSED);
/** Tokens of earlier attempts stay good: the tool may answer the first request it got. */
const TOKENS_MAX = 16;
/** Runs of one call: a fork or a rewind sends it again under its request id. */
const RUNS_MAX = 16;

/** A later attempt gives its call more time. */
export const CALLBACK_EXPIRY: ExpiringDocuments = { collections: [OPEN, CLOSED], index: 'tool.callback.expiry' };

export interface CallbackRecord {
  /** Journal stream of the run that sent the call last. */
  readonly stream: string;
  /** Those of runs that sent it before and may still wait. */
  readonly others?: readonly string[];
  /** `namespace/name` of the Tool, for messages. */
  readonly tool: string;
  readonly tokens: readonly CallbackToken[];
  /** Milliseconds since the epoch. */
  readonly expires_at: number;
}

export interface CallbackToken {
  readonly hash: string;
  /** Texts to take out of the reply (callback-token.ts). */
  readonly sealed: string;
}

export interface ClosedRecord extends CallbackRecord {
  /** Absent when the call ended otherwise. */
  readonly reply?: ToolReply;
}

/** Journal streams of the runs that may wait for the reply. */
export const streamsOf = ({ stream, others = [] }: CallbackRecord): readonly string[] => [stream, ...others];

export type Documents = Pick<Store, 'transaction' | 'getDocument'>;

export interface NewCallback {
  readonly stream: string;
  readonly tool: string;
  readonly token: CallbackToken;
  readonly expiresAt: number;
}

/** Makes the call answerable with a further token. Answers with the reply when the tool has sent it already: to an attempt before a crash. */
export function openCallback(store: Documents, requestId: string, callback: NewCallback): Promise<ToolReply | undefined> {
  return transactAgain(store, async (tx) => {
    const over = await closedCallbacks.get(tx, requestId);
    if (over?.reply) return over.reply;
    const open = await openCallbacks.get(tx, requestId);
    const { stream, tool, expiresAt } = callback;
    const tokens = [...((open ?? over)?.tokens ?? []), callback.token].slice(-TOKENS_MAX);
    const record = withStreams({ stream, tool, tokens, expires_at: expiresAt }, [stream, ...(open ? streamsOf(open) : [])]);
    if (over) await closedCallbacks.remove(tx, requestId);
    await openCallbacks.put(tx, requestId, record);
    await indexExpiry(tx, CALLBACK_EXPIRY, { id: requestId, expiresAt });
    return undefined;
  });
}

function withStreams({ others: _others, ...record }: CallbackRecord, streams: readonly string[]): CallbackRecord {
  const [stream = record.stream, ...others] = [...new Set(streams)].slice(0, RUNS_MAX);
  return { ...record, stream, ...(others.length > 0 && { others }) };
}

/** The call is over for this run; once it is for all, replies that still come are refused. */
export function closeCallback(store: Documents, requestId: string, stream: string): Promise<void> {
  return transactAgain(store, async (tx) => {
    const record = await openCallbacks.get(tx, requestId);
    if (!record || !(await openCallbacks.remove(tx, requestId))) return;
    const left = streamsOf(record).filter((each) => each !== stream);
    if (left.length > 0) await openCallbacks.put(tx, requestId, withStreams(record, left));
    else await closedCallbacks.put(tx, requestId, record);
  });
}

/** Ends an open call with its reply; false when another reply, or the end of the call, came first. */
export async function takeCallback(tx: StoreTransaction, requestId: string, over: ClosedRecord): Promise<boolean> {
  // The row goes to one transaction only, on both databases.
  if (!(await openCallbacks.remove(tx, requestId))) return false;
  await closedCallbacks.put(tx, requestId, over);
  return true;
}
