// Inbound A2A as the other parts of a process get it: the service of its endpoints, and what follows the runs behind its tasks.
import type { Clock } from '../clock.ts';
import type { RunListener } from '../engine/run-listeners.ts';
import type { RunService } from '../engine/runs/run-service.ts';
import type { KindHooks } from '../registry/registry.ts';
import type { Bindings } from '../sessions/bindings.ts';
import type { SessionDeps } from '../sessions/run-orders.ts';
import type { StoreTransaction, WorkItem } from '../store/store.ts';
import { isInterrupted, isTerminal } from './model.ts';
import { pushTimer, type DeliveryDeps } from './push/deliver.ts';
import { createPushMethods, type PushDeps } from './push/methods.ts';
import { addNotifications, deleteConfigsOf } from './push/records.ts';
import type { RpcServices } from './rpc/answer.ts';
import { findOnlySystem, findOpenSystem } from './systems.ts';
import { createTaskService } from './tasks/create-task-service.ts';
import { deleteRecordsOf, type TaskRecord } from './tasks/records.ts';
import { createA2aRunListener } from './tasks/run-listener.ts';
import { seeTask } from './tasks/view.ts';

export interface A2aDeps extends SessionDeps, PushDeps {
  readonly runs: Pick<RunService, 'decide'>;
}

export function createA2a(deps: A2aDeps) {
  const { store, clock } = deps;
  const tasks = createTaskService({ ...deps, onChanged: (tx, record) => notify(tx, record, clock) });
  return {
    tasks,
    push: createPushMethods(deps, tasks),
    extendedCard: () => Promise.resolve(undefined),
    systems: {
      find: (ref: { readonly namespace: string; readonly name: string }) => findOpenSystem(store, ref),
      findOnly: () => findOnlySystem(store),
    },
  } satisfies RpcServices & { readonly systems: object };
}

export function a2aRunListener(deps: { readonly clock: Clock; readonly bindings: Bindings }): RunListener {
  return createA2aRunListener({ ...deps, onChanged: (tx, record) => notify(tx, record, deps.clock) });
}

/** Tasks without a push notification configuration cost nothing. */
async function notify(tx: StoreTransaction, record: TaskRecord, clock: Clock): Promise<void> {
  if (record.notifies !== true) return;
  const seen = await seeTask(tx, record);
  if (seen && (isTerminal(seen.task.state) || isInterrupted(seen.task.state)))
    await addNotifications(tx, record, { task: seen.task, now: clock.now() });
}

const CLEANUP_QUEUE = 'a2a.cleanup';
const RECORDS_PER_STEP = 200;

const deleteRecords = (tx: StoreTransaction, uid: string, limit: number): Promise<boolean> =>
  deleteRecordsOf(tx, uid, {
    limit,
    onDeleted: async (_tx, record) => (record.notifies === true ? deleteConfigsOf(tx, record) : undefined),
  });

/** Records go with the Session or the Task that their runs belong to. */
const hooks: KindHooks = {
  async onDeleted(tx, { metadata: { uid, namespace, name } }) {
    if (await deleteRecords(tx, uid, 1)) return;
    await tx.enqueueWork({ queue: CLEANUP_QUEUE, key: uid, namespace, name, rank: 0, notBefore: 0, requirements: {} });
  },
};

export const a2aHooks = (): (readonly [kind: string, hooks: KindHooks])[] => [
  ['Session', hooks],
  ['Task', hooks],
];

export const a2aTimers = (deps: DeliveryDeps) => [
  {
    queue: CLEANUP_QUEUE,
    handle: async (tx: StoreTransaction, { key }: WorkItem, now: number) =>
      (await deleteRecords(tx, key, RECORDS_PER_STEP)) ? undefined : { againAt: now },
  },
  pushTimer(deps),
];
