// Detects dead Workers: one that no longer reports becomes NotReady, and is deleted a day later if it had registered itself.
// Run by the leader. A worker that comes back says itself that it is Ready.
import { statusOf } from '@svc/shared/kinds/read';
import type { NamespacedName } from '@svc/shared/resource';
import { timestamp, type Clock } from '../../clock.ts';
import { partIdentity, partName } from '../../registry/principal.ts';
import type { Registry, RequestContext } from '../../registry/registry.ts';
import { updateStatus, type Status } from '../../registry/own-writes.ts';
import type { Claim, StoredObject, StoreTransaction } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';
import { createReconciler, type Reconciler, type ReconcilerOptions, type ReconcileOutcome } from '../runtime/reconciler.ts';
import { lastHeartbeatOf, planWorkerHealth, type LastHeartbeat } from './plan.ts';

export interface WorkerHealthOptions extends Pick<ReconcilerOptions, 'store' | 'clock' | 'log' | 'random' | 'coalesceMs'> {
  readonly registry: Pick<Registry, 'within'>;
  /** The leader's: nothing is written once it has been taken over. */
  readonly claim: Claim;
  /** Milliseconds without a heartbeat after which a Worker is NotReady. */
  readonly workerTimeoutMs: number;
}

const CONTEXT: RequestContext = { identity: partIdentity('controllers'), requestId: 'worker-health' };

export function createWorkerHealth(options: WorkerHealthOptions): Reconciler {
  const { store, clock, workerTimeoutMs } = options;
  const heartbeatsByUid = new Map<string, LastHeartbeat>();
  /** One uid per name, so that state of deleted Workers can be dropped. */
  const uidByKey = new Map<string, string>();

  const remember = (key: NamespacedName, worker: StoredObject | undefined): LastHeartbeat | undefined => {
    const text = `${key.namespace}/${key.name}`;
    const before = uidByKey.get(text);
    if (before !== undefined && before !== worker?.uid) heartbeatsByUid.delete(before);
    if (!worker) return void uidByKey.delete(text);
    uidByKey.set(text, worker.uid);
    const last = lastHeartbeatOf(worker, heartbeatsByUid.get(worker.uid), clock.now());
    if (last) heartbeatsByUid.set(worker.uid, last);
    return last;
  };
  const reconcile = async (key: NamespacedName): Promise<ReconcileOutcome> => {
    const worker = await store.getObject({ kind: 'Worker', ...key });
    const last = remember(key, worker);
    if (!worker) return undefined;
    const now = clock.now();
    const plan = planWorkerHealth(worker, last, { now, workerTimeoutMs });
    if (plan.do === 'wait') return { requeueAfterMs: plan.until - now };
    if (plan.do === 'nothing') return undefined;
    await transactAgain(store, (tx) => act(tx, worker, { ...options, do: plan.do }));
    return undefined;
  };
  return createReconciler({ ...options, name: 'worker-health', kind: 'Worker', reconcile });
}

interface Action extends Pick<WorkerHealthOptions, 'claim' | 'registry'> {
  readonly do: 'markNotReady' | 'delete';
  readonly clock: Clock;
}

/** Writes nothing about a Worker that changed since it was judged: its change is examined next. */
async function act(tx: StoreTransaction, worker: StoredObject, action: Action): Promise<void> {
  await tx.assertClaim(action.claim);
  const current = await tx.getObjectForUpdate(worker);
  if (current?.uid !== worker.uid || current.resourceVersion !== worker.resourceVersion) return;
  if (action.do === 'delete')
    return void (await action.registry.within(tx).remove(CONTEXT, { kind: worker.kind, namespace: worker.namespace, name: worker.name }));
  const { lastHeartbeat } = statusOf('Worker', worker);
  const message = `no heartbeat since ${String(lastHeartbeat)}`;
  const change = (status: Status): Status => ({ ...status, phase: 'NotReady', lastError: message });
  await updateStatus(tx, { key: worker, clock: action.clock, by: partName('controllers'), change });
  await tx.appendFact(worker, timestamp(action.clock.now()), {
    type: 'worker.not_ready',
    source: 'worker-health',
    action: 'not_ready',
    message,
    data: { lastHeartbeat },
  });
}
