// Rules of the write path that need the stored world: CRD-managed objects and references that must exist at write time.
import { invalidFields, ServiceError } from '@svc/shared/errors';
import { describeKey, parseRef } from '@svc/shared/resource';
import type { ResourceKey } from '@svc/shared/resource';
import type { StoredObject, StoreTransaction } from '../store/store.ts';
import { systemContext } from './registry.ts';
import type { RequestContext } from './registry.ts';

/** Treatment of an API write to a CRD-managed object. */
export type CrdConflictPolicy = 'off' | 'warn' | 'reject';

/** Marks an object whose truth is a custom resource in a cluster. */
export const MANAGED_BY_ANNOTATION = 'svc.dev/managed-by';
const MANAGED_BY_CRD = 'crd';

/** True when the write goes through with a warning. Throws `conflict` under the policy `reject`. The server's own writers are not held to it. */
export function admitCrdWrite(policy: CrdConflictPolicy, context: RequestContext, current: StoredObject | undefined): boolean {
  if (policy === 'off' || context.identity === systemContext.identity || context.identity.method === 'system') return false;
  if (current?.annotations[MANAGED_BY_ANNOTATION] !== MANAGED_BY_CRD) return false;
  if (policy === 'warn') return true;
  throw new ServiceError(
    'conflict',
    `${describeKey(current)} is managed by a custom resource and cannot be changed here; change that custom resource`,
  );
}

/** The system of a Session must exist at the write; it may be deleted later. */
export async function admitReferences(tx: StoreTransaction, next: StoredObject, current: StoredObject | undefined): Promise<void> {
  const system = next.spec.system;
  if (next.kind !== 'Session' || typeof system !== 'string' || system === current?.spec.system) return;
  const key: ResourceKey = { kind: 'AgentSystem', ...parseRef(system, next.namespace) };
  if (await tx.getObject(key)) return;
  throw invalidFields(describeKey(next), [{ path: 'spec.system', message: `names ${describeKey(key)}, which does not exist` }]);
}
