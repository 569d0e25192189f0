// A row of the change log: the change it stands for, and one that is about to be written. Pure; both engines store the same columns.
import type { ResourceKey } from '@svc/shared/resource';
import type { Change, ChangeQuery, ChangeType, Fact, StoredObject } from './store.ts';
import { parseObject } from './parse-object.ts';

export interface ChangeRow {
  seq: number;
  timestamp: string;
  type: ChangeType;
  kind: string;
  namespace: string;
  name: string;
  resource_version: number;
  object: string | null;
  fact: string | null;
}

export interface NewChange {
  readonly key: ResourceKey;
  readonly timestamp: string;
  readonly type: ChangeType;
  readonly resourceVersion: number;
  /** JSON of the StoredObject. */
  readonly object?: string;
  readonly fact?: Fact;
}

export const CHANGE_COLUMNS = 'seq, timestamp, type, kind, namespace, name, resource_version, object, fact';

/** The filters a query has, in one order. */
export function changeFilters(query: ChangeQuery): { readonly column: 'kind' | 'namespace' | 'name'; readonly value: string }[] {
  return (['kind', 'namespace', 'name'] as const).flatMap((column) => {
    const value = query[column];
    return value === undefined ? [] : [{ column, value }];
  });
}

/** The bound of `seq` from which a query continues, exclusive. */
export function changeBound(query: ChangeQuery): number {
  return query.descending === true && query.after <= 0 ? Number.MAX_SAFE_INTEGER : query.after;
}

export function toChange(row: ChangeRow): Change {
  return {
    seq: row.seq,
    timestamp: row.timestamp,
    type: row.type,
    kind: row.kind,
    namespace: row.namespace,
    name: row.name,
    resourceVersion: row.resource_version,
    ...(row.object !== null && { object: parseObject(row.object) }),
    ...(row.fact !== null && { fact: JSON.parse(row.fact) as Fact }),
  };
}

/** JSON of a deleted object's last state, for the change of its deletion: `by` is the principal. */
export function deletedDoc(last: StoredObject, by: string | undefined): string {
  return JSON.stringify(by === undefined ? last : { ...last, updatedBy: by });
}
