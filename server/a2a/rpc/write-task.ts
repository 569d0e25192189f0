// Tasks, messages and stream events in the form of each dialect. The plain dialect and 0.3 have one form that clients of both read.
import { isObject } from '@svc/shared/json';
import type { AgentTask, Artifact, Dialect, Message, Part, TaskState } from '../model.ts';

export type WrittenJson = Readonly<Record<string, unknown>>;

/** A change of a task for the readers of its stream. */
export type TaskEvent =
  | { readonly kind: 'task'; readonly task: AgentTask }
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'status'; readonly task: AgentTask; readonly final: boolean }
  | { readonly kind: 'artifact'; readonly task: Ids; readonly artifact: Artifact; readonly append: boolean; readonly last: boolean };

type Ids = Pick<AgentTask, 'id' | 'contextId'>;

export interface WriteOptions {
  /** The newest messages of the history; absent: all. */
  readonly historyLength?: number | undefined;
  readonly artifacts?: boolean;
}

export function writeTask(task: AgentTask, dialect: Dialect, options: WriteOptions = {}): WrittenJson {
  return dialect === 'v1' ? taskV1(task, options) : taskV03(task, options);
}

export function writeEvent(event: TaskEvent, dialect: Dialect): WrittenJson {
  return dialect === 'v1' ? eventV1(event) : eventV03(event);
}

export function writeMessage(message: Message, dialect: Dialect): WrittenJson {
  return dialect === 'v1' ? messageV1(message) : messageV03(message);
}

function historyOf({ history }: AgentTask, { historyLength }: WriteOptions): readonly Message[] {
  if (historyLength === undefined) return history;
  return historyLength === 0 ? [] : history.slice(-historyLength);
}

const optional = (name: string, value: unknown): WrittenJson => (value === undefined ? {} : { [name]: value });
const list = (name: string, items: readonly unknown[] | undefined): WrittenJson => (items && items.length > 0 ? { [name]: items } : {});

// ---------------------------------------------------------------- A2A 1.0

const stateV1 = (state: TaskState): string => `TASK_STATE_${state.replace('-', '_').toUpperCase()}`;

function taskV1(task: AgentTask, options: WriteOptions): WrittenJson {
  const { id, contextId, metadata, artifacts } = task;
  return {
    id,
    contextId,
    status: statusV1(task),
    ...(options.artifacts !== false && list('artifacts', artifacts.map(artifactV1))),
    ...list('history', historyOf(task, options).map(messageV1)),
    ...optional('metadata', metadata),
  };
}

const statusV1 = ({ state, message, timestamp }: AgentTask): WrittenJson => ({
  state: stateV1(state),
  ...(message && { message: messageV1(message) }),
  timestamp,
});

function messageV1({ messageId, contextId, taskId, role, parts, metadata, extensions, referenceTaskIds }: Message): WrittenJson {
  return {
    messageId,
    ...optional('contextId', contextId),
    ...optional('taskId', taskId),
    role: role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT',
    parts: parts.map(partV1),
    ...optional('metadata', metadata),
    ...list('extensions', extensions),
    ...list('referenceTaskIds', referenceTaskIds),
  };
}

const artifactV1 = ({ artifactId, name, parts }: Artifact): WrittenJson => ({ artifactId, name, parts: parts.map(partV1) });

function partV1(part: Part): WrittenJson {
  const metadata = optional('metadata', part.metadata);
  if (part.kind === 'text') return { text: part.text, ...metadata };
  if (part.kind === 'data') return { data: part.data, mediaType: 'application/json', ...metadata };
  const { name, mediaType, bytes, uri } = part;
  return {
    ...(bytes === undefined ? { url: uri } : { raw: bytes }),
    ...optional('filename', name),
    ...optional('mediaType', mediaType),
    ...metadata,
  };
}

function eventV1(event: TaskEvent): WrittenJson {
  switch (event.kind) {
    case 'task':
      return { task: taskV1(event.task, {}) };
    case 'message':
      return { message: messageV1(event.message) };
    case 'status':
      return { statusUpdate: { taskId: event.task.id, contextId: event.task.contextId, status: statusV1(event.task) } };
    case 'artifact': {
      const { task, artifact, append, last } = event;
      const flags = { ...(append && { append }), ...(last && { lastChunk: last }) };
      return { artifactUpdate: { taskId: task.id, contextId: task.contextId, artifact: artifactV1(artifact), ...flags } };
    }
  }
}

// ---------------------------------------------------------------- plain dialect and A2A 0.3

function taskV03(task: AgentTask, options: WriteOptions): WrittenJson {
  const { id, contextId, metadata, artifacts } = task;
  return {
    kind: 'task',
    id,
    contextId,
    status: statusV03(task),
    ...(options.artifacts !== false && list('artifacts', artifacts.map(artifactV03))),
    ...list('history', historyOf(task, options).map(messageV03)),
    ...optional('metadata', metadata),
  };
}

const statusV03 = ({ state, message, timestamp }: AgentTask): WrittenJson => ({
  state,
  ...(message && { message: messageV03(message) }),
  timestamp,
});

function messageV03({ messageId, contextId, taskId, role, parts, metadata, extensions, referenceTaskIds }: Message): WrittenJson {
  return {
    kind: 'message',
    messageId,
    ...optional('contextId', contextId),
    ...optional('taskId', taskId),
    role,
    parts: parts.map(partV03),
    ...optional('metadata', metadata),
    ...list('extensions', extensions),
    ...list('referenceTaskIds', referenceTaskIds),
  };
}

const artifactV03 = ({ artifactId, name, parts }: Artifact, index = 0): WrittenJson => ({
  artifactId,
  name,
  parts: parts.map(partV03),
  index,
});

function partV03(part: Part): WrittenJson {
  const metadata = optional('metadata', part.metadata);
  const tagged = (kind: string, content: WrittenJson) => ({ kind, type: kind, ...content, ...metadata });
  if (part.kind === 'text') return tagged('text', { text: part.text });
  // The data of 0.3 is an object.
  if (part.kind === 'data')
    return isObject(part.data) ? tagged('data', { data: part.data }) : tagged('text', { text: JSON.stringify(part.data) });
  const { name, mediaType, bytes, uri } = part;
  const file = { ...optional('name', name), ...optional('mimeType', mediaType), ...(bytes === undefined ? { uri } : { bytes }) };
  return tagged('file', { file });
}

function eventV03(event: TaskEvent): WrittenJson {
  switch (event.kind) {
    case 'task':
      return taskV03(event.task, {});
    case 'message':
      return messageV03(event.message);
    case 'status': {
      const { task, final } = event;
      return { kind: 'status-update', taskId: task.id, contextId: task.contextId, status: statusV03(task), final };
    }
    case 'artifact': {
      const { task, artifact, append, last } = event;
      const ids = { taskId: task.id, contextId: task.contextId };
      return { kind: 'artifact-update', ...ids, artifact: artifactV03(artifact), append, lastChunk: last };
    }
  }
}
