// The runs that a worker holds, each with its lease: from the Tasks that run and the queue, no journal is read.
import type { HeldRun, HeldRuns } from '@svc/shared/api/runs';
import { statusOf } from '@svc/shared/kinds/read';
import { PAGE_MAX_BYTES } from '../../store/page-bytes.ts';
import type { ListCursor } from '../../store/list-order.ts';
import type { StoredObject, StoreReader } from '../../store/store.ts';
import { TASK_QUEUE } from '../task-queue.ts';

const PAGE = 200;
/** Running Tasks examined, oldest first. */
const LOOKED_MAX = 2_000;
/** Maximum number of runs in one answer. */
const TOLD_MAX = 20;

export async function readHeldRuns(store: StoreReader, worker: string): Promise<HeldRuns> {
  const runs: HeldRun[] = [];
  const running = { kind: 'Task', fields: [{ path: 'status.phase', op: 'eq' as const, value: 'Running' }], order: 'createdAt' as const };
  let after: ListCursor | undefined;
  for (let looked = 0; looked < LOOKED_MAX; looked += PAGE) {
    const { objects: page, full } = await store.listPage({ ...running, limit: PAGE, ...(after && { after }) }, PAGE_MAX_BYTES);
    for (const task of page.filter((running) => statusOf('Task', running).assignedWorker === worker)) {
      const held = await heldRun(store, task, worker);
      if (held && runs.length === TOLD_MAX) return { runs, more: true };
      if (held) runs.push(held);
    }
    after = page.at(-1);
    if (!full && page.length < PAGE) return { runs, more: false };
  }
  return { runs, more: true };
}

/** A Task still names the worker that had it last when no worker holds it. */
async function heldRun(store: StoreReader, task: StoredObject, worker: string): Promise<HeldRun | undefined> {
  const { uid, namespace, name } = task;
  const item = await store.getWorkItem(TASK_QUEUE, uid);
  if (item?.owner !== worker) return undefined;
  const { startedAt } = statusOf('Task', task);
  return { uid, namespace, name, leaseUntil: new Date(item.leaseUntil).toISOString(), ...(startedAt !== undefined && { startedAt }) };
}
