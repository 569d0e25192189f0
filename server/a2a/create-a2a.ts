// Inbound A2A as the other parts of a process get it: the service of its endpoints, and what follows the runs behind its tasks.
import { DOOR_LABEL } from '@svc/shared/run-origin';
import type { Clock } from '../clock.ts';
import type { RunListener } from '../engine/run-listeners.ts';
import type { RunService } from '../engine/runs/run-service.ts';
import type { KindHooks } from '../registry/registry.ts';
import type { Bindings } from '../sessions/bindings.ts';
import type { SessionDeps } from '../sessions/run-orders.ts';
import { Collection } from '../store/collection.ts';
import type { StoreTransaction, WorkItem } from '../store/store.ts';
import { isInterrupted, isTerminal, type AgentTask } from './model.ts';
import { pushTimer, type DeliveryDeps } from './push/deliver.ts';
import { createPushMethods, type PushDeps } from './push/methods.ts';
import { addNotifications, deleteConfigsOf, hasWaiting } from './push/records.ts';
import type { RpcServices } from './rpc/answer.ts';
import { findOnlySystem, findOpenSystem } from './systems.ts';
import { createTaskService } from './tasks/create-task-service.ts';
import { deleteRecordsOf, hasRecordsOf, moveRecord, readRecord, turnKey, type TaskRecord } from './tasks/records.ts';
import { createA2aRunListener } from './tasks/run-listener.ts';
import { DOOR } from './tasks/start-run.ts';
import { deletedTask, seeTask } from './tasks/view.ts';

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

/** Follows turns that end without a run. */
export function a2aTurnListener(clock: Clock): SessionDeps['onTurnEnded'] {
  return async (tx, { uid }, { sequence, extras }) => {
    // The label only saves the lookup: the stored record decides.
    const record = extras?.labels[DOOR_LABEL] === DOOR ? await readRecord(tx, turnKey(uid, sequence)) : undefined;
    if (record) await notify(tx, await moveRecord(tx, record, clock.now()), clock);
  };
}

/** Tasks without a push notification configuration cost nothing. */
async function notify(tx: StoreTransaction, record: TaskRecord, clock: Clock): Promise<void> {
  if (record.notifies !== true) return;
  const seen = await seeTask(tx, record);
  if (seen && (isTerminal(seen.task.state) || isInterrupted(seen.task.state)))
    await addNotifications(tx, record, { task: seen.task, now: clock.now() });
}

const CLEANUP_QUEUE = 'a2a.cleanup';
/** Records that one transaction examines: each takes several reads. */
const RECORDS_PER_STEP = 100;
/** How far a deletion that takes several steps has come, by the uid of the Session or Task. */
const POSITIONS = new Collection<{ readonly after: string }>('a2a-cleanup');

/** Wait for notifications of deleted tasks that are not delivered. */
const UNDELIVERED_MS = 60_000;

/** Records of tasks whose end is still to be delivered stay until then. */
const deleteRecords = (
  tx: StoreTransaction,
  uid: string,
  { now, ...step }: { readonly after: string; readonly limit: number; readonly now: number },
): Promise<string | undefined> =>
  deleteRecordsOf(tx, uid, {
    ...step,
    async mayDelete(record) {
      if (record.notifies !== true) return true;
      await addNotifications(tx, record, { task: await endOfDeleted(tx, record), now });
      if (await hasWaiting(tx, record)) return false;
      await deleteConfigsOf(tx, record);
      return true;
    },
  });

/** A task that has not ended is cancelled by its deletion. */
async function endOfDeleted(tx: StoreTransaction, record: TaskRecord): Promise<AgentTask> {
  const seen = await seeTask(tx, record);
  return seen && isTerminal(seen.task.state) ? seen.task : deletedTask(record);
}

/** Records go with the Session or the Task that their runs belong to. */
const createHooks = (clock: Clock): KindHooks => ({
  async onDeleted(tx, { metadata: { uid, namespace, name } }) {
    await deleteRecords(tx, uid, { after: '', limit: 1, now: clock.now() });
    if (!(await hasRecordsOf(tx, uid))) return;
    await tx.enqueueWork({ queue: CLEANUP_QUEUE, key: uid, namespace, name, rank: 0, notBefore: 0, requirements: {} });
  },
});

export function a2aHooks(clock: Clock): (readonly [kind: string, hooks: KindHooks])[] {
  const hooks = createHooks(clock);
  return [
    ['Session', hooks],
    ['Task', hooks],
  ];
}

export const cleanupTimer = {
  queue: CLEANUP_QUEUE,
  async handle(tx: StoreTransaction, { key }: Pick<WorkItem, 'key'>, now: number) {
    const { after = '' } = (await POSITIONS.get(tx, key)) ?? {};
    const next = await deleteRecords(tx, key, { after, limit: RECORDS_PER_STEP, now });
    if (next !== undefined) {
      await POSITIONS.put(tx, key, { after: next });
      return { againAt: now };
    }
    await POSITIONS.remove(tx, key);
    return (await hasRecordsOf(tx, key)) ? { againAt: now + UNDELIVERED_MS } : undefined;
  },
};

export const a2aTimers = (deps: DeliveryDeps) => [cleanupTimer, pushTimer(deps)];
