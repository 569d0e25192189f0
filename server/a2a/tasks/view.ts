// A task as its caller reads it: a view of its run, computed for each read.
import { statusOf } from '@svc/shared/kinds/read';
import { runOutput } from '@svc/shared/kinds/task/run-output';
import { phaseOf, type ObjectRef } from '@svc/shared/resource';
import { timestamp } from '../../clock.ts';
import { sessionKey } from '../../sessions/draft.ts';
import { isOver, readTurn, type TurnRecord } from '../../sessions/records.ts';
import type { StoredObject, StoreReader } from '../../store/store.ts';
import type { AgentTask, Message, Part, TaskState } from '../model.ts';
import { outcomeOf } from './outcome.ts';
import { readRecord, type TaskRecord } from './records.ts';

/** The open question of a run. */
export interface OpenQuestion {
  readonly kind: 'ToolApproval' | 'TaskApproval';
  readonly namespace: string;
  readonly name: string;
  readonly reason: string;
}

export interface SeenTask {
  readonly task: AgentTask;
  readonly question?: OpenQuestion;
  /** The Task that runs it; undefined before it starts, and once it is deleted. */
  readonly run?: StoredObject;
  /** Its Session is paused, so that nothing happens until a person resumes it. */
  readonly isPaused?: boolean;
}

interface Progress {
  readonly state: TaskState;
  readonly output?: string | undefined;
  readonly text?: string | undefined;
  readonly question?: OpenQuestion;
  readonly isPaused?: boolean;
}

/** Undefined when the run is gone with its Session. */
export async function seeTask(reader: StoreReader, record: TaskRecord): Promise<SeenTask | undefined> {
  const { run } = record;
  if (run.kind === 'task') {
    const task = await findTask(reader, run.task);
    return task && seen(record, task, await progressOfTask(reader, task));
  }
  const { session, sequence } = run;
  const turn = await readTurn(reader, session.uid, sequence);
  if (!turn) return undefined;
  const task = turn.task && (await findTask(reader, { namespace: session.namespace, ...turn.task }));
  const progress = task && !isOver(turn) ? await progressOfTask(reader, task) : progressOfTurn(turn, task);
  return seen(record, task, UNDER_WAY.has(progress.state) && (await isPaused(reader, session)) ? { ...PAUSED, ...progress } : progress);
}

const UNDER_WAY: ReadonlySet<TaskState> = new Set(['submitted', 'working']);
const PAUSED = { isPaused: true, text: 'The context is paused; the task continues once it is resumed' };

async function isPaused(reader: StoreReader, { namespace, name, uid }: ObjectRef): Promise<boolean> {
  const session = await reader.getObject(sessionKey({ namespace, name }));
  return session?.uid === uid && statusOf('Session', session).phase === 'Paused';
}

interface Latest {
  readonly record: TaskRecord;
  /** Undefined when the run is gone with its Session. */
  readonly seen: SeenTask | undefined;
}

/** The record and its task as of one moment: outside of a transaction, the run may change its state, and the time of it, between two reads. */
export async function seeLatest(reader: StoreReader, key: string): Promise<Latest | undefined> {
  let record = await readRecord(reader, key);
  while (record) {
    const seen = await seeTask(reader, record);
    const after = await readRecord(reader, key);
    if (after === undefined || after.changedAt === record.changedAt) return { record, seen };
    record = after;
  }
  return undefined;
}

/** A task whose run was deleted before it had ended. */
export const deletedTask = (record: TaskRecord): AgentTask => seen(record, undefined, { state: 'canceled' }).task;

async function findTask(reader: StoreReader, { namespace, name, uid }: ObjectRef): Promise<StoredObject | undefined> {
  const found = await reader.getObject({ kind: 'Task', namespace, name });
  return found?.uid === uid ? found : undefined;
}

/** A turn that is over, or whose Task is not there. A turn that fails without a Task was refused. */
function progressOfTurn({ phase, output, lastError, task: ref }: TurnRecord, task: StoredObject | undefined): Progress {
  if (phase === 'Succeeded') return { state: 'completed', output };
  if (phase === 'Cancelled') return { state: 'canceled' };
  if (phase === 'Failed') return { state: ref && !isRefused(task) ? 'failed' : 'rejected', text: lastError };
  return { state: phase === 'Queued' ? 'submitted' : 'working' };
}

const VALIDATION_FAILED = 'validation_failed';
const isRefused = (task: StoredObject | undefined): boolean => task !== undefined && statusOf('Task', task).reason === VALIDATION_FAILED;

async function progressOfTask(reader: StoreReader, task: StoredObject): Promise<Progress> {
  const { phase, reason, lastError, output, attempts = 0 } = statusOf('Task', task);
  switch (phase) {
    case 'Pending':
      return { state: attempts > 0 ? 'working' : 'submitted' };
    case 'WaitingApproval':
      return waiting(reader, task);
    case 'Succeeded':
      return { state: 'completed', output: runOutput(output).answer ?? '' };
    case 'Failed':
      if (reason === 'cancelled') return { state: 'canceled', text: lastError };
      return { state: reason === VALIDATION_FAILED ? 'rejected' : 'failed', text: lastError };
    case 'DeadLetter':
      return { state: 'failed', text: lastError };
    default:
      return { state: 'working' };
  }
}

/** A run whose question was decided works again, even while no worker has taken it up. */
async function waiting(reader: StoreReader, task: StoredObject): Promise<Progress> {
  const { kind, name, reason = '' } = statusOf('Task', task).blockedOn ?? {};
  if ((kind !== 'ToolApproval' && kind !== 'TaskApproval') || name === undefined) return { state: 'working' };
  const { namespace } = task;
  const approval = await reader.getObject({ kind, namespace, name });
  if (!approval || phaseOf(approval) !== 'Pending') return { state: 'working' };
  return { state: 'input-required', question: { kind, namespace, name, reason }, text: reason };
}

function seen(record: TaskRecord, run: StoredObject | undefined, { state, output, text, question, isPaused }: Progress): SeenTask {
  const outcome = output === undefined ? undefined : outcomeOf(output);
  const reply = outcome?.isReply ? says(record, 'reply', outcome.parts) : undefined;
  const message = reply ?? statusMessage(record, text, question);
  const task: AgentTask = {
    id: record.id,
    contextId: record.contextId,
    state,
    timestamp: timestamp(record.changedAt),
    ...(message && { message }),
    artifacts: outcome && !reply && outcome.parts.length > 0 ? [{ artifactId: OUTPUT, name: OUTPUT, parts: outcome.parts }] : [],
    history: record.messages,
    ...(record.metadata && { metadata: record.metadata }),
    ...(reply && { reply }),
  };
  return { task, ...(question && { question }), ...(run && { run }), ...(isPaused && { isPaused }) };
}

/** The one artifact of a task. */
export const OUTPUT = 'output';

function statusMessage(record: TaskRecord, text: string | undefined, question: OpenQuestion | undefined): Message | undefined {
  if (text === undefined || text === '') return undefined;
  if (!question) return says(record, 'status', [{ kind: 'text', text }]);
  const { kind, namespace, name } = question;
  const asked = `${kind} ${namespace}/${name} waits for a decision: ${text}`;
  return says(record, name, [
    { kind: 'text', text: asked },
    { kind: 'data', data: { approval: { kind, namespace, name } } },
  ]);
}

const says = ({ id, contextId }: TaskRecord, part: string, parts: readonly Part[]): Message => ({
  messageId: `${id}.${part}`,
  role: 'agent',
  parts,
  contextId,
  taskId: id,
});
