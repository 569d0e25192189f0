// Stored records of calls that a tool may answer by itself: the permitted tokens, the deadline, and the reply. Shared by workers, which open and close
// records, and servers, which take replies. Independent of HTTP.
import type { ToolReply } from '../../engine/ports.ts';
import { indexExpiry, type ExpiringDocuments } from '../../store/expiring-documents.ts';
import type { Store, StoreTransaction } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';

const OPEN = 'tool.callback';
/** Finished calls, kept until their time is up so that a late reply gets another answer than an unknown one. */
const CLOSED = 'tool.callback.over';
/** Tokens of earlier attempts stay good: the tool may answer the first request it got. */
const TOKENS_MAX = 16;

/** A later attempt gives its call more time. */
export const CALLBACK_EXPIRY: ExpiringDocuments = { collections: [OPEN, CLOSED], index: 'tool.callback.expiry' };

export interface CallbackRecord {
  /** Journal stream of the run. */
  readonly stream: string;
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
    const over = await readClosed(tx, requestId);
    if (over?.reply) return over.reply;
    const tokens = [...((await readOpen(tx, requestId))?.tokens ?? over?.tokens ?? []), callback.token].slice(-TOKENS_MAX);
    const { stream, tool, expiresAt } = callback;
    const record: CallbackRecord = { stream, tool, tokens, expires_at: expiresAt };
    if (over) await tx.deleteDocument(CLOSED, requestId);
    await tx.putDocument(OPEN, requestId, { ...record });
    await indexExpiry(tx, CALLBACK_EXPIRY, { id: requestId, expiresAt });
    return undefined;
  });
}

/** The call is over; replies that still come are refused. */
export function closeCallback(store: Documents, requestId: string): Promise<void> {
  return transactAgain(store, async (tx) => {
    const record = await readOpen(tx, requestId);
    if (record && (await tx.deleteDocument(OPEN, requestId))) await tx.putDocument(CLOSED, requestId, { ...record });
  });
}

/** Ends an open call with its reply; false when another reply, or the end of the call, came first. */
export async function takeCallback(tx: StoreTransaction, requestId: string, over: ClosedRecord): Promise<boolean> {
  // The row goes to one transaction only, on both databases.
  if (!(await tx.deleteDocument(OPEN, requestId))) return false;
  await tx.putDocument(CLOSED, requestId, { ...over });
  return true;
}

export async function readOpen(reader: Pick<Store, 'getDocument'>, requestId: string): Promise<CallbackRecord | undefined> {
  return (await reader.getDocument(OPEN, requestId)) as CallbackRecord | undefined;
}

export async function readClosed(reader: Pick<Store, 'getDocument'>, requestId: string): Promise<ClosedRecord | undefined> {
  return (await reader.getDocument(CLOSED, requestId)) as ClosedRecord | undefined;
}
