// Records of A2A tasks: caller and run of each, and an index of the tasks of a caller by the time of their last change.
import { createHash } from 'node:crypto';
import type { JsonObject } from '@svc/shared/json';
import type { ObjectRef } from '@svc/shared/resource';
import type { Identity } from '../../registry/registry.ts';
import { Collection } from '../../store/collection.ts';
import type { StoreReader, StoreTransaction } from '../../store/store.ts';
import type { Message } from '../model.ts';

/** The run behind a task: a turn of a Session, or a Task of its own. */
export type TaskRun =
  { readonly kind: 'turn'; readonly session: ObjectRef; readonly sequence: number } | { readonly kind: 'task'; readonly task: ObjectRef };

export interface TaskRecord {
  readonly id: string;
  /** As `ownerOf` writes it: only this caller sees the task. */
  readonly owner: string;
  readonly system: ObjectRef;
  readonly contextId: string;
  readonly run: TaskRun;
  /** Messages of the caller, the oldest first. */
  readonly messages: readonly Message[];
  /** Hash of the first message, for task ids that clients choose. */
  readonly fingerprint?: string;
  /** Hashes of later messages under such an id. */
  readonly joined?: readonly string[];
  readonly metadata?: JsonObject;
  /** Push notification configurations exist or existed. */
  readonly notifies?: boolean;
  /** Moment of the last change of its state that was recorded, in milliseconds since the epoch. */
  readonly changedAt: number;
}

const TASKS = new Collection<TaskRecord>('a2a-tasks');
const INDEX = new Collection('a2a-task-index');

/** A caller as owner of tasks and contexts. */
export const ownerOf = ({ method, name }: Identity): string => `${method}:${name}`;

/** Name of the caller; empty for a caller of a public system without a token. */
export const callerNameOf = ({ owner }: TaskRecord): string => owner.slice(owner.indexOf(':') + 1);

export const digest = (parts: readonly string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24);

const padded = (sequence: number): string => String(sequence).padStart(10, '0');
/** Key of a task's record, by the uid of its Session or Task. */
export const keyOf = (run: TaskRun): string => (run.kind === 'turn' ? turnKey(run.session.uid, run.sequence) : taskKey(run.task.uid));
export const turnKey = (sessionUid: string, sequence: number): string => `${sessionUid}/${padded(sequence)}`;
export const taskKey = (taskUid: string): string => `${taskUid}/${padded(0)}`;

/** Id of the task that a turn is. The uid of a Session cannot be guessed. */
export const turnTaskId = (sessionUid: string, sequence: number): string => `${sessionUid}-${sequence}`;
const TURN_TASK_ID = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})-([1-9]\d{0,9})$/;

/** Key of the record of a turn's task; undefined for ids of another form. */
export function keyOfTurnTask(id: string): string | undefined {
  const [, uid, sequence] = TURN_TASK_ID.exec(id) ?? [];
  return uid === undefined ? undefined : turnKey(uid, Number(sequence));
}

export const readRecord = (reader: StoreReader, key: string): Promise<TaskRecord | undefined> => TASKS.get(reader, key);

export async function addRecord(tx: StoreTransaction, record: TaskRecord): Promise<void> {
  await putRecord(tx, record);
  for (const entry of entriesOf(record)) await INDEX.put(tx, entry, {});
}

/** Replaces a record whose moment of change is the same. */
export const putRecord = (tx: StoreTransaction, record: TaskRecord): Promise<void> => TASKS.put(tx, keyOf(record.run), record);

/** Locks what the end of the run locks too, so that neither write of the record is lost. */
export async function lockRun(tx: StoreTransaction, run: TaskRun): Promise<void> {
  await tx.getObjectForUpdate(run.kind === 'turn' ? { kind: 'Session', ...run.session } : { kind: 'Task', ...run.task });
}

/** Notes a change of the task's state. */
export async function moveRecord(tx: StoreTransaction, record: TaskRecord, changedAt: number): Promise<TaskRecord> {
  for (const entry of entriesOf(record)) await INDEX.remove(tx, entry);
  const moved = { ...record, changedAt };
  await addRecord(tx, moved);
  return moved;
}

async function deleteRecord(tx: StoreTransaction, record: TaskRecord): Promise<void> {
  for (const entry of entriesOf(record)) await INDEX.remove(tx, entry);
  await TASKS.remove(tx, keyOf(record.run));
}

interface Deletion {
  /** Position in the records of the Session or Task; the empty text is the beginning. */
  readonly after: string;
  /** Records that are examined. */
  readonly limit: number;
  /** Removes what else belongs to a record; false to keep the record for now. */
  readonly mayDelete: (record: TaskRecord) => Promise<boolean>;
}

/** Deletes records of the tasks of a Session or Task. Returns the position behind the examined ones; undefined at the end. */
export async function deleteRecordsOf(
  tx: StoreTransaction,
  uid: string,
  { after, limit, mayDelete }: Deletion,
): Promise<string | undefined> {
  const prefix = `${uid}/`;
  const rows = await TASKS.listUnder(tx, prefix, { after, limit });
  for (const { document: record } of rows) if (await mayDelete(record)) await deleteRecord(tx, record);
  return rows.length < limit ? undefined : rows.at(-1)?.id.slice(prefix.length);
}

export const hasRecordsOf = async (reader: StoreReader, uid: string): Promise<boolean> =>
  (await TASKS.listUnder(reader, `${uid}/`, { limit: 1 })).length > 0;

// ---------------------------------------------------------------- index

/** Tasks of one caller with one system, of all contexts or of one. */
export interface Scope {
  readonly owner: string;
  readonly systemUid: string;
  readonly contextId?: string | undefined;
}

const TIME_MAX = 999_999_999_999_999;
const scopeId = ({ owner, systemUid, contextId }: Scope): string =>
  digest(contextId === undefined ? [owner, systemUid] : [owner, systemUid, contextId]);

/** The newest change comes first. */
const entryOf = (scope: Scope, changedAt: number, key: string): string =>
  `${scopeId(scope)}/${String(TIME_MAX - changedAt).padStart(15, '0')}/${key}`;

function entriesOf({ owner, system, contextId, changedAt, run }: TaskRecord): string[] {
  const scope = { owner, systemUid: system.uid };
  return [entryOf(scope, changedAt, keyOf(run)), entryOf({ ...scope, contextId }, changedAt, keyOf(run))];
}

export interface IndexEntry {
  /** Position of the entry, to continue after. */
  readonly position: string;
  readonly key: string;
  readonly changedAt: number;
}

/** Entries of a scope after a position, the newest change first. */
export async function listEntries(
  reader: StoreReader,
  scope: Scope,
  { after, limit }: { after: string; limit: number },
): Promise<IndexEntry[]> {
  const prefix = `${scopeId(scope)}/`;
  return (await INDEX.listUnder(reader, prefix, { after, limit })).map(({ id }) => {
    const position = id.slice(prefix.length);
    return { position, key: position.slice(16), changedAt: TIME_MAX - Number(position.slice(0, 15)) };
  });
}
