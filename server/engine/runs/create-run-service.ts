// Operations on runs for the surfaces: cancel, retry, and the views of their journals. Reads use the journal alone.
import type { JsonObject } from '@svc/shared/json';
import { ServiceError } from '@svc/shared/errors';
import type { Resource } from '@svc/shared/resource';
import { statusOf } from '@svc/shared/kinds/read';
import { TASK_TERMINAL_PHASES } from '@svc/shared/kinds/task/schema';
import { requireRole } from '../../registry/authorise.ts';
import { toResource } from '../../registry/mapping.ts';
import { checkUid } from '../../registry/precondition.ts';
import type { Registry, RequestContext } from '../../registry/registry.ts';
import type { Store, StoredObject } from '../../store/store.ts';
import type { RunObserver } from '../observer.ts';
import type { RunListeners } from '../run-listeners.ts';
import type { ApprovalDeps } from '../approvals/conclude.ts';
import { planEdited, readApprovalRequest, type ApprovalRequestSource } from '../approvals/approval-request.ts';
import { decideApproval } from '../approvals/decide-approval.ts';
import { agentDefinition } from '../definitions/agent-definition.ts';
import { runDefinitions } from '../definitions/run-definitions.ts';
import { agentLogs } from './agent-logs.ts';
import { continueTask } from './continue-task.ts';
import { cancelTask } from './cancel.ts';
import type { PlanCall, ToolCheck } from '../ports.ts';
import { PAGE_ITEMS_MAX } from '../core/limits.ts';
import { createTextFollowers, type TextFollowers } from '../live/follow-text.ts';
import { readHeldRuns } from './held-runs.ts';
import { createTraceLooks, followGrowth, followTrace, readTracePage, type TraceLooks, type TraceSource } from './follow-trace.ts';
import { readExplanation } from '../explain/read-explanation.ts';
import { RunFolds } from '../views/run-folds.ts';
import { retryTask } from './retry-task.ts';
import type { MeantTask, MessageFilter, ObjectRef, RunService } from './run-service.ts';
import { createLogLines } from '../views/logs.ts';
import { shownMessage, type MessageRecord } from '../views/messages.ts';
import { readEntriesInPortions } from '../views/read-journal.ts';
import { formatCursor, isAfter, parseCursor } from '../views/trace-cursor.ts';

export interface RunServiceOptions extends ApprovalDeps {
  readonly store: Store;
  /** Receives the runs that a cancel ends. */
  readonly observer: RunObserver;
  /** Called for runs that a cancel ends. */
  readonly runListeners: RunListeners;
  /** Writes the Task of a retry. */
  readonly registry: Registry;
  /** Names tools that cannot run, to explain a Task. */
  readonly canRun: ToolCheck;
  readonly planCall: PlanCall;
}

const TERMINAL: ReadonlySet<unknown> = new Set(TASK_TERMINAL_PHASES);

function createFinder(store: Store) {
  const findStored = async (context: RequestContext, ref: ObjectRef, kind = 'Task'): Promise<StoredObject> => {
    requireRole(context, 'reader', `reading ${kind} runs`);
    const stored = await store.getObject({ kind, ...ref });
    if (!stored) throw new ServiceError('not_found', `${kind} ${ref.namespace}/${ref.name} does not exist`);
    return stored;
  };
  const find = async (context: RequestContext, ref: ObjectRef, kind?: string) => toResource(await findStored(context, ref, kind));
  const findMeant = async (context: RequestContext, { uid, ...ref }: MeantTask) => {
    const task = await find(context, ref);
    checkUid({ kind: 'Task', ...ref }, task.metadata.uid, uid);
    return task;
  };
  return { findStored, find, findMeant };
}

export function createRunService(options: RunServiceOptions): RunService {
  const { store, clock, canRun } = options;
  const folds = new RunFolds(store);
  const texts = createTextFollowers({ store, clock });
  const looks = createTraceLooks(store);
  const { findStored, find, findMeant } = createFinder(store);
  const sourceOf = (task: Resource): TraceSource => ({ store, clock, stream: task.metadata.uid });

  return {
    async cancel(context, task, reason) {
      requireRole(context, 'writer', 'cancelling a Task');
      return cancelTask(options, task, { context, reason: reason ?? 'cancelled on request' });
    },
    async retry(context, { uid, ...ref }, retry) {
      requireRole(context, 'writer', 'retrying a Task');
      const task = await findStored(context, ref);
      checkUid({ kind: 'Task', ...ref }, task.uid, uid);
      return retryTask(options.registry, context, { task, ...retry });
    },
    continue: (context, task, body) => continueTask({ store, clock }, task, { context, body }),
    decide: (context, ref, request) => decideApproval(options, context, { ref, request }),
    approvalRequest: async (context, ref) => readApprovalRequest(requestSource(options, folds, context), ref),
    plan: async (context, ref, input) => planEdited(requestSource(options, folds, context), ref, input),
    logs: async (context, ref, after) => taskLogs({ store, folds }, await find(context, ref), after),
    async agentLogs(context, agent, after) {
      await find(context, agent, 'Agent');
      return agentLogs(store, agent, after);
    },
    messages: async (context, ref, filter) => taskMessages(folds, await find(context, ref), filter),
    async metrics(context, ref) {
      const task = await find(context, ref);
      const fold = await folds.read(task.metadata.uid);
      return { ...identity(task), generated_at: new Date(clock.now()).toISOString(), ...fold.metrics() };
    },
    async trace(context, meant, page) {
      const task = await findMeant(context, meant);
      return { ...identity(task), ...(await tracePage(sourceOf(task), page)) };
    },
    followTrace: async (context, ref, options) => traceOfRun({ store, clock, looks }, await find(context, ref), options),
    followText: async (context, ref, signal) => textOfRun(texts, await find(context, ref), signal),
    followGrowth: async (context, ref, signal) => followGrowth(sourceOf(await find(context, ref)), signal),
    async held(context, worker) {
      requireRole(context, 'reader', 'reading what workers hold');
      return readHeldRuns(store, worker);
    },
    async agentDefinition(context, meant, of) {
      const task = await findMeant(context, meant);
      return frozenAgent(folds, task, of);
    },
    async definitions(context, meant) {
      const task = await findMeant(context, meant);
      const snapshot = (await folds.read(task.metadata.uid)).snapshot();
      if (!snapshot) throw new ServiceError('not_found', `Task ${meant.namespace}/${meant.name} has no attempt with recorded definitions`);
      return runDefinitions(statusOf('Task', task).attempts ?? 1, snapshot);
    },
    async explain(context, ref) {
      const task = await find(context, ref);
      const reasons = await readExplanation({ store, clock, folds, canRun }, task);
      return { ...identity(task), phase: statusOf('Task', task).phase, reasons };
    },
  };
}

async function tracePage(source: TraceSource, { after, limit }: Parameters<RunService['trace']>[2]) {
  const page = await readTracePage(source, parseCursor(after), limit);
  return { items: page.items.map(({ entry }) => entry), ...(!page.complete && { continue: formatCursor(page.next) }) };
}

type Following = Parameters<RunService['followTrace']>[2];

interface TraceReading extends Omit<TraceSource, 'stream'> {
  readonly looks: TraceLooks;
}

function traceOfRun({ store, clock, looks }: TraceReading, { metadata }: Resource, { after, signal }: Following) {
  const { namespace, name, uid } = metadata;
  const isOver = async () => {
    const current = await store.getObject({ kind: 'Task', namespace, name });
    return !current || current.uid !== uid || TERMINAL.has(statusOf('Task', current).phase);
  };
  return followTrace({ store, clock, stream: uid }, parseCursor(after), { signal, isOver, looks });
}

function textOfRun(texts: TextFollowers, { metadata, status }: Resource, signal: AbortSignal) {
  return texts.follow(metadata.uid, TERMINAL.has(statusOf('Task', { status }).phase) ? AbortSignal.abort() : signal);
}

function requestSource({ store, needOther, planCall }: RunServiceOptions, folds: RunFolds, context: RequestContext): ApprovalRequestSource {
  requireRole(context, 'reader', 'reading what an approval asks');
  return { reader: store, folds, needOther, caller: context.identity, planCall };
}

function identity(task: Resource): { name: string; namespace: string } {
  return { name: task.metadata.name, namespace: task.metadata.namespace };
}

async function frozenAgent(folds: RunFolds, task: Resource, { agent, attempt }: { agent: string; attempt: number }) {
  const { uid, namespace, name } = task.metadata;
  const snapshot = (await folds.read(uid)).snapshot(attempt);
  const found = snapshot && agentDefinition(snapshot, agent);
  if (!found) throw new ServiceError('not_found', `Attempt ${attempt} of Task ${namespace}/${name} has no agent ${agent}`);
  return found;
}

interface LogSource {
  readonly store: Store;
  readonly folds: RunFolds;
}

/** A page costs what it holds, wherever in the run it begins. */
async function taskLogs({ store, folds }: LogSource, task: Resource, after: string | undefined): Promise<JsonObject> {
  const { uid } = task.metadata;
  const start = parseCursor(after);
  const from = start.seq === 0 ? undefined : (await folds.read(uid)).historyBefore(start.seq);
  const lines = createLogLines(from?.history);
  const logs: string[] = [];
  let last = '';
  for await (const { seq, entry } of readEntriesInPortions(store, uid, from?.seq)) {
    for (const [index, { text }] of lines(entry).entries()) {
      if (after !== undefined && !isAfter({ seq, index }, start)) continue;
      if (logs.length >= PAGE_ITEMS_MAX) return { name: task.metadata.name, logs, continue: last };
      logs.push(text);
      last = formatCursor({ seq, index });
    }
  }
  return { name: task.metadata.name, logs };
}

async function taskMessages(folds: RunFolds, task: Resource, filter: MessageFilter): Promise<JsonObject> {
  const all = [...(await folds.read(task.metadata.uid)).messages()];
  // The counts answer how the chosen messages are spread over the phases, so they are made before one phase is chosen.
  const counted = all.filter((message) => matches(message, filter));
  const matching = counted.filter((message) => isInPhase(message, filter));
  const rest = all.slice(placeAfter(all, filter.after)).filter((message) => matches(message, filter) && isInPhase(message, filter));
  const page = rest.slice(0, Math.min(filter.limit ?? PAGE_ITEMS_MAX, PAGE_ITEMS_MAX));
  const last = page.at(-1)?.message_id;
  const count = (wanted: MessageRecord['phase']) => counted.filter(({ phase }) => phase === wanted).length;
  return {
    ...identity(task),
    total: matching.length,
    filtered_from: all.length,
    lifecycle_counts: {
      queued: count('Queued'),
      running: count('Running'),
      retrypending: count('RetryPending'),
      succeeded: count('Succeeded'),
      deadletter: count('DeadLetter'),
    },
    messages: page.map((message) => shownMessage(message) as unknown as JsonObject),
    ...(page.length < rest.length && last !== undefined && { continue: last }),
  };
}

/** The phase of a message may change between two pages, so its place is that among all of the run. */
function placeAfter(all: readonly MessageRecord[], after: string | undefined): number {
  if (after === undefined) return 0;
  const place = all.findIndex(({ message_id }) => message_id === after);
  if (place < 0)
    throw new ServiceError('invalid', `the cursor "${after}" is not a message of this Task; leave out "after" to begin at the start`);
  return place + 1;
}

function isInPhase(message: MessageRecord, { phase }: MessageFilter): boolean {
  return phase === undefined || message.phase.toLowerCase() === phase.toLowerCase();
}

function matches(message: MessageRecord, filter: MessageFilter): boolean {
  const { from_agent, to_agent, branch_id, trace_id } = filter;
  const wanted = { from_agent, to_agent, branch_id, trace_id };
  return Object.entries(wanted).every(([field, value]) => value === undefined || message[field as keyof typeof wanted] === value);
}
