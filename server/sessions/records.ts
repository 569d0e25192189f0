// Records of conversations beside the Session objects: turns, their order, idempotency keys, and which Task runs which turn.
import { gunzipSync, gzipSync } from 'node:zlib';
import type { SessionUsage, TurnPhase } from '@svc/shared/api/sessions';
import { STATE_MAX_BYTES } from '../engine/core/limits.ts';
import type { ConversationMessage } from '../engine/core/snapshot.ts';
import type { RunEnded } from '../engine/run-listeners.ts';
import { createRandomOfId, formatUuidV7 } from '../registry/uuid-v7.ts';
import { Collection } from '../store/collection.ts';
import type { StoreReader, StoreTransaction } from '../store/store.ts';

/** Fields of the Task of a turn beside those of every turn, for turns that came through another door than the Session's own. */
export interface TurnExtras {
  readonly input: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** One turn. Times are RFC 3339 UTC with milliseconds. */
export interface TurnRecord {
  readonly id: string;
  /** From 1, in the order of submission. */
  readonly sequence: number;
  readonly content: string;
  readonly phase: TurnPhase;
  /** How often a worker has begun or continued it. */
  readonly attempt: number;
  readonly idempotencyKey: string;
  /** Principal that submitted it, by name. */
  readonly createdBy: string;
  readonly extras?: TurnExtras;
  readonly task?: { readonly name: string; readonly uid: string };
  /** Sequence of the turn whose conversation this one continues; 0: it begins one. Set when it starts, or when it is made to continue a checkpoint. */
  readonly parent?: number;
  readonly output?: string;
  readonly usage?: SessionUsage;
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly completedAt?: string;
  readonly lastError?: string;
  /** Set while a pause holds back its events: the journal entry of its Task up to which they are in the Session's stream. */
  readonly eventsUpTo?: number;
  /** Its run ended while the Session was paused: the turn ends when the Session is resumed. */
  readonly ended?: RunEnded;
  /** Remarks on the ends of branches, of one attempt of one of its runs. */
  readonly notes?: { readonly run: string; readonly attempt: number; readonly texts: readonly string[] };
  /** It continues a turn that was undone, or one of the Session it was forked from: the checkpoint, and the hash of the state to begin with. */
  readonly restore?: { readonly checkpointId: string; readonly sha256: string };
}

/** The turn has its last phase. Its run may not have ended: then it keeps its place as the active one. */
export const isOver = ({ phase }: TurnRecord): boolean => phase === 'Succeeded' || phase === 'Failed' || phase === 'Cancelled';

/** Facts of one Session that no client writes. */
export interface SessionControl {
  /** Turns submitted so far. */
  readonly turns: number;
  /** The turn that has begun and is not over, by sequence: including a paused one, and a cancelled or failed one until its run has ended. */
  readonly active?: number;
  /** The last turn of the conversation that the next one continues; 0: none. */
  readonly head: number;
  /** Turns in the queue; absent in records of older versions. */
  readonly queued?: number;
  readonly systemGeneration?: number;
  /** A chat request created the Session; not set on a fork of it. */
  readonly chat?: true;
  /** A call over A2A created the Session as its context; not set on a fork of it. */
  readonly a2a?: true;
  /** Checkpoints made so far. */
  readonly checkpoints?: number;
  /** The newest checkpoint. */
  readonly checkpoint?: string;
  /** Checkpoints that are kept, and when the oldest of them expires under this `max_age`: they are read only when one must go. */
  readonly kept?: { readonly count: number; readonly until: string; readonly maxAge?: string };
}

/** The turn that a Task runs. Labels of a Task say the same, but anybody may write labels. */
export interface TurnBinding {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly sequence: number;
}

const TURNS = new Collection<TurnRecord>('session-turns');
const QUEUE = new Collection<Pick<TurnRecord, 'sequence'>>('session-queue');
const KEYS = new Collection<Pick<TurnRecord, 'sequence'>>('session-keys');
/** By the uid of the Session. */
export const sessionControls = new Collection<SessionControl>('session-controls');
/** By the uid of the Task. */
export const turnBindings = new Collection<TurnBinding>('session-tasks');

/** Owner of the event stream of a Session. */
export const streamOf = (sessionUid: string): string => `session/${sessionUid}`;
/** Woken by the commit that deletes the Session. */
export const deletionOf = (sessionUid: string): string => `${streamOf(sessionUid)}/deleted`;

const padded = (sequence: number): string => String(sequence).padStart(10, '0');
const turnKey = (sessionUid: string, sequence: number): string => `${sessionUid}/${padded(sequence)}`;

// ---------------------------------------------------------------- turns

export const readTurn = (reader: StoreReader, sessionUid: string, sequence: number): Promise<TurnRecord | undefined> =>
  TURNS.get(reader, turnKey(sessionUid, sequence));

const randomOfTurn = createRandomOfId();

/** In the order of time, so that the index entries of turns lie together. The last 16 digits hold no time. */
export const newTurnId = (now: number): string => `turn-${formatUuidV7(now, randomOfTurn()).replaceAll('-', '')}`;

export const putTurn = (tx: StoreTransaction, sessionUid: string, turn: TurnRecord): Promise<void> =>
  TURNS.put(tx, turnKey(sessionUid, turn.sequence), turn);

export interface Page {
  readonly after: number;
  readonly limit: number;
}

/** Turns after this sequence, in order. */
export async function listTurns(reader: StoreReader, sessionUid: string, { after, limit }: Page): Promise<TurnRecord[]> {
  const rows = await TURNS.listUnder(reader, `${sessionUid}/`, { after: padded(after), limit });
  return rows.map(({ document }) => document);
}

// ---------------------------------------------------------------- order of turns that wait

/** Place of a new turn in the queue. */
export type QueuePlace = 'next' | 'last';

export interface QueuedTurn {
  readonly sequence: number;
  readonly place: QueuePlace;
}

const SEQUENCE_MAX = 9_999_999_999;

/** Among several with place `next`, the newest comes first. */
function rankOf(place: QueuePlace, sequence: number): string {
  return place === 'next' ? `1${padded(SEQUENCE_MAX - sequence)}` : `2${padded(sequence)}`;
}

export const enqueueTurn = (tx: StoreTransaction, sessionUid: string, { sequence, place }: QueuedTurn): Promise<void> =>
  QUEUE.put(tx, `${sessionUid}/${rankOf(place, sequence)}`, { sequence });

/** The waiting turns, the next one first. */
export async function queuedTurns(reader: StoreReader, sessionUid: string, limit: number): Promise<{ id: string; sequence: number }[]> {
  const rows = await QUEUE.listUnder(reader, `${sessionUid}/`, { limit });
  return rows.map(({ id, document }) => ({ id, ...document }));
}

export const dequeueTurn = async (tx: StoreTransaction, id: string): Promise<void> => void (await QUEUE.remove(tx, id));

// ---------------------------------------------------------------- keys

export async function sequenceOfKey(reader: StoreReader, sessionUid: string, key: string): Promise<number | undefined> {
  return (await KEYS.get(reader, `${sessionUid}/${key}`))?.sequence;
}

export const putKey = (tx: StoreTransaction, sessionUid: string, { idempotencyKey, sequence }: TurnRecord): Promise<void> =>
  KEYS.put(tx, `${sessionUid}/${idempotencyKey}`, { sequence });

// ---------------------------------------------------------------- chats

/** Messages of a chat request. */
export interface ChatRecord {
  /** The conversation before the first turn. */
  readonly history: readonly ConversationMessage[];
  /** All messages of the request: the same key with others is refused. */
  readonly messages: readonly ConversationMessage[];
}

const CHATS = new Collection<ChatRecord>('session-chats');

export const putChat = (tx: StoreTransaction, sessionUid: string, chat: ChatRecord): Promise<void> =>
  CHATS.put(tx, `${sessionUid}/chat`, chat);

export const readChat = (reader: StoreReader, sessionUid: string): Promise<ChatRecord | undefined> =>
  CHATS.get(reader, `${sessionUid}/chat`);

// ---------------------------------------------------------------- states to begin with

const STATES = new Collection<{ readonly gzip: string }>('session-states');

/** A state that is not folded from a journal of this Session, compressed: that journal may be deleted. `id` is a turn's or a checkpoint's. */
export const putState = (tx: StoreTransaction, sessionUid: string, { id, bytes }: StoredState): Promise<void> =>
  STATES.put(tx, `${sessionUid}/${id}`, { gzip: gzipSync(bytes).toString('base64') });

export interface StoredState {
  readonly id: string;
  readonly bytes: Uint8Array;
}

export async function readState(reader: StoreReader, sessionUid: string, id: string): Promise<Uint8Array | undefined> {
  const stored = await STATES.get(reader, `${sessionUid}/${id}`);
  return stored && gunzipSync(Buffer.from(stored.gzip, 'base64'), { maxOutputLength: STATE_MAX_BYTES });
}

// ---------------------------------------------------------------- removal

/** Deletes up to `limit` records of a Session that is gone; true once none is left. Bindings go with their turns. */
export async function deleteRecords(tx: StoreTransaction, sessionUid: string, limit: number): Promise<boolean> {
  let left = limit;
  for (const collection of [TURNS, QUEUE, KEYS, STATES, CHATS]) {
    const rows = await collection.listUnder(tx, `${sessionUid}/`, { limit: left });
    for (const { id, document } of rows) {
      const { task } = document as Partial<TurnRecord>;
      if (collection === TURNS && task) await turnBindings.remove(tx, task.uid);
      await collection.remove(tx, id);
    }
    left -= rows.length;
    if (left <= 0) return false;
  }
  await sessionControls.remove(tx, sessionUid);
  return true;
}
