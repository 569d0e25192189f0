// Tasks that other agents ask for over A2A: started, continued, read, cancelled and followed, for the caller who owns them.
import type { JsonObject } from '@svc/shared/json';
import type { RequestContext } from '../../registry/registry.ts';
import type { StoredObject, StoreReader, StoreTransaction } from '../../store/store.ts';
import type { AgentTask, Message, TaskState } from '../model.ts';
import type { TaskEvent } from '../rpc/write-task.ts';
import type { TaskRecord } from './records.ts';

/** A caller and the agent system that the call is for, which is open to A2A. */
export interface AgentCall {
  readonly context: RequestContext;
  readonly system: StoredObject;
}

/** Stored with a message, or neither is. */
export interface Attachment {
  /** Throws RpcError where the task takes no more. */
  check(reader: StoreReader, record: TaskRecord): Promise<void>;
  /** Throws as `check` does. */
  write(tx: StoreTransaction, record: TaskRecord): Promise<void>;
}

export interface SendRequest {
  readonly message: Message;
  readonly metadata?: JsonObject | undefined;
  readonly attached?: Attachment | undefined;
}

/** A request of the plain dialect, whose client chooses the id. */
export interface ClientTaskRequest extends SendRequest {
  readonly id: string;
  /** Hash of the message as it was sent: the same id with another is refused. */
  readonly fingerprint: string;
}

export interface SentTask {
  readonly record: TaskRecord;
  /** The message changed nothing: the answer is the task in its current state. */
  readonly unchanged: boolean;
  /** Position in the events of its Session at which the task begins. */
  readonly eventsAfter: number;
}

export interface ListQuery {
  readonly contextId?: string | undefined;
  readonly state?: TaskState | undefined;
  /** Milliseconds since the epoch; tasks that changed earlier are left out. */
  readonly changedAfter?: number | undefined;
  readonly pageSize: number;
  readonly pageToken: string;
}

export interface TaskPage {
  readonly tasks: readonly AgentTask[];
  readonly nextPageToken: string;
  readonly totalSize: number;
}

/** Methods reject with RpcError, and with ServiceError for what the services behind it refuse. */
export interface TaskService {
  /** A message to a new task, in a new or a known context, or to a task that has not ended. */
  send(call: AgentCall, request: SendRequest): Promise<SentTask>;
  sendClientTask(call: AgentCall, request: ClientTaskRequest): Promise<SentTask>;
  /** TASK_NOT_FOUND for a task of another system or another caller. */
  find(call: AgentCall, id: string): Promise<TaskRecord>;
  view(record: TaskRecord): Promise<AgentTask>;
  list(call: AgentCall, query: ListQuery): Promise<TaskPage>;
  /** TASK_NOT_CANCELABLE for a task that has ended. */
  cancel(call: AgentCall, record: TaskRecord, reason: string | undefined): Promise<AgentTask>;
  /** The task once it has ended, waits for a decision or is paused; its current state when aborted. */
  settled(record: TaskRecord, signal: AbortSignal): Promise<AgentTask>;
  /** The task, then its changes, until it has ended. `eventsAfter` undefined: from now on. `endsAtQuestion`: at the latest when it waits for somebody. */
  follow(record: TaskRecord, options: FollowTask): AsyncIterable<TaskEvent>;
}

export interface FollowTask {
  readonly signal: AbortSignal;
  readonly eventsAfter?: number | undefined;
  readonly endsAtQuestion: boolean;
}
