// Plans the effect of a write on an object: created, configured or unchanged, with the next versions. Pure: time and ids come in.
import { jsonEquals } from '@svc/shared/json';
import type { ResourceKey } from '@svc/shared/resource';
import type { StoredObject } from '../store/store.ts';
import type { StringMap } from './string-map.ts';
import type { WriteAction } from './registry.ts';

export interface PlanInput {
  readonly key: ResourceKey;
  readonly current: StoredObject | undefined;
  readonly labels: StringMap;
  readonly annotations: StringMap;
  /** The spec to store; undefined when it is the stored one. */
  readonly newSpec: StoredObject['spec'] | undefined;
  /** The status of a new object. */
  readonly initialStatus: (createdAt: string) => StoredObject['status'];
  /** Fields of the status that a write of the spec sets; undefined values remove a field. */
  readonly writtenStatus: (spec: StoredObject['spec']) => StoredObject['status'] | undefined;
  readonly now: string;
  readonly newUid: () => string;
  /** Principal of the write, by name. */
  readonly by: string;
  /** Further creators of a new object. */
  readonly alsoBy?: readonly string[];
}

export interface WritePlan {
  readonly action: WriteAction;
  readonly object: StoredObject;
}

/** Counts generation +1 on a spec change and resourceVersion +1 on each write; an unchanged object is not written. */
export function planWrite(input: PlanInput): WritePlan {
  const { current, labels, annotations, newSpec, now, by } = input;
  if (!current) return { action: 'created', object: newObject(input) };
  const sameMaps = jsonEquals(labels, current.labels) && jsonEquals(annotations, current.annotations);
  if (sameMaps && newSpec === undefined) return { action: 'unchanged', object: current };
  return {
    action: 'configured',
    object: {
      ...current,
      labels,
      annotations,
      spec: newSpec ?? current.spec,
      generation: current.generation + (newSpec === undefined ? 0 : 1),
      resourceVersion: current.resourceVersion + 1,
      updatedAt: now,
      updatedBy: by,
      ...(newSpec !== undefined && { specBy: by, specAt: now, status: merged(current.status, input.writtenStatus(newSpec)) }),
    },
  };
}

function merged(status: StoredObject['status'], written: StoredObject['status'] | undefined): StoredObject['status'] {
  if (written === undefined) return status;
  return Object.fromEntries(Object.entries({ ...status, ...written }).filter(([, value]) => value !== undefined));
}

function newObject({ key, labels, annotations, newSpec, initialStatus, writtenStatus, now, newUid, by, alsoBy }: PlanInput): StoredObject {
  return {
    kind: key.kind,
    namespace: key.namespace,
    name: key.name,
    uid: newUid(),
    resourceVersion: 1,
    generation: 1,
    labels,
    annotations,
    createdAt: now,
    updatedAt: now,
    createdBy: by,
    updatedBy: by,
    specBy: by,
    ...(alsoBy && { alsoBy }),
    spec: newSpec ?? {},
    status: merged(initialStatus(now), writtenStatus(newSpec ?? {})),
  };
}
