// One change of a Session: its object is locked, what changes is gathered, and everything is written together, events included.
import type { SessionEventType } from '@svc/shared/api/sessions';
import { jsonEquals } from '@svc/shared/json';
import { defined } from '@svc/shared/kinds/clean';
import { asRead, specOf, statusOf } from '@svc/shared/kinds/read';
import { activityStatus, type SessionSpec } from '@svc/shared/kinds/session/rules';
import { SESSION_TERMINAL_PHASES, type SessionPhase, type SessionStatus } from '@svc/shared/kinds/session/schema';
import { timestamp, type Clock } from '../clock.ts';
import { replaceStatus } from '../registry/own-writes.ts';
import { partName } from '../registry/principal.ts';
import type { NewStreamEvent, StoredObject, StoreReader, StoreTransaction } from '../store/store.ts';
import { mayRunTurn } from './bindings.ts';
import {
  dequeueTurn,
  enqueueTurn,
  isOver,
  putTurn,
  readTurn,
  sessionControls,
  streamOf,
  turnBindings,
  type QueuedTurn,
  type SessionControl,
  type TurnRecord,
} from './records.ts';

export type SessionRef = Pick<StoredObject, 'namespace' | 'name'>;

const TERMINAL: ReadonlySet<string> = new Set(SESSION_TERMINAL_PHASES);
export const hasEnded = (phase: string): boolean => TERMINAL.has(phase);

export const sessionKey = ({ namespace, name }: SessionRef) => ({ kind: 'Session', namespace, name });

/** Whether a Session that has not ended was run by this Task: checkpoints are folded from its journal. */
export async function isOfOpenSession(reader: StoreReader, task: StoredObject): Promise<boolean> {
  const binding = mayRunTurn(task) && (await turnBindings.get(reader, task.uid));
  if (!binding) return false;
  const session = await reader.getObject(sessionKey(binding));
  return session?.uid === binding.uid && !hasEnded(statusOf('Session', session).phase);
}

/** Tags of an event besides its type. */
export interface EventTags {
  readonly turn?: TurnRecord;
  /** For message events: the person's message (`user`) or the answer. Default: the answer. */
  readonly message?: 'user' | 'assistant';
}

export interface DraftDeps {
  readonly clock: Clock;
  /** Called for each turn that ended without a run, such as a waiting one of a cancelled Session, in the transaction of its end. */
  readonly onTurnEnded: (tx: StoreTransaction, session: StoredObject, turn: TurnRecord) => Promise<void>;
}

export class SessionDraft {
  readonly tx: StoreTransaction;
  readonly object: StoredObject;
  readonly spec: SessionSpec;
  readonly now: number;
  control: SessionControl & { readonly queued: number };
  #status: SessionStatus;
  readonly #events: NewStreamEvent[] = [];
  readonly #written: ((eventSequence: number) => Promise<void>)[] = [];
  readonly #positions: number[] = [];
  readonly #turns = new Map<number, TurnRecord>();
  readonly #storedControl: SessionControl;

  constructor(tx: StoreTransaction, object: StoredObject, { control, now }: { control: SessionControl; now: number }) {
    this.tx = tx;
    this.object = object;
    this.spec = specOf('Session', object);
    this.now = now;
    this.#status = statusOf('Session', object);
    // Records of older versions have no count of their own.
    this.control = { ...control, queued: control.queued ?? this.#status.queuedTurns ?? 0 };
    this.#storedControl = control;
  }

  get status(): SessionStatus {
    return this.#status;
  }

  get phase(): SessionPhase {
    return this.#status.phase as SessionPhase;
  }

  /** A field set to undefined is removed. */
  setStatus(fields: Partial<Record<keyof SessionStatus, string | number | undefined>>): void {
    this.#status = { ...this.#status, ...fields } as SessionStatus;
  }

  /** Writers of the current claim are refused from here on. */
  raiseFence(): void {
    this.setStatus({ fence: (this.#status.fence ?? 0) + 1 });
  }

  async turn(sequence: number): Promise<TurnRecord | undefined> {
    return this.#turns.get(sequence) ?? (await readTurn(this.tx, this.object.uid, sequence));
  }

  async activeTurn(): Promise<TurnRecord | undefined> {
    const { active } = this.control;
    return active === undefined ? undefined : this.turn(active);
  }

  setTurn(turn: TurnRecord): TurnRecord {
    this.#turns.set(turn.sequence, turn);
    return turn;
  }

  /** Adds a turn to the queue. Queue and count change only here and in `dequeue`. */
  async enqueue(turn: QueuedTurn): Promise<void> {
    await enqueueTurn(this.tx, this.object.uid, turn);
    this.control = { ...this.control, queued: this.control.queued + 1 };
  }

  /** Takes a turn out of the queue, by the id that it has there. */
  async dequeue(id: string): Promise<void> {
    await dequeueTurn(this.tx, id);
    this.control = { ...this.control, queued: this.control.queued - 1 };
  }

  emit(type: SessionEventType, payload: Readonly<Record<string, unknown>>, { turn, message = 'assistant' }: EventTags = {}): void {
    const tags = turn && { turn_id: turn.id, ...(turn.attempt > 0 && { attempt: turn.attempt }) };
    const data = { ...tags, ...(turn && type.startsWith('message.') && { message_id: `${turn.id}.${message}` }), payload };
    this.#events.push({ type, timestamp: timestamp(this.now), data });
  }

  /** Runs in `save`, with the sequence number of the last event that was emitted before this call. */
  afterEvents(write: (eventSequence: number) => Promise<void>): void {
    this.#written.push(write);
    this.#positions.push(this.#events.length);
  }

  /** Turns of this change that are over and had no run, whose end nothing else reports. */
  endedWithoutRun(): TurnRecord[] {
    return [...this.#turns.values()].filter((turn) => isOver(turn) && turn.task === undefined);
  }

  /** 1 while the current turn waits for the resume of a paused Session. */
  async #heldTurns(): Promise<number> {
    const turn = this.phase === 'Paused' ? await this.activeTurn() : undefined;
    return turn && !isOver(turn) ? 1 : 0;
  }

  /** A message that starts at once changes only which turn is active: a read adds it (`unwrittenActivity`), and the worker that takes the turn writes it. */
  #isWrittenByWorker(): boolean {
    const { active } = this.control;
    const turn = active === undefined ? undefined : this.#turns.get(active);
    if (!turn || !waitsForWorker(turn)) return false;
    return jsonEquals({ queuedTurns: 0, ...this.object.status, activeTurnID: turn.id }, this.#status);
  }

  /** Writes everything gathered. The draft is used no more. */
  async save(): Promise<void> {
    const { tx, object } = this;
    const { uid } = object;
    const head = this.#events.length > 0 ? await tx.appendEvents(streamOf(uid), this.#events) : undefined;
    if (head !== undefined)
      for (const [index, write] of this.#written.entries()) await write(head - this.#events.length + (this.#positions[index] ?? 0));
    for (const turn of this.#turns.values()) await putTurn(tx, uid, turn);
    this.setStatus({ queuedTurns: this.control.queued + (await this.#heldTurns()) });
    if (!jsonEquals(this.control, this.#storedControl)) await sessionControls.put(tx, uid, this.control);
    // Events of a running turn alone leave the object as it is: it would be written with every piece of text.
    if (jsonEquals(this.#status, object.status) || this.#isWrittenByWorker()) return;
    this.setStatus({
      ...activityStatus(this.spec, this.now),
      ...(hasEnded(this.phase) && { expiresAt: undefined }),
      ...(this.#status.claimedBy === undefined && { leaseUntil: undefined, lastHeartbeat: undefined }),
      ...(this.control.checkpoint !== undefined && { lastCheckpointID: this.control.checkpoint }),
      lastEventSequence: head ?? (await tx.eventHead(streamOf(uid))),
    });
    const status = asRead('status', defined(this.#status));
    await replaceStatus(tx, object, { status, now: this.now, by: partName('sessions') });
  }
}

const waitsForWorker = ({ phase, task }: TurnRecord): boolean => phase === 'Queued' && task !== undefined;

/**
 * Fields of the status that a message has changed and no write: none once a worker has taken the turn. A reader may have read the status before that
 * and the turn after it. Times are in milliseconds.
 */
export function unwrittenActivity(
  status: SessionStatus,
  active: TurnRecord | undefined,
): { readonly id: string; readonly at: number } | undefined {
  if (!active?.task || isOver(active) || status.phase !== 'WaitingInput' || status.activeTurnID !== undefined) return undefined;
  return { id: active.id, at: Math.max(Date.parse(active.createdAt), Date.parse(status.lastActivityAt ?? active.createdAt)) };
}

/**
 * Locks the Session, changes it and writes what changed. Resolves with undefined when it is gone, or when a new Session has that name. Work that
 * calls back into Sessions, such as the end of a run, belongs behind this call: it would not see what is gathered here.
 */
export async function changeSession<T>(
  tx: StoreTransaction,
  { ref, uid, deps }: { readonly ref: SessionRef; readonly uid?: string; readonly deps: DraftDeps },
  change: (draft: SessionDraft) => Promise<T>,
): Promise<T | undefined> {
  const object = await tx.getObjectForUpdate(sessionKey(ref));
  if (!object || (uid !== undefined && object.uid !== uid)) return undefined;
  const control = await sessionControls.get(tx, object.uid);
  const draft = new SessionDraft(tx, object, { control: control ?? { turns: 0, head: 0, queued: 0 }, now: deps.clock.now() });
  const result = await change(draft);
  await draft.save();
  for (const turn of draft.endedWithoutRun()) await deps.onTurnEnded(tx, object, turn);
  return result;
}
