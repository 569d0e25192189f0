// `status.messages[]` and `message_idempotency[]`: every hand-over of a Task with its outcome.
import { restoredSnapshot } from '../core/restore.ts';
import type { JsonObject } from '@svc/shared/json';
import type { MessageEntry } from '@svc/shared/kinds/task/records';
import { timestamp } from '../../clock.ts';
import type { DataOf, Entry, HandOver } from '../core/entries.ts';
import { parentBranchId } from '../core/ids.ts';
import { renderTaskInput } from '../core/input.ts';
import type { RunSnapshot } from '../core/snapshot.ts';
import { cutText } from './cut.ts';

export type MessagePhase = MessageEntry['phase'];

export interface MessageRecord extends MessageEntry {
  from_agent: string;
  /** When the phase last changed. */
  updated_at: string;
  /** Tries that repeated an earlier one, of this attempt or, with one retry budget, of the attempt before. */
  retries: number;
}

export interface MessageView {
  readonly add: (entry: Entry) => void;
  readonly items: () => IterableIterator<MessageRecord>;
}

interface Origin {
  readonly from: string;
  readonly content: string;
  readonly parentId: string | undefined;
}

export function createMessageView(): MessageView {
  const messages = new Map<string, MessageRecord>();
  /** Messages in each turn's inbox. */
  const inboxes = new Map<string, readonly string[]>();
  /** Parent branches, by branch. */
  const parents = new Map<string, string>();
  let snapshot: RunSnapshot | undefined;
  let attempt = 0;

  const deliver = (handOvers: readonly HandOver[], origin: Origin, at: string) => {
    if (!snapshot) return;
    for (const handOver of handOvers) {
      const { message_id, branch_id, parent_branch_id } = handOver;
      if (parent_branch_id !== undefined) parents.set(branch_id, parent_branch_id);
      const parent = parents.get(branch_id) ?? parentBranchId(branch_id);
      messages.set(message_id, newRecord(handOver, { origin, at, attempt, snapshot, parent }));
    }
  };
  const change = (ids: readonly string[], at: string, fields: Partial<MessageRecord>) =>
    changeRecords(messages, ids, { ...fields, updated_at: at });
  const closeAll = (at: string, reason: string) => closeOpen(messages, skipped(at, reason));
  const turnFailed = (data: DataOf<'agent.failed'>, at: string) => {
    const ids = inboxes.get(data.turn_id) ?? [];
    const { disposition } = data;
    const last_error = `${data.code}: ${data.message}`;
    if (disposition.kind === 'retry')
      return change(ids, at, { phase: 'RetryPending', last_error, next_attempt_at: new Date(disposition.next_attempt_at).toISOString() });
    change(ids, at, { phase: 'DeadLetter', last_error, processed_at: at });
    const handOvers = disposition.kind === 'handed_over' ? disposition.hand_overs : [];
    deliver(handOvers, { from: data.agent, content: last_error, parentId: ids[0] }, at);
  };
  const add = (entry: Entry) => {
    const at = new Date(entry.at).toISOString();
    switch (entry.type) {
      case 'run.restored':
        [snapshot, attempt] = [restoredSnapshot(entry.data), entry.data.attempt];
        return undefined;
      case 'run.started':
        ({ snapshot, attempt } = entry.data);
        return deliver(entry.data.hand_overs, { from: '', content: renderTaskInput(snapshot.task), parentId: undefined }, at);
      case 'agent.started': {
        const { message_ids, turn_id, worker, message_attempt } = entry.data;
        inboxes.set(turn_id, message_ids);
        const { attempts, retries } = triesOf(snapshot, attempt, message_attempt);
        return change(message_ids, at, { phase: 'Running', worker, attempts, retries });
      }
      case 'agent.completed': {
        const ids = inboxes.get(entry.data.turn_id) ?? [];
        change(ids, at, { phase: 'Succeeded', processed_at: at });
        return deliver(entry.data.hand_overs, { from: entry.data.agent, content: entry.data.output, parentId: ids[0] }, at);
      }
      case 'review.resolved':
        // The agent works again on what it had finished.
        if (entry.data.decision === 'request_changes') change(inboxes.get(entry.data.turn_id) ?? [], at, { phase: 'Running' });
        return;
      case 'agent.failed':
        return turnFailed(entry.data, at);
      case 'message.skipped':
        return change([entry.data.message_id], at, skipped(at, entry.data.reason));
      case 'join.skipped': {
        const ids = entry.data.sources.flatMap(({ message_id }) => message_id ?? []);
        return change(ids, at, skipped(at, 'the join was skipped'));
      }
      case 'run.retry_scheduled':
        return closeAll(at, `the attempt ended: ${entry.data.code}`);
      case 'run.failed':
        return closeAll(at, `the run ended: ${entry.data.code}`);
      default:
        return;
    }
  };
  return { add, items: () => messages.values() };
}

function changeRecords(messages: ReadonlyMap<string, MessageRecord>, ids: readonly string[], fields: Partial<MessageRecord>): void {
  for (const id of ids) {
    const record = messages.get(id);
    if (record) Object.assign(record, fields);
  }
}

function closeOpen(messages: ReadonlyMap<string, MessageRecord>, fields: Partial<MessageRecord>): void {
  for (const record of messages.values()) if (OPEN.has(record.phase)) Object.assign(record, fields);
}

const OPEN: ReadonlySet<MessagePhase> = new Set(['Queued', 'Running', 'RetryPending']);

function skipped(at: string, reason: string): Partial<MessageRecord> {
  return { phase: 'Skipped', last_error: reason, processed_at: at, updated_at: at };
}

/** With one retry budget, the attempts of the Task count as tries of its messages. */
function triesOf(snapshot: RunSnapshot | undefined, attempt: number, messageAttempt: number): Pick<MessageRecord, 'attempts' | 'retries'> {
  const inherited = snapshot?.task.messageRetry.inherited === true;
  const earlier = inherited ? attempt - 1 : 0;
  return { attempts: earlier + messageAttempt, retries: Math.min(1, earlier) + messageAttempt - 1 };
}

interface Making {
  readonly origin: Origin;
  readonly at: string;
  readonly attempt: number;
  readonly snapshot: RunSnapshot;
  /** Parent of the branch. */
  readonly parent: string | undefined;
}

function newRecord(handOver: HandOver, { origin, at, attempt, snapshot, parent }: Making): MessageRecord {
  const { task, system } = snapshot;
  const content = cutText(origin.content);
  return {
    timestamp: at,
    message_id: handOver.message_id,
    idempotency_key: handOver.idempotency_key,
    task_id: `${task.namespace}/${task.name}`,
    attempt,
    system: system.name,
    from_agent: origin.from,
    to_agent: handOver.to_agent,
    branch_id: handOver.branch_id,
    ...(parent !== undefined && { parent_branch_id: parent }),
    type: origin.from === '' ? 'task_start' : 'task_handoff',
    content: content.text,
    ...(content.truncated && { truncated: true as const }),
    trace_id: task.uid.replaceAll('-', ''),
    ...(origin.parentId !== undefined && { parent_id: origin.parentId }),
    phase: 'Queued',
    attempts: 0,
    max_attempts: task.messageRetry.maxAttempts,
    updated_at: at,
    retries: 0,
  };
}

/** The record as clients see it. */
export function shownMessage(record: MessageRecord): Omit<MessageRecord, 'updated_at' | 'retries'> {
  const { updated_at: _, retries: _retries, next_attempt_at, ...shown } = record;
  return record.phase === 'RetryPending' && next_attempt_at !== undefined ? { ...shown, next_attempt_at } : shown;
}

/** A key is honoured as long as its Task exists, and at least this long. */
const KEY_HONOURED_MS = 24 * 60 * 60 * 1000;

export function idempotencyOf(record: MessageRecord): JsonObject {
  const { idempotency_key: key, message_id, phase: state, updated_at, worker } = record;
  const expires_at = timestamp(Date.parse(updated_at) + KEY_HONOURED_MS);
  return { key, message_id, state, updated_at, expires_at, ...(worker !== undefined && { worker }) };
}
