// Answers to requests of JSON-RPC: a result, an error, or a stream of results.
import { ServiceError } from '@svc/shared/errors';
import type { Dialect } from '../model.ts';
import type { AgentCall, Attachment, TaskService } from '../tasks/task-service.ts';
import type { RpcRequest } from './envelope.ts';
import { RpcError } from './errors.ts';
import { readClientTask, readHistoryLength, readList, readReason, readSend, readTaskId } from './read-params.ts';
import { writeEvent, writeMessage, writeTask, type TaskEvent, type WrittenJson } from './write-task.ts';

interface StreamItem {
  readonly result: WrittenJson;
  /** The last one. */
  readonly ends: boolean;
}

export type RpcAnswer =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'stream'; readonly dialect: Dialect; readonly open: (signal: AbortSignal) => AsyncIterable<StreamItem> };

/** Methods of push notification configurations and of the extended card, by the parts that offer them. */
interface MoreMethods {
  readonly push: PushMethods | undefined;
  /** The extended card of a system for a caller; undefined result: none is offered. */
  readonly extendedCard: (call: AgentCall, dialect: Dialect) => Promise<WrittenJson | undefined>;
}

export interface PushMethods {
  /** Carries out `CreateTaskPushNotificationConfig` and its like. */
  call(operation: 'pushCreate' | 'pushGet' | 'pushList' | 'pushDelete', call: AgentCall, request: RpcRequest): Promise<unknown>;
  /** A configuration that comes with a message. Throws RpcError for one that is invalid. */
  read(value: unknown, dialect: Dialect): Attachment;
}

export interface RpcServices extends MoreMethods {
  readonly tasks: TaskService;
}

export interface Answering extends RpcServices {
  readonly call: AgentCall;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

const pushUnsupported = () => new RpcError('PUSH_NOTIFICATION_NOT_SUPPORTED', 'Push Notification is not supported');

/** The dialect of refusals of `tasks/get` and `tasks/cancel`, which are in the plain dialect as well as in 0.3. */
const plainOf = (dialect: Dialect): Dialect => (dialect === 'v03' ? 'spec' : dialect);

/** Rejects with RpcError and ServiceError. */
export async function answerRequest(answering: Answering, request: RpcRequest): Promise<RpcAnswer> {
  const { operation, dialect } = request.method;
  const { params } = request;
  const { tasks, call, push } = answering;
  switch (operation) {
    case 'send':
      return result(await send(answering, request));
    case 'stream':
      return stream(answering, request);
    case 'subscribe':
      return subscribe(answering, request);
    case 'get': {
      const historyLength = readHistoryLength(params['historyLength']);
      const task = await tasks.view(await tasks.find(call, readTaskId(params, plainOf(dialect))));
      return result(writeTask(task, dialect, { historyLength }));
    }
    case 'cancel': {
      const reason = readReason(params);
      const record = await tasks.find(call, readTaskId(params, plainOf(dialect)));
      return result(writeTask(await tasks.cancel(call, record, reason), dialect));
    }
    case 'list':
      return result(await list(answering, request));
    case 'extendedCard':
      return result(await extendedCard(answering, dialect));
    default:
      if (!push) throw pushUnsupported();
      return result(await push.call(operation, call, request));
  }
}

const result = (value: unknown): RpcAnswer => ({ kind: 'result', result: value });

// ---------------------------------------------------------------- messages

async function started({ tasks, call, push }: Answering, { params, method: { dialect } }: RpcRequest) {
  if (dialect === 'spec') {
    const asked = readClientTask(params);
    return { sent: await tasks.sendClientTask(call, asked), waits: true, historyLength: undefined };
  }
  const { push: config, ...asked } = readSend(params, dialect);
  const wanted = config !== undefined && config !== null;
  if (wanted && !push) throw pushUnsupported();
  const sent = await tasks.send(call, { ...asked, attached: wanted ? push?.read(config, dialect) : undefined });
  return { sent, waits: asked.waits, historyLength: asked.historyLength };
}

async function send(answering: Answering, request: RpcRequest): Promise<WrittenJson> {
  const { tasks, signal } = answering;
  const { dialect } = request.method;
  const { sent, waits: asked, historyLength } = await started(answering, request);
  // Nobody waits for the end of what a notification starts.
  const waits = asked && request.id !== undefined;
  const { record, unchanged } = sent;
  const task = await (waits && !unchanged ? tasks.settled(record, signal) : tasks.view(record));
  if (task.reply && dialect !== 'spec') {
    const written = writeMessage(task.reply, dialect);
    return dialect === 'v1' ? { message: written } : written;
  }
  const written = writeTask(task, dialect, { historyLength });
  return dialect === 'v1' ? { task: written } : written;
}

// ---------------------------------------------------------------- streams

async function stream(answering: Answering, request: RpcRequest): Promise<RpcAnswer> {
  const { sent } = await started(answering, request);
  return eventsOf(answering, request.method.dialect, sent);
}

async function subscribe(answering: Answering, { params, method: { dialect } }: RpcRequest): Promise<RpcAnswer> {
  const { tasks, call } = answering;
  const record = await tasks.find(call, readTaskId(params, dialect));
  const { state } = await tasks.view(record);
  if (state === 'completed' || state === 'failed' || state === 'canceled' || state === 'rejected')
    throw new RpcError('UNSUPPORTED_OPERATION', 'The task has ended; read it instead of following it', { task_id: record.id });
  return eventsOf(answering, dialect, { record });
}

type FollowedTask = Pick<Awaited<ReturnType<TaskService['send']>>, 'record'> & { readonly eventsAfter?: number };

function eventsOf({ tasks }: Answering, dialect: Dialect, { record, eventsAfter }: FollowedTask): RpcAnswer {
  const isPlain = dialect === 'spec';
  // An answer in this dialect is always a task: the first event does not wait to see whether the run answers with a message.
  const follows = { eventsAfter: isPlain ? undefined : eventsAfter, endsAtQuestion: !isPlain };
  const open = async function* (signal: AbortSignal): AsyncGenerator<StreamItem> {
    for await (const event of tasks.follow(record, { signal, ...follows })) {
      if (!isPlain) yield { result: writeEvent(event, dialect), ends: isLast(event) };
      // The plain dialect's stream has the whole task in each event.
      else if (event.kind !== 'artifact') {
        const task = event.kind === 'message' ? await tasks.view(record) : event.task;
        yield { result: writeTask(task, dialect), ends: isLast(event) };
      }
    }
  };
  return { kind: 'stream', dialect, open };
}

const isLast = (event: TaskEvent): boolean => event.kind === 'message' || (event.kind === 'status' && event.final);

// ---------------------------------------------------------------- lists and cards

async function list({ tasks, call }: Answering, { params }: RpcRequest): Promise<WrittenJson> {
  const { historyLength, includeArtifacts, ...query } = readList(params);
  const page = await tasks.list(call, query);
  return {
    tasks: page.tasks.map((task) => writeTask(task, 'v1', { historyLength, artifacts: includeArtifacts })),
    nextPageToken: page.nextPageToken,
    pageSize: query.pageSize,
    totalSize: page.totalSize,
  };
}

async function extendedCard({ call, extendedCard: cardOf }: Answering, dialect: Dialect): Promise<WrittenJson> {
  const card = await cardOf(call, dialect);
  if (card) return card;
  const message = 'No extended Agent Card is offered';
  if (dialect === 'v1') throw new RpcError('UNSUPPORTED_OPERATION', message);
  throw new RpcError('EXTENDED_AGENT_CARD_NOT_CONFIGURED', message);
}

const HTTP_REFUSALS: ReadonlySet<string> = new Set(['unauthorized', 'forbidden', 'rate_limited']);

/** An error of JSON-RPC; HTTP answers those that it has a status for by itself. */
export const isHttpRefusal = (error: unknown): boolean => error instanceof ServiceError && HTTP_REFUSALS.has(error.code);
