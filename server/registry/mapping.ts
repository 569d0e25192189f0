// Stored objects as resources. Every resource that leaves the registry is made here, and so is redacted here.
import { kindByName } from '@svc/shared/kinds';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { ServiceError } from '@svc/shared/errors';
import { API_VERSION } from '@svc/shared/resource';
import type { Resource } from '@svc/shared/resource';
import type { StoredObject } from '../store/store.ts';

const whole = new WeakMap<StoredObject, Resource>();
const listed = new WeakMap<StoredObject, Resource>();
const texts = new WeakMap<Resource, string>();

/** The definition of a kind by its name. Throws `not_found` for an unknown one. */
export function requireKind(kind: string): KindDefinition {
  const definition = kindByName(kind);
  if (!definition) throw new ServiceError('not_found', `there is no kind "${kind}"`);
  return definition;
}

/** The objects of a kind, for messages: `agent systems`. Throws as requireKind does. */
export function describeKind(kind: string): string {
  return requireKind(kind).plural.replaceAll('-', ' ');
}

/** The resource as a single read shows it, with its whole stored status. The same stored object gives the same resource. */
export function toResource(stored: StoredObject): Resource {
  const known = whole.get(stored);
  if (known) return known;
  const resource = mapped(stored);
  whole.set(stored, resource);
  return resource;
}

/** The resource's JSON, which all readers of this version share. */
export function textOf(resource: Resource): string {
  const known = texts.get(resource);
  if (known !== undefined) return known;
  const text = JSON.stringify(resource);
  texts.set(resource, text);
  return text;
}

function mapped(stored: StoredObject): Resource {
  return {
    apiVersion: API_VERSION,
    kind: stored.kind,
    metadata: {
      name: stored.name,
      namespace: stored.namespace,
      uid: stored.uid,
      resourceVersion: String(stored.resourceVersion),
      generation: stored.generation,
      labels: stored.labels,
      annotations: stored.annotations,
      createdAt: stored.createdAt,
      updatedAt: stored.updatedAt,
      ...(stored.createdBy !== undefined && { createdBy: stored.createdBy }),
      ...(stored.updatedBy !== undefined && { updatedBy: stored.updatedBy }),
    },
    spec: requireKind(stored.kind).redact(stored.spec) as Resource['spec'],
    status: stored.status,
  };
}

/** The resource as lists and watches show it: without the kind's heavy status fields. All readers of a stored object share it. */
export function toListedResource(stored: StoredObject): Resource {
  const known = listed.get(stored);
  if (known) return known;
  const whole = toResource(stored);
  const status = withoutHeavyStatus(requireKind(whole.kind), whole.status);
  const resource = status === whole.status ? whole : { ...whole, status };
  listed.set(stored, resource);
  return resource;
}

/** The same object when it has none of the kind's heavy fields. */
export function withoutHeavyStatus({ heavyStatusFields: heavy }: KindDefinition, status: Resource['status']): Resource['status'] {
  if (!heavy.some((field) => field in status)) return status;
  return Object.fromEntries(Object.entries(status).filter(([field]) => !heavy.includes(field)));
}
