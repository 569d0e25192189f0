// Changes and stored objects as the items of a resource watch. Pure.
import type { WatchChangeType, WatchItem } from '@svc/shared/api/watch';
import type { Change, StoredObject } from '../../store/store.ts';
import { toListedResource } from '../mapping.ts';

const items = new WeakMap<Change, WatchItem>();

export function toSnapshotItem(object: StoredObject): WatchItem {
  return { ...buildItem('created', object), snapshot: true };
}

/** Item that the client receives for a change; undefined for facts. The same change with its own type gives the same item, which all watchers share. */
export function toWatchItem(type: WatchChangeType, change: Change): WatchItem | undefined {
  const known = type === change.type ? items.get(change) : undefined;
  if (known || !change.object) return known;
  const item = buildItem(type, change.object);
  if (type === change.type) items.set(change, item);
  return item;
}

function buildItem(type: WatchChangeType, object: StoredObject): WatchItem {
  const resource = toListedResource(object);
  const { kind, namespace, name } = object;
  return { type, kind, namespace, name, resourceVersion: resource.metadata.resourceVersion, resource };
}
