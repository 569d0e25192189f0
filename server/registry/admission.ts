// Rules of the write path that read other objects: CRD-managed objects and references that must exist at write time.
import { invalidFields, ServiceError } from '@svc/shared/errors';
import type { KindName } from '@svc/shared/kinds';
import type { KindDefinition, Reference } from '@svc/shared/kinds/define';
import { specOf } from '@svc/shared/kinds/read';
import { describeKey } from '@svc/shared/resource';
import type { StoredObject, StoreTransaction } from '../store/store.ts';
import { systemContext } from './registry.ts';
import type { RequestContext } from './registry.ts';

/** The kind of a written object, and the object as it was. */
export interface WrittenOver {
  readonly definition: KindDefinition;
  readonly current: StoredObject | undefined;
}

/** Treatment of an API write to a CRD-managed object. */
export type CrdConflictPolicy = 'off' | 'warn' | 'reject';

/** Marks an object whose truth is a custom resource in a cluster. */
const MANAGED_BY_ANNOTATION = 'svc.dev/managed-by';
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

/** Throws `invalid` when a reference that must exist names nothing. A reference that the object already has may have lost its object. */
export async function admitReferences(tx: StoreTransaction, next: StoredObject, { definition, current }: WrittenOver): Promise<void> {
  if (definition.requiredReferences.length === 0) return;
  const required = (object: StoredObject): Reference[] =>
    definition
      .references(specOf(definition.kind as KindName, object), object)
      .filter(({ path }) => definition.requiredReferences.includes(path));
  const known = new Set(current && required(current).map(describeKey));
  for (const reference of required(next)) {
    if (known.has(describeKey(reference)) || (await tx.getObject(reference))) continue;
    throw invalidFields(describeKey(next), [{ path: reference.path, message: `names ${describeKey(reference)}, which does not exist` }]);
  }
}
