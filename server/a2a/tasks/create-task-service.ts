// The service of A2A tasks over Sessions, runs and the store.
import { isObject } from '@svc/shared/json';
import { statusOf } from '@svc/shared/kinds/read';
import { TASK_TERMINAL_PHASES } from '@svc/shared/kinds/task/schema';
import type { RunService } from '../../engine/runs/run-service.ts';
import { cancelWithin } from '../../engine/runs/cancel.ts';
import { recordWritten } from '../../registry/written.ts';
import { cancelOneTurn } from '../../sessions/control.ts';
import { changeSession } from '../../sessions/draft.ts';
import { isOver } from '../../sessions/records.ts';
import { carryOut, type SessionDeps } from '../../sessions/run-orders.ts';
import { startNext } from '../../sessions/turns.ts';
import type { StoreReader, StoreTransaction } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';
import { isTerminal, type AgentTask, type Message } from '../model.ts';
import { RpcError } from '../rpc/errors.ts';
import { followTask, untilSettled, viewTask } from './follow.ts';
import { listTasks } from './list.ts';
import { keyOf, lockRun, moveRecord, putRecord, readRecord, type TaskRecord } from './records.ts';
import { callerName, findOwnTask, hasMessage, isRepeated, startClientTask, startTurn } from './start-run.ts';
import type { AgentCall, ClientTaskRequest, SendRequest, SentTask, TaskService } from './task-service.ts';
import { seeTask, type OpenQuestion, type SeenTask } from './view.ts';
import { timeLimit } from '../../clock.ts';

export interface TaskServiceDeps extends SessionDeps {
  /** Decides approvals. */
  readonly runs: Pick<RunService, 'decide'>;
  /** Called with a record whose task was canceled or is canceled with its run, in the same transaction. */
  readonly onChanged: (tx: StoreTransaction, record: TaskRecord) => Promise<void>;
}

/** Messages of one task at most. */
const MESSAGES_MAX = 200;
/** Bytes of the JSON of these messages: each read of the task and each further message reads all of them. */
const MESSAGES_MAX_BYTES = 4 * 1024 * 1024;
/** How long a cancel waits for the end of a run that a worker holds. */
const CANCEL_WAIT_MS = 10_000;

export function createTaskService(deps: TaskServiceDeps): TaskService {
  return {
    send: (call, request) => (request.message.taskId === undefined ? startTurn(deps, call, request) : continueTask(deps, call, request)),
    sendClientTask: (call, request) => sendClientTask(deps, call, request),
    find: (call, id) => findTask(deps, call, id),
    view: (record) => viewTask(deps, record),
    list: (call, query) => listTasks(deps, call, query),
    cancel: (call, record, reason) => cancelTask(deps, call, { record, reason: reason ?? `on request of ${callerName(call.context)}` }),
    settled: (record, signal) => untilSettled(deps, record, signal),
    follow: (record, options) => followTask(deps, record, options),
  };
}

const notFound = (id: string): RpcError => new RpcError('TASK_NOT_FOUND', 'Task not found', { task_id: id });

async function findTask({ store }: TaskServiceDeps, call: AgentCall, id: string): Promise<TaskRecord> {
  const record = await findOwnTask(store, call, id);
  if (!record) throw notFound(id);
  return record;
}

/** A new message with a known task id answers a task that waits for input; a repeated message changes nothing. */
async function sendClientTask(deps: TaskServiceDeps, call: AgentCall, request: ClientTaskRequest): Promise<SentTask> {
  const { id, message, fingerprint } = request;
  const record = await findOwnTask(deps.store, call, id);
  const isOther = record !== undefined && !hasMessage(record, request);
  if (!isOther || (await seeTask(deps.store, record))?.question === undefined) return startClientTask(deps, call, request);
  return joinTask(deps, call, { record, message: { ...message, taskId: id }, fingerprint });
}

async function continueTask(deps: TaskServiceDeps, call: AgentCall, { message, attached }: SendRequest): Promise<SentTask> {
  return joinTask(deps, call, { record: await findTask(deps, call, message.taskId ?? ''), message, attached });
}

interface Joining extends SendRequest {
  readonly record: TaskRecord;
  /** Hash of the message, for task ids that clients choose. */
  readonly fingerprint?: string;
}

async function joinTask(deps: TaskServiceDeps, call: AgentCall, joining: Joining): Promise<SentTask> {
  const decided = !hasJoined(joining.record, joining) && (await decideWith(deps, call, joining));
  return addMessage(deps, joining, decided);
}

const hasJoined = (record: TaskRecord, { message, fingerprint }: Joining): boolean =>
  fingerprint === undefined ? isRepeated(record, message) : hasMessage(record, { id: record.id, message, fingerprint });

/** True when the message decided what the task waits for. Throws for one that the task does not take. */
async function decideWith(deps: TaskServiceDeps, call: AgentCall, { record, message, attached }: Joining): Promise<boolean> {
  const { taskId = '', contextId } = message;
  if (contextId !== undefined && contextId !== record.contextId)
    throw new RpcError('INVALID_PARAMS', 'message.contextId is not the context of that task', { task_id: taskId });
  const { question } = await seeOpen(deps.store, record);
  // A decision is final, so these checks are first.
  requireRoom(record, message);
  await attached?.check(deps.store, record);
  return question !== undefined && (await decide(deps, call, { question, message }));
}

async function seeOpen(reader: StoreReader, record: TaskRecord): Promise<SeenTask> {
  const seen = await seeTask(reader, record);
  if (seen && !isTerminal(seen.task.state)) return seen;
  throw new RpcError('UNSUPPORTED_OPERATION', 'The task has ended and accepts no more messages; send one without its id', {
    task_id: record.id,
  });
}

const VERDICTS: Readonly<Record<string, 'approved' | 'denied'>> = { approve: 'approved', deny: 'denied' };
const DECIDERS: ReadonlySet<string> = new Set(['approver', 'writer', 'admin']);

/** The part of a message that decides a question. */
function decisionOf({ parts }: Message): Readonly<Record<string, unknown>> | undefined {
  const said = parts.flatMap((part) => (part.kind === 'data' && isObject(part.data) ? [part.data] : []));
  return said.find(({ decision }) => typeof decision === 'string' && Object.hasOwn(VERDICTS, decision));
}

/** True when the message decided the open question. From a caller whose role may not decide it is an ordinary message. */
async function decide(
  { runs }: TaskServiceDeps,
  { context }: AgentCall,
  { question, message }: { readonly question: OpenQuestion; readonly message: Message },
): Promise<boolean> {
  const asked = decisionOf(message);
  const decision = asked && VERDICTS[String(asked['decision'])];
  if (!decision || !DECIDERS.has(context.identity.role)) return false;
  const { kind, namespace, name } = question;
  const { comment } = asked;
  await runs.decide(context, { kind, namespace, name }, { decision, ...(typeof comment === 'string' && { comment }) });
  return true;
}

function requireRoom({ id, messages }: TaskRecord, message: Message): void {
  const refuse = (amount: string) => new RpcError('UNSUPPORTED_OPERATION', `A task takes at most ${amount}`, { task_id: id });
  if (messages.length >= MESSAGES_MAX) throw refuse(`${MESSAGES_MAX} messages`);
  if (Buffer.byteLength(JSON.stringify([...messages, message])) > MESSAGES_MAX_BYTES)
    throw refuse(`${MESSAGES_MAX_BYTES} bytes of messages`);
}

/** A message that decided is kept although the task has ended, or another message took the last place, meanwhile. A repeated one is not. */
function addMessage({ store }: TaskServiceDeps, joining: Joining, decided: boolean): Promise<SentTask> {
  const { record, fingerprint, attached } = joining;
  const message = { ...joining.message, contextId: record.contextId };
  return transactAgain(store, async (tx) => {
    const { run } = record;
    await lockRun(tx, run);
    const current = await readRecord(tx, keyOf(run));
    if (!current) throw notFound(record.id);
    const isRepetition = !decided && hasJoined(current, joining);
    if (!decided && !isRepetition) {
      await seeOpen(tx, current);
      requireRoom(current, message);
    }
    const joined = {
      ...current,
      messages: [...current.messages, message],
      ...(fingerprint !== undefined && { joined: [...(current.joined ?? []), fingerprint] }),
    };
    if (!isRepetition) await putRecord(tx, joined);
    await attached?.write(tx, current);
    const unchanged = isRepetition ? decisionOf(message) === undefined : !decided;
    return { record: isRepetition ? current : joined, unchanged, eventsAfter: 0 };
  });
}

// ---------------------------------------------------------------- cancel

interface Cancelling {
  readonly record: TaskRecord;
  readonly reason: string;
}

async function cancelTask(deps: TaskServiceDeps, call: AgentCall, { record, reason }: Cancelling): Promise<AgentTask> {
  const ended = await (record.run.kind === 'turn' ? cancelTurn(deps, call, { record, reason }) : cancelRun(deps, call, { record, reason }));
  if (!ended) throw new RpcError('TASK_NOT_CANCELABLE', 'The task has ended and cannot be canceled', { task_id: record.id });
  return untilSettled(deps, record, timeLimit(CANCEL_WAIT_MS));
}

/** False when it is over. */
function cancelTurn(deps: TaskServiceDeps, { context }: AgentCall, { record, reason }: Cancelling): Promise<boolean> {
  const { run } = record;
  if (run.kind !== 'turn') return Promise.resolve(false);
  const { session, sequence } = run;
  return transactAgain(deps.store, async (tx) => {
    const orders = await changeSession(tx, { ref: session, uid: session.uid, deps }, async (draft) => {
      const turn = await draft.turn(sequence);
      if (!turn || isOver(turn)) return undefined;
      recordWritten(tx, { action: 'session.control', by: context, object: draft.object, details: { action: 'cancel' } });
      const ordered = await cancelOneTurn(draft, turn, reason);
      if (draft.control.active === undefined && draft.phase !== 'Paused') await startNext(deps, draft);
      return ordered;
    });
    if (!orders) return false;
    const current = await readRecord(tx, keyOf(run));
    const moved = current && (await moveRecord(tx, current, deps.clock.now()));
    await carryOut(deps, tx, { orders, namespace: session.namespace, by: context });
    if (moved) await deps.onChanged(tx, moved);
    return true;
  });
}

const ENDED: ReadonlySet<string> = new Set(TASK_TERMINAL_PHASES);

function cancelRun(deps: TaskServiceDeps, { context }: AgentCall, { record, reason }: Cancelling): Promise<boolean> {
  const { run } = record;
  if (run.kind !== 'task') return Promise.resolve(false);
  const { clock, store } = deps;
  return transactAgain(store, async (tx) => {
    const task = await tx.getObject({ kind: 'Task', namespace: run.task.namespace, name: run.task.name });
    if (task?.uid !== run.task.uid || ENDED.has(statusOf('Task', task).phase)) return false;
    recordWritten(tx, { action: 'task.cancel', by: context, object: task });
    await cancelWithin(tx, { task, now: clock.now(), runListeners: deps.runListeners() }, { by: context.identity.name, reason });
    return true;
  });
}
