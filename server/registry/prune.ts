// Plans the deletions of an apply with `prune`: objects that match its selector and that its documents do not name.
import { ServiceError } from '@svc/shared/errors';
import { kinds } from '@svc/shared/kinds';
import { describeKey } from '@svc/shared/resource';
import type { ResourceKey } from '@svc/shared/resource';
import { eachObject } from '../store/each-object.ts';
import type { LabelRequirement, StoredObject, StoreReader } from '../store/store.ts';

/** `svc.dev/<what>-owner` marks an object that a controller generates from another one, and would generate again. */
const OWNER_ANNOTATION = /^svc\.dev\/[a-z0-9-]+-owner$/;
/** Objects one apply may delete. */
const TARGETS_MAX = 10_000;

export interface PruneScope {
  readonly labels: readonly LabelRequirement[];
  /** The namespaces the apply concerns: the request's and its documents'. */
  readonly namespaces: readonly string[];
  readonly keep: readonly ResourceKey[];
}

/**
 * Keys to delete, dependents first. Every kind is covered, not only those among the documents: the last object of a kind must be prunable too.
 * Spared are the service's own records and objects that carry an owner annotation. Throws `invalid` for an empty selector.
 */
export async function pruneTargets(store: StoreReader, scope: PruneScope): Promise<ResourceKey[]> {
  if (!scope.labels.length) throw new ServiceError('invalid', 'prune needs a labelSelector, which says what this apply owns');
  const keep = new Set(scope.keep.map(describeKey));
  const namespaces = [...new Set(scope.namespaces)];
  const covered = kinds.filter((kind) => !kind.serviceManaged).sort((a, b) => b.applyOrder - a.applyOrder);
  const targets: ResourceKey[] = [];
  for (const query of covered.flatMap(({ kind }) => namespaces.map((namespace) => ({ kind, namespace, labels: scope.labels })))) {
    for await (const object of eachObject(store, query))
      if (!keep.has(describeKey(object)) && !isGenerated(object)) targets.push(keyOf(object));
  }
  if (targets.length > TARGETS_MAX)
    throw new ServiceError('too_large', `prune would delete more than ${TARGETS_MAX} objects; use a narrower labelSelector`);
  return targets;
}

function isGenerated({ annotations }: StoredObject): boolean {
  return Object.keys(annotations).some((annotation) => OWNER_ANNOTATION.test(annotation));
}

function keyOf({ kind, namespace, name }: StoredObject): ResourceKey {
  return { kind, namespace, name };
}
