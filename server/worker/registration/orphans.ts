// Objects of workers that are gone for good, in a store that one process has to itself.
import { ServiceError } from '@svc/shared/errors';
import type { Registry, RequestContext } from '../../registry/registry.ts';
import type { ListCursor } from '../../store/list-order.ts';
import type { Store, StoredObject } from '../../store/store.ts';
import { REGISTERED_BY, settingsOf, WORKER_KIND } from './worker-object.ts';

const PAGE = 200;

export interface OrphanRemoval {
  readonly store: Pick<Store, 'listObjects'>;
  readonly registry: Pick<Registry, 'remove'>;
  readonly context: RequestContext;
  /** Name of the Worker that stays. */
  readonly keep: string;
  /** Called before a suspended one is deleted. */
  readonly onSuspended: (orphan: StoredObject) => Promise<void>;
}

/** Deletes every other Worker that a worker registered itself. Workers that an administrator declared stay. */
export async function removeOrphans({ store, registry, context, keep, onSuspended }: OrphanRemoval): Promise<void> {
  for (let after: ListCursor | undefined; ;) {
    const page = await store.listObjects({ kind: WORKER_KIND, limit: PAGE, ...(after && { after }) });
    const orphans = page.filter(({ name, annotations }) => annotations[REGISTERED_BY] !== undefined && name !== keep);
    for (const orphan of orphans) {
      const { kind, namespace, name, uid } = orphan;
      if (settingsOf(orphan).suspended) await onSuspended(orphan);
      const removing = registry.remove(context, { kind, namespace, name, uid });
      await removing.catch((error: unknown) => {
        if (!(error instanceof ServiceError && error.code === 'not_found')) throw error;
      });
    }
    after = page.at(-1);
    if (after === undefined || page.length < PAGE) return;
  }
}
