// Objects that were deleted while open, in their last known state, so that they can be created again. Kept for this tab only.
import type { Resource } from '@svc/shared/resource';
import { LRUCache } from 'lru-cache';

const KEPT_MAX = 10;
const lost = new LRUCache<string, Resource>({ max: KEPT_MAX });

const idOf = (kind: string, key: string) => `${kind} ${key}`;

export function rememberLost(resource: Resource): void {
  const { namespace, name } = resource.metadata;
  lost.set(idOf(resource.kind, `${namespace}/${name}`), resource);
}

/** `key` is namespace/name. */
export function recallLost(kind: string, key: string): Resource | undefined {
  return lost.get(idOf(kind, key));
}
