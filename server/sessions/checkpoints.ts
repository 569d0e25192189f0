// Safe points of a Session: metadata and the hash of the run's state. The state itself is folded from the journal when it is needed.
import { randomUUID } from 'node:crypto';
import type { Checkpoint, SafePoint } from '@svc/shared/api/sessions';
import { ServiceError } from '@svc/shared/errors';
import { durationMs } from '@svc/shared/duration';
import { specOf } from '@svc/shared/kinds/read';
import { runOutput } from '@svc/shared/kinds/task/run-output';
import { timestamp } from '../clock.ts';
import { STATE_VERSION, type EncodedState } from '../engine/core/state-codec.ts';
import type { Entry } from '../engine/core/entries.ts';
import { Collection } from '../store/collection.ts';
import type { StoredObject, StoreReader, StoreTransaction } from '../store/store.ts';
import type { SessionDraft } from './draft.ts';
import { putState, type TurnRecord } from './records.ts';

/** The stored `expires_at` is of the retention at that time: readers replace it. */
const CHECKPOINTS = new Collection<CheckpointRecord>('session-checkpoints');

/** A Session as its checkpoints need it. They expire by its present retention. */
export type CheckpointOwner = Pick<StoredObject, 'namespace' | 'name' | 'uid' | 'spec'>;

/** A checkpoint as stored: what clients see, and where its state is folded from. */
export interface CheckpointRecord extends Checkpoint {
  /** The turn it belongs to. */
  readonly sequence: number;
  /** The entry of the Task's journal up to which the state is folded; absent in a fork, which stores the state it began with. */
  readonly journal?: { readonly stream: string; readonly seq: number };
  /** `status.completedTurns` at that moment. */
  readonly completedTurns: number;
}

/** A new checkpoint without what the Session adds. */
export interface SafeState {
  readonly safePoint: SafePoint;
  readonly agent: string;
  readonly encoded: EncodedState;
  /** The last entry that is folded in; absent when the state is stored. */
  readonly seq?: number;
  /** Remarks on the ends of the run's branches, such as a loop that max_turns ended. */
  readonly notes?: readonly string[];
}

/** The strongest safe point that these entries reach, with everything before it folded in; undefined in the middle of a step. */
export function safePointOf(entries: readonly Entry[]): Pick<SafeState, 'safePoint' | 'agent'> | undefined {
  const agentEnd = entries.findLast(({ type }) => type === 'agent.completed') as Extract<Entry, { type: 'agent.completed' }> | undefined;
  const runEnd = entries.find((entry) => entry.type === 'run.completed');
  if (runEnd) return { safePoint: 'turn.completed', agent: runOutput(runEnd.data.output).agent ?? '' };
  if (agentEnd) return { safePoint: 'agent.completed', agent: agentEnd.data.agent };
  // The next step begins in the transaction that records the last result of the step before it.
  const next = entries.find((entry) => entry.type === 'model.requested' && entry.data.agent_step > 1);
  return next?.type === 'model.requested' ? { safePoint: 'step.completed', agent: next.data.agent } : undefined;
}

/** Checkpoints that are deleted when one is made: more than one only after their number was lowered, or when they are too old. */
const PRUNED_AT_ONCE = 10;

/** Adds a checkpoint of the turn and deletes the oldest ones past the retention. Returns its id; undefined when none are kept. */
export async function addCheckpoint(
  draft: SessionDraft,
  turn: TurnRecord,
  { safePoint, agent, encoded, seq }: SafeState,
): Promise<string | undefined> {
  const { max_count: max, max_age: maxAge } = draft.spec.checkpoint_retention;
  const createdAt = timestamp(draft.now);
  const until = expiryOf({ created_at: createdAt }, maxAge);
  if (max === 0) {
    await prune(draft, until);
    const { checkpoint: _gone, ...control } = draft.control;
    draft.control = control;
    draft.setStatus({ lastCheckpointID: undefined });
    return undefined;
  }
  const { bytes, sha256 } = encoded;
  const number = (draft.control.checkpoints ?? 0) + 1;
  const parent = draft.control.checkpoint;
  const id = `ckpt-${String(number).padStart(8, '0')}-${randomUUID().slice(0, 8)}`;
  const { systemGeneration } = draft.control;
  draft.control = { ...draft.control, checkpoints: number, checkpoint: id };
  const record: Omit<CheckpointRecord, 'event_sequence'> = {
    id,
    turn_id: turn.id,
    ...(turn.task && { task_name: turn.task.name }),
    agent,
    safe_point: safePoint,
    ...(parent !== undefined && { parent_checkpoint_id: parent }),
    state_version: STATE_VERSION,
    state_hash: sha256,
    state_bytes: bytes.length,
    ...(systemGeneration !== undefined && { system_generation: systemGeneration }),
    created_at: createdAt,
    expires_at: until,
    sequence: turn.sequence,
    ...(turn.task && seq !== undefined && { journal: { stream: turn.task.uid, seq } }),
    completedTurns: draft.status.completedTurns ?? 0,
  };
  if (seq === undefined) await putState(draft.tx, draft.object.uid, { id, bytes });
  draft.emit('checkpoint.created', { checkpoint_id: id, safe_point: safePoint, state_hash: sha256 }, { turn });
  draft.afterEvents((eventSequence) =>
    CHECKPOINTS.put(draft.tx, keyOf(draft.object.uid, id), { ...record, event_sequence: eventSequence }),
  );
  await prune(draft, until);
  return id;
}

const expiryOf = ({ created_at: createdAt }: Pick<Checkpoint, 'created_at'>, maxAge: string): string =>
  timestamp(Date.parse(createdAt) + durationMs(maxAge, maxAge));

/** Makes room for the new checkpoint, which is written with the draft and expires at `until`. There is none with a `max_count` of 0. */
async function prune(draft: SessionDraft, until: string): Promise<void> {
  const { tx, object } = draft;
  const { max_count: max, max_age: maxAge } = draft.spec.checkpoint_retention;
  const now = timestamp(draft.now);
  const kept = draft.control.kept ?? { count: await countKept(tx, object.uid), until: '' };
  let { count } = kept;
  const added = Math.min(1, max);
  // Another max_age moves the end of all that are kept.
  let oldestUntil = count === 0 ? until : kept.maxAge === maxAge ? kept.until : '';
  if (count + added > max || oldestUntil <= now) {
    const excess = Math.max(0, count + added - max);
    const oldest = await listOldest(tx, object.uid, Math.min(excess, CHECKPOINTS_MAX) + PRUNED_AT_ONCE);
    const stays = oldest.findIndex((checkpoint, index) => index >= excess && expiryOf(checkpoint, maxAge) > now);
    const gone = stays < 0 ? oldest : oldest.slice(0, stays);
    for (const { id } of gone) {
      await CHECKPOINTS.remove(tx, keyOf(object.uid, id));
      draft.emit('checkpoint.pruned', { checkpoint_id: id });
    }
    count -= gone.length;
    const first = oldest[stays];
    oldestUntil = first ? expiryOf(first, maxAge) : count === 0 ? until : '';
  }
  draft.control = { ...draft.control, kept: { count: count + added, until: oldestUntil, maxAge } };
}

const countKept = async (reader: StoreReader, uid: string): Promise<number> =>
  (await listOldest(reader, uid, CHECKPOINTS_MAX + PRUNED_AT_ONCE)).length;

const keyOf = (sessionUid: string, id: string): string => `${sessionUid}/${id}`;

async function listOldest(reader: StoreReader, sessionUid: string, limit: number): Promise<CheckpointRecord[]> {
  return (await CHECKPOINTS.listUnder(reader, `${sessionUid}/`, { limit })).map(({ document }) => document);
}

/** At most this many can be kept. */
const CHECKPOINTS_MAX = 100;

/** Newest first, as the present retention keeps them: those past their age are left out, but for the newest. */
export async function listCheckpoints(reader: StoreReader, session: CheckpointOwner, now: number): Promise<CheckpointRecord[]> {
  const { max_count: max, max_age: maxAge } = specOf('Session', session).checkpoint_retention;
  const newest = (await listOldest(reader, session.uid, CHECKPOINTS_MAX + PRUNED_AT_ONCE)).reverse().slice(0, max);
  return newest
    .map((checkpoint) => ({ ...checkpoint, expires_at: expiryOf(checkpoint, maxAge) }))
    .filter(({ expires_at: until }, index) => index === 0 || until > timestamp(now));
}

const ID = /^ckpt-\d{8,}-[0-9a-f]{8}$/;

/** Throws `invalid` for a text that is not an id of a checkpoint. The checkpoint may be gone: ids are in the order of their making. */
export function checkCheckpointCursor(after: string): void {
  if (after !== '' && !ID.test(after)) throw new ServiceError('invalid', 'The cursor of a page of checkpoints is the id of a checkpoint');
}

export async function deleteCheckpoints(tx: StoreTransaction, sessionUid: string, limit: number): Promise<number> {
  const some = await listOldest(tx, sessionUid, limit);
  for (const { id } of some) await CHECKPOINTS.remove(tx, keyOf(sessionUid, id));
  return some.length;
}

/** As clients see it: metadata and hashes only. */
export function checkpointOf({ sequence: _s, journal: _j, completedTurns: _c, ...checkpoint }: CheckpointRecord): Checkpoint {
  return checkpoint;
}

/**
 * Throws `not_found`, also for one past the retention: it is deleted when the next one is made. Nothing else needs it gone earlier, because
 * their number bounds what is stored.
 */
export async function requireCheckpoint(
  reader: StoreReader,
  session: CheckpointOwner,
  { id, now }: { readonly id: string; readonly now: number },
): Promise<CheckpointRecord> {
  const found = (await listCheckpoints(reader, session, now)).find((checkpoint) => checkpoint.id === id);
  if (found) return found;
  throw new ServiceError(
    'not_found',
    `Session ${session.namespace}/${session.name} has no checkpoint ${id}; it may have been deleted by spec.checkpoint_retention`,
  );
}
