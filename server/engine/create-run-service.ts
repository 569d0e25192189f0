// What surfaces may do with runs: cancel, retry, and the views of their journals. Reads fold the journal; nothing is kept beside it.
import type { JsonObject } from '@svc/shared/json';
import { ServiceError } from '@svc/shared/errors';
import type { Resource } from '@svc/shared/resource';
import { requireRole } from '../registry/authorise.ts';
import { toResource } from '../registry/mapping.ts';
import type { Registry, RequestContext } from '../registry/registry.ts';
import type { Store } from '../store/store.ts';
import type { RunObserver } from './observer.ts';
import type { ApprovalDeps } from './approvals/conclude.ts';
import { readAsked } from './approvals/asked-call.ts';
import { decideApproval } from './approvals/decide-approval.ts';
import { agentLogs } from './agent-logs.ts';
import { cancelTask } from './cancel.ts';
import { PAGE_ITEMS_MAX } from './core/limits.ts';
import { followGrowth, followTrace, readTracePage, type TraceSource } from './follow-trace.ts';
import { readExplanation } from './read-explanation.ts';
import { retryTask } from './retry-task.ts';
import type { MessageFilter, ObjectRef, RunService } from './run-service.ts';
import { createLogLines } from './views/logs.ts';
import { createMessageView, shownMessage, type MessageRecord } from './views/messages.ts';
import { createMetricsView } from './views/metrics.ts';
import { readEntries } from './views/read-journal.ts';
import { formatCursor, isAfter, parseCursor } from './views/trace-cursor.ts';

export interface RunServiceOptions extends ApprovalDeps {
  readonly store: Store;
  /** Hears of runs that a cancel ends. */
  readonly observer: RunObserver;
  /** Writes the Task of a retry. */
  readonly registry: Registry;
}

const TERMINAL: ReadonlySet<unknown> = new Set(['Succeeded', 'Failed', 'DeadLetter']);

export function createRunService(options: RunServiceOptions): RunService {
  const { store, clock } = options;
  const find = async (context: RequestContext, ref: ObjectRef, kind = 'Task'): Promise<Resource> => {
    requireRole(context, 'reader', `reading ${kind} runs`);
    const stored = await store.getObject({ kind, ...ref });
    if (!stored) throw new ServiceError('not_found', `${kind} ${ref.namespace}/${ref.name} does not exist`);
    return toResource(stored);
  };
  const sourceOf = (task: Resource): TraceSource => ({ store, clock, stream: task.metadata.uid });

  return {
    async cancel(context, task, reason) {
      requireRole(context, 'writer', 'cancelling a Task');
      return cancelTask(options, task, { by: context.identity.name, reason: reason ?? 'cancelled on request' });
    },
    async retry(context, ref, input) {
      requireRole(context, 'writer', 'retrying a Task');
      return retryTask(options.registry, context, { task: await find(context, ref), input });
    },
    decide: (context, ref, wish) => decideApproval(options, context, { ref, wish }),
    async asked(context, ref) {
      requireRole(context, 'reader', 'reading what an approval asks');
      return readAsked(store, ref);
    },
    logs: async (context, ref, after) => taskLogs(store, await find(context, ref), after),
    async agentLogs(context, agent, after) {
      await find(context, agent, 'Agent');
      return agentLogs(store, agent, after);
    },
    messages: async (context, ref, filter) => taskMessages(store, await find(context, ref), filter),
    async metrics(context, ref) {
      const task = await find(context, ref);
      const view = createMetricsView();
      for await (const { entry } of readEntries(store, task.metadata.uid)) view.add(entry);
      return { ...identity(task), generated_at: new Date(clock.now()).toISOString(), ...view.result() };
    },
    async trace(context, ref, after) {
      const task = await find(context, ref);
      const page = await readTracePage(sourceOf(task), parseCursor(after));
      const items = page.items.map(({ entry }) => entry);
      const last = page.items.at(-1)?.cursor;
      return { ...identity(task), items, ...(!page.complete && last !== undefined && { continue: last }) };
    },
    async followTrace(context, ref, { after, signal }) {
      const task = await find(context, ref);
      const isOver = async () => {
        const current = await store.getObject({ kind: 'Task', ...ref });
        return !current || current.uid !== task.metadata.uid || TERMINAL.has(current.status['phase']);
      };
      return followTrace(sourceOf(task), parseCursor(after), { signal, isOver });
    },
    followGrowth: async (context, ref, signal) => followGrowth(sourceOf(await find(context, ref)), signal),
    async explain(context, ref) {
      const task = await find(context, ref);
      const reasons = await readExplanation({ store, clock }, task);
      return { ...identity(task), phase: String(task.status['phase']), reasons };
    },
  };
}

function identity(task: Resource): { name: string; namespace: string } {
  return { name: task.metadata.name, namespace: task.metadata.namespace };
}

async function taskLogs(store: Store, task: Resource, after: string | undefined): Promise<JsonObject> {
  const start = parseCursor(after);
  const lines = createLogLines();
  const logs: string[] = [];
  let last = '';
  for await (const { seq, entry } of readEntries(store, task.metadata.uid)) {
    for (const [index, { text }] of lines(entry).entries()) {
      if (after !== undefined && !isAfter({ seq, index }, start)) continue;
      if (logs.length >= PAGE_ITEMS_MAX) return { name: task.metadata.name, logs, continue: last };
      logs.push(text);
      last = formatCursor({ seq, index });
    }
  }
  return { name: task.metadata.name, logs };
}

async function taskMessages(store: Store, task: Resource, filter: MessageFilter): Promise<JsonObject> {
  const view = createMessageView();
  for await (const { entry } of readEntries(store, task.metadata.uid)) view.add(entry);
  const all = [...view.items()];
  const matching = all.filter((message) => matches(message, filter));
  const start = filter.after === undefined ? 0 : matching.findIndex(({ message_id }) => message_id === filter.after) + 1;
  const limit = Math.min(filter.limit ?? PAGE_ITEMS_MAX, PAGE_ITEMS_MAX);
  const page = matching.slice(start, start + limit);
  const last = page.at(-1)?.message_id;
  const counted = (wanted: MessageRecord['phase']) => matching.filter(({ phase }) => phase === wanted).length;
  return {
    ...identity(task),
    total: matching.length,
    filtered_from: all.length,
    lifecycle_counts: {
      queued: counted('Queued'),
      running: counted('Running'),
      retrypending: counted('RetryPending'),
      succeeded: counted('Succeeded'),
      deadletter: counted('DeadLetter'),
    },
    messages: page.map((message) => shownMessage(message) as unknown as JsonObject),
    ...(start + page.length < matching.length && last !== undefined && { continue: last }),
  };
}

function matches(message: MessageRecord, filter: MessageFilter): boolean {
  const { phase, from_agent, to_agent, branch_id, trace_id } = filter;
  const wanted = { from_agent, to_agent, branch_id, trace_id };
  if (phase !== undefined && message.phase.toLowerCase() !== phase.toLowerCase()) return false;
  return Object.entries(wanted).every(([field, value]) => value === undefined || message[field as keyof typeof wanted] === value);
}
