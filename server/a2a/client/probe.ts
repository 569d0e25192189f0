// Checks of a remote agent in one dialect: each sends a real request and describes its outcome in one sentence.
import { randomUUID } from 'node:crypto';
import { textStart } from '@svc/shared/text-start';
import { redact } from '../../egress/redact.ts';
import { CallError } from '../../engine/ports.ts';
import { isInterrupted, isTerminal } from '../model.ts';
import { AgentRpcError, callMethod, secretsOf, streamMethod, type AgentConnection } from './exchange.ts';
import { nextPollMs, POLL_FIRST_MS, QUOTE_MAX_CHARS } from './limits.ts';
import { applyUpdate, readAnswer, type TaskUpdate } from './read-answer.ts';
import { cancelRequest, getRequest, sendRequest, type MethodRequest } from './requests.ts';

export const PROBES = ['send', 'read', 'stream', 'cancel', 'unknown task', 'unknown method'] as const;
type ProbeName = (typeof PROBES)[number];

export interface ProbeResult {
  readonly probe: ProbeName;
  readonly outcome: 'works' | 'fails' | 'skipped';
  /** Outcome in words. */
  readonly detail: string;
}

export interface ProbeOptions {
  readonly connection: AgentConnection;
  readonly message: string;
  /** The card offers it. */
  readonly streaming: boolean;
  readonly signal: AbortSignal;
}

type ProbeFinding = Pick<ProbeResult, 'outcome' | 'detail'>;

const TASK_NOT_FOUND = -32001;
const TASK_NOT_CANCELABLE = -32002;
const METHOD_NOT_FOUND = -32601;
const works = (detail: string): ProbeFinding => ({ outcome: 'works', detail });
const fails = (detail: string): ProbeFinding => ({ outcome: 'fails', detail });
const skipped = (detail: string): ProbeFinding => ({ outcome: 'skipped', detail });

/** An agent without the methods of the dialect gets no further requests. */
export async function* probeDialect(options: ProbeOptions): AsyncGenerator<ProbeResult> {
  const state: { task?: TaskUpdate; absent?: boolean } = {};
  const probes: Readonly<Record<ProbeName, () => Promise<ProbeFinding>>> = {
    send: async () => {
      state.task = await send(options);
      return works(state.task.reply ? 'answered with a message' : `task ${state.task.state ?? 'without a state'}`);
    },
    read: () => read(options, state.task),
    stream: () => (options.streaming ? stream(options) : Promise.resolve(skipped('the card does not offer it'))),
    cancel: () => cancel(options, state.task),
    'unknown task': () => expectError(options, getRequest(options.connection.dialect, `unknown-${randomUUID()}`), TASK_NOT_FOUND),
    'unknown method': () => expectError(options, { method: 'svcctl/none', params: {} }, METHOD_NOT_FOUND),
  };
  for (const probe of PROBES) {
    const seen = state.absent ? skipped('the agent does not speak this version') : await settle(probes[probe]);
    if (probe === 'send' && seen.outcome === 'fails' && seen.detail.startsWith(`error ${METHOD_NOT_FOUND}`)) state.absent = true;
    const detail = redact(seen.detail, secretsOf(options.connection.credentials)).replace(/\s+/g, ' ');
    yield { probe, outcome: seen.outcome, detail: textStart(detail, QUOTE_MAX_CHARS) };
  }
}

async function settle(run: () => Promise<ProbeFinding>): Promise<ProbeFinding> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof AgentRpcError) return fails(`error ${error.code}${error.message === '' ? '' : `: ${error.message}`}`);
    if (error instanceof CallError) return fails(error.message);
    if (error instanceof Error && error.name === 'TimeoutError') return fails('no answer in time');
    throw error;
  }
}

function request({ connection: { dialect }, message }: ProbeOptions, streams: boolean): MethodRequest {
  const id = randomUUID();
  return sendRequest(dialect, { messageId: id, role: 'user', parts: [{ kind: 'text', text: message }] }, { id, streams });
}

async function taskOf(result: unknown, before: TaskUpdate = {}): Promise<TaskUpdate> {
  const update = readAnswer(result);
  if (update) return Promise.resolve(applyUpdate(before, update));
  throw new CallError('malformed_response', 'the result is neither a task nor a message', { retryable: false });
}

async function send(options: ProbeOptions): Promise<TaskUpdate> {
  return taskOf(await callMethod(options.connection, { ...request(options, false), signal: options.signal }));
}

const isSettled = ({ state, reply }: TaskUpdate): boolean =>
  reply !== undefined || (state !== undefined && (isTerminal(state) || isInterrupted(state)));

/** Reads the task of the first message until it has ended. */
async function read({ connection, signal }: ProbeOptions, task: TaskUpdate | undefined): Promise<ProbeFinding> {
  if (!task?.taskId) return skipped('no task was started');
  const { clock, dialect } = connection;
  let seen = task;
  for (let waitMs = POLL_FIRST_MS; ; waitMs = nextPollMs(waitMs)) {
    seen = await taskOf(await callMethod(connection, { ...getRequest(dialect, task.taskId), signal }), seen);
    if (isSettled(seen)) return works(`task ${seen.state ?? 'answered'}`);
    await clock.sleep(waitMs, signal);
  }
}

async function stream(options: ProbeOptions): Promise<ProbeFinding> {
  let events = 0;
  let task: TaskUpdate = {};
  for await (const result of streamMethod(options.connection, { ...request(options, true), signal: options.signal })) {
    events += 1;
    task = await taskOf(result, task);
    if (isSettled(task)) break;
  }
  return isSettled(task)
    ? works(`${events} events, ${task.reply ? 'a message' : `task ${task.state ?? ''}`}`)
    : fails(`ended after ${events} events without an end of its task`);
}

/** Cancels its own task, unless it has ended. */
async function cancel(options: ProbeOptions, first: TaskUpdate | undefined): Promise<ProbeFinding> {
  if (!first?.taskId) return skipped('no task was started');
  const { connection, signal } = options;
  const task = await send(options);
  if (!task.taskId) return skipped('no task was started');
  if (isSettled(task)) return skipped(`the task ended at once (${task.state ?? 'over'})`);
  const ask = async (asked: MethodRequest) => taskOf(await callMethod(connection, { ...asked, signal }), task);
  const { dialect } = connection;
  const { taskId } = task;
  const canceled = await ask(cancelRequest(dialect, taskId)).catch(async (error: unknown) => {
    if (!(error instanceof AgentRpcError) || error.code !== TASK_NOT_CANCELABLE) throw error;
    const ended = await ask(getRequest(dialect, taskId));
    if (!isSettled(ended)) throw error;
    return ended;
  });
  if (canceled.state === 'completed') return skipped('the task was completed before its cancel');
  return canceled.state === 'canceled' ? works('task canceled') : fails(`task ${canceled.state ?? 'without a state'}`);
}

async function expectError({ connection, signal }: ProbeOptions, asked: MethodRequest, code: number): Promise<ProbeFinding> {
  try {
    await callMethod(connection, { ...asked, signal });
  } catch (error) {
    if (!(error instanceof AgentRpcError)) throw error;
    return error.code === code ? works(`error ${code}`) : fails(`error ${error.code} in place of ${code}`);
  }
  return fails(`no error in place of ${code}`);
}
