// A claim on a run that nobody holds, for the transaction that ends it: journals are written under a claim.
import { ServiceError } from '@svc/shared/errors';
import type { Claim, StoredObject, StoreTransaction } from '../../store/store.ts';

/** Items are here only within such a transaction. */
const UNHELD_QUEUE = 'task.cancel';
const LEASE_MS = 1_000;

/** The caller has taken the Task out of its queue in the same transaction. */
export async function claimUnheld(
  tx: StoreTransaction,
  { uid: key, namespace, name }: Pick<StoredObject, 'uid' | 'namespace' | 'name'>,
  { owner, now }: { readonly owner: string; readonly now: number },
): Promise<Claim> {
  await tx.enqueueWork({ queue: UNHELD_QUEUE, key, namespace, name, rank: 0, notBefore: 0, requirements: {} });
  const capabilities = { gpu: false, supportedModels: [], secrets: true };
  const query = { queue: UNHELD_QUEUE, owner, now, leaseMs: LEASE_MS, limit: 1, capabilities };
  const claim = (await tx.claimWork(query)).find((claimed) => claimed.key === key);
  if (!claim) throw new ServiceError('conflict', `Task ${namespace}/${name} is being ended by another request`);
  return claim;
}
