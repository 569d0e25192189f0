// Hooks of the engine on the write path of Tasks: a new Task enters the queue, a deleted one leaves with its journal, a single read shows its records.
import { TASK_TERMINAL_PHASES } from '@svc/shared/kinds/task/schema';
import { parseDuration } from '@svc/shared/duration';
import type { Resource } from '@svc/shared/resource';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import type { KindHooks } from '../../registry/registry.ts';
import { racing } from '../../store/write-race.ts';
import type { NewWorkItem, Store, StoreTransaction } from '../../store/store.ts';
import type { Clock } from '../../clock.ts';
import { closeApprovalsOf } from '../approvals/write-approvals.ts';
import type { RunChange, RunListeners } from '../run-listeners.ts';
import { TASK_QUEUE } from '../task-queue.ts';
import { expandTaskStatus } from '../views/expand-status.ts';

/** Head start of a priority step: a Task that has waited this much longer comes before one of the next higher priority. */
const PRIORITY_STEP_MS = parseDuration('1m') ?? 0;
const PRIORITY_STEPS: Readonly<Record<string, number>> = { low: -10, normal: 0, high: 10, critical: 60 };

export interface TaskHookDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly runListeners: RunListeners;
}

export function createTaskHooks({ store, clock, runListeners }: TaskHookDeps): KindHooks {
  return {
    writtenStatus: (spec) => ({ trial: specOf('Task', { spec, namespace: '', name: '' }).trial && 'true' }),
    onCreated: async (tx, task) => {
      if (isRunnable(task)) await tx.enqueueWork(workItem(task));
    },
    onUpdated: requeue,
    onDeleted: async (tx, task) => {
      if (!TERMINAL.has(statusOf('Task', task).phase))
        await closeApprovalsOf(tx, task.metadata, { now: clock.now(), why: 'the task was deleted before this was decided' });
      // The queue holds a Task until its run has ended.
      if (await tx.getWorkItem(TASK_QUEUE, task.metadata.uid)) await runListeners.notify(tx, () => task, DELETED);
      await tx.dropWork(TASK_QUEUE, task.metadata.uid);
      await tx.deleteJournal(task.metadata.uid);
    },
    expandStatus: (task) => expandTaskStatus(store, task),
  };
}

const DELETED: RunChange = { kind: 'ended', how: 'deleted', failure: undefined, output: {}, usage: { inputTokens: 0, outputTokens: 0 } };
const TERMINAL: ReadonlySet<string> = new Set(TASK_TERMINAL_PHASES);

function isRunnable(task: Resource): boolean {
  return specOf('Task', task).mode !== 'template';
}

/** Smaller is sooner: the time of entry less the head start, so that waiting raises a Task. */
export function workItem(task: Resource): NewWorkItem {
  const { uid, namespace, name, createdAt } = task.metadata;
  const { priority, requirements = {} } = specOf('Task', task);
  const entered = Date.parse(createdAt);
  const rank = entered - prioritySteps(priority) * PRIORITY_STEP_MS;
  return { queue: TASK_QUEUE, key: uid, namespace, name, rank, notBefore: 0, requirements };
}

/** A named priority, or an integer: steps above normal. */
function prioritySteps(priority: string): number {
  const named = PRIORITY_STEPS[priority];
  const steps = named ?? Number.parseInt(priority, 10);
  return Number.isFinite(steps) ? steps : 0;
}

/** A Task that nobody has started yet takes its new priority, requirements and mode at once; a run in flight keeps what it began with. */
async function requeue(tx: StoreTransaction, task: Resource, { previous }: { readonly previous: Resource }): Promise<void> {
  if (task.metadata.generation === previous.metadata.generation || statusOf('Task', task).phase !== 'Pending') return;
  const item = await tx.getWorkItem(TASK_QUEUE, task.metadata.uid);
  if (item?.owner !== undefined) return;
  const isBegun = (statusOf('Task', task).attempts ?? 0) > 0;
  if (!isRunnable(task) && !isBegun) await tx.removeUnclaimedWork(TASK_QUEUE, task.metadata.uid);
  else await racing(tx.enqueueWork({ ...workItem(task), notBefore: item?.notBefore ?? 0 }));
}
