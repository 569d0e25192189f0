// Carries out what a change of a Session means for the run of a turn, once the Session itself is written: ends of runs write it again.
import { TASK_TERMINAL_PHASES } from '@svc/shared/kinds/task/schema';
import { statusOf } from '@svc/shared/kinds/read';
import { cancelWithin } from '../engine/runs/cancel.ts';
import { pauseTask } from '../engine/runs/pause-task.ts';
import type { RunListeners } from '../engine/run-listeners.ts';
import type { RequestContext } from '../registry/registry.ts';
import { recordWritten } from '../registry/written.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import type { RunOrder } from './control.ts';
import type { TurnDeps } from './turns.ts';

export interface SessionDeps extends TurnDeps {
  readonly store: Store;
  readonly runListeners: () => RunListeners;
}

const TERMINAL: ReadonlySet<string> = new Set(TASK_TERMINAL_PHASES);

export interface OrderedRuns {
  readonly orders: readonly RunOrder[];
  readonly namespace: string;
  readonly by: RequestContext;
}

/** In the transaction of the change; it is opened with `transactAgain`. A Task that is gone or has ended is left alone. */
export async function carryOut(
  { clock, runListeners }: SessionDeps,
  tx: StoreTransaction,
  { orders, namespace, by }: OrderedRuns,
): Promise<void> {
  for (const { order, task, reason } of orders) {
    const found = await tx.getObject({ kind: 'Task', namespace, name: task.name });
    if (found?.uid !== task.uid || TERMINAL.has(statusOf('Task', found).phase)) continue;
    const request = { by: by.identity.name, reason };
    if (order === 'pause') await pauseTask(tx, found, { ...request, now: clock.now() });
    else {
      recordWritten(tx, { action: 'task.cancel', by, object: found });
      await cancelWithin(tx, { task: found, now: clock.now(), runListeners: runListeners() }, request);
    }
  }
}
