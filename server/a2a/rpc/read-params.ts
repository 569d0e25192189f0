// Parameters of the methods, in the form of each dialect.
import { isObject, canonicalJson, type JsonObject } from '@svc/shared/json';
import { parseRfc3339 } from '@svc/shared/rfc3339';
import { createHash, randomUUID } from 'node:crypto';
import { TASK_STATES, type Dialect, type TaskState } from '../model.ts';
import type { ClientTaskRequest, ListQuery, SendRequest } from '../tasks/task-service.ts';
import { RpcError } from './errors.ts';
import { missing, readId, readMessage } from './read-message.ts';

type Params = Readonly<Record<string, unknown>>;

const invalid = (message: string): RpcError => new RpcError('INVALID_PARAMS', message);
const HISTORY_MAX = 1_000_000_000;
const METADATA_MAX = 64 * 1024;

export interface SendParams extends SendRequest {
  /** False: the task is answered as soon as it exists. */
  readonly waits: boolean;
  readonly historyLength: number | undefined;
  /** A push notification configuration for the new task, unread. */
  readonly push: unknown;
}

export function readSend(params: Params, dialect: Dialect): SendParams {
  const message = readMessage(params['message'], dialect, randomUUID);
  const configuration = params['configuration'] ?? {};
  if (!isObject(configuration)) throw invalid('configuration must be an object');
  const { blocking = true, returnImmediately = false, historyLength } = configuration;
  if (typeof blocking !== 'boolean') throw invalid('configuration.blocking must be true or false');
  if (typeof returnImmediately !== 'boolean') throw invalid('configuration.returnImmediately must be true or false');
  return {
    message,
    metadata: readMetadata(params, dialect),
    waits: dialect === 'v1' ? !returnImmediately : blocking,
    historyLength: readHistoryLength(historyLength),
    push: configuration['pushNotificationConfig'] ?? configuration['taskPushNotificationConfig'],
  };
}

export function readClientTask(params: Params): ClientTaskRequest {
  const id = readId(params['id'], 'id', 'spec');
  const message = readMessage(params['message'], 'spec', randomUUID);
  const metadata = readMetadata(params, 'spec');
  const fingerprint = createHash('sha256').update(canonicalJson(params['message'])).digest('hex');
  return { id, message, metadata, fingerprint };
}

/** A map of texts in the plain dialect, any JSON object in the others. */
function readMetadata({ metadata }: Params, dialect: Dialect): JsonObject | undefined {
  if (metadata === undefined || metadata === null) return undefined;
  if (!isObject(metadata)) throw invalid('metadata must be an object');
  if (dialect === 'spec' && !Object.values(metadata).every((value) => typeof value === 'string'))
    throw invalid('metadata must have strings as values');
  // The target is no part of what the task keeps.
  const { system: _system, ...rest } = metadata;
  if (Buffer.byteLength(JSON.stringify(rest)) > METADATA_MAX) throw invalid(`metadata may have at most ${METADATA_MAX} bytes`);
  return Object.keys(rest).length > 0 ? (rest as JsonObject) : undefined;
}

export function readHistoryLength(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  return readCount(value, 'historyLength', { min: 0, max: HISTORY_MAX });
}

function readCount(value: unknown, path: string, { min, max }: { readonly min: number; readonly max: number }): number {
  if (!Number.isInteger(value) || Number(value) < min || Number(value) > max)
    throw invalid(`${path} must be a whole number from ${min} to ${max}`);
  return Number(value);
}

/** The id of a task; 0.3 names it `id`, some of its methods `taskId`. */
export function readTaskId(params: Params, dialect: Dialect): string {
  return readId(params['id'], 'id', dialect);
}

export function readReason({ reason }: Params): string | undefined {
  if (reason === undefined || reason === null) return undefined;
  if (typeof reason !== 'string' || reason.length > REASON_MAX || /\p{Cc}/u.test(reason))
    throw invalid(`reason must be a string of at most ${REASON_MAX} characters without control characters`);
  return reason === '' ? undefined : reason;
}

const REASON_MAX = 500;
const PAGE_SIZE_DEFAULT = 50;
const PAGE_SIZE_MAX = 100;

/** A list, and the fields of each task in it. */
export interface ListParams extends ListQuery {
  readonly historyLength: number | undefined;
  readonly includeArtifacts: boolean;
}

export function readList(params: Params): ListParams {
  const { contextId, status, pageSize, pageToken = '', includeArtifacts = false, statusTimestampAfter } = params;
  if (typeof pageToken !== 'string') throw invalid('pageToken must be a string');
  if (typeof includeArtifacts !== 'boolean') throw invalid('includeArtifacts must be true or false');
  return {
    contextId: contextId === undefined || contextId === null || contextId === '' ? undefined : readId(contextId, 'contextId', 'v1'),
    state: readState(status),
    changedAfter: readTime(statusTimestampAfter),
    pageSize:
      pageSize === undefined || pageSize === null ? PAGE_SIZE_DEFAULT : readCount(pageSize, 'pageSize', { min: 1, max: PAGE_SIZE_MAX }),
    pageToken,
    historyLength: readHistoryLength(params['historyLength']),
    includeArtifacts,
  };
}

const STATES: ReadonlyMap<unknown, TaskState> = new Map(
  TASK_STATES.map((state) => [`TASK_STATE_${state.replace('-', '_').toUpperCase()}`, state]),
);

function readState(value: unknown): TaskState | undefined {
  if (value === undefined || value === null || value === '' || value === 'TASK_STATE_UNSPECIFIED') return undefined;
  const state = STATES.get(value);
  if (!state) throw invalid(`status must be one of ${[...STATES.keys()].join(', ')}`);
  return state;
}

function readTime(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const time = typeof value === 'string' ? parseRfc3339(value) : undefined;
  if (time === undefined) throw invalid('statusTimestampAfter must be an RFC 3339 time');
  return time;
}

/** The target of a request to the shared endpoint, `name` or `namespace/name`. */
export function readTarget({ system, metadata }: Params): string | undefined {
  const named = system ?? (isObject(metadata) ? metadata['system'] : undefined);
  if (named === undefined || named === null || named === '') return undefined;
  if (typeof named !== 'string') throw missing('v1', 'params.system must name an AgentSystem, as name or namespace/name');
  return named;
}
