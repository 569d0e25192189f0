// The objects of the tests' Kubernetes: versions, watches, legal names and labels, and removal with the owner, as its API promises them.
import { randomUUID } from 'node:crypto';

export interface ApiObject {
  readonly kind: string;
  metadata: {
    name: string;
    uid: string;
    resourceVersion: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    ownerReferences?: { uid: string }[];
    deletionTimestamp?: string;
  };
  // Any further fields of the kind.
  [member: string]: any;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: unknown;
}

interface Change extends WatchEvent {
  readonly version: number;
  readonly resource: string;
  readonly object: ApiObject;
}

export type Selector = (object: ApiObject) => boolean;

const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const LABEL_KEY = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

/** Reason why an object is illegal; undefined for a legal one. */
export function illegal({ metadata }: Pick<ApiObject, 'metadata'>): string | undefined {
  if (!NAME.test(metadata.name)) return `metadata.name: Invalid value: "${metadata.name}"`;
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (!LABEL_KEY.test(key) || !LABEL_VALUE.test(value)) return `metadata.labels: Invalid value: "${key}=${value}"`;
  }
  const strings = Object.values(metadata.annotations ?? {}).every((value) => typeof value === 'string');
  return strings ? undefined : 'metadata.annotations: Invalid value';
}

export class KubernetesStore {
  readonly #objects = new Map<string, ApiObject>();
  readonly #changes: Change[] = [];
  readonly #watchers = new Set<(change: Change) => void>();
  #version = 100;
  /** Watches cannot begin before it. */
  #oldest = 0;

  get version(): string {
    return String(this.#version);
  }

  list(resource: string, matches: Selector = () => true): ApiObject[] {
    return [...this.#objects].filter(([key]) => key.startsWith(`${resource}/`)).flatMap(([, object]) => (matches(object) ? [object] : []));
  }

  get(resource: string, name: string): ApiObject | undefined {
    return this.#objects.get(`${resource}/${name}`);
  }

  add(resource: string, object: Omit<ApiObject, 'kind'> & { kind?: unknown }): ApiObject {
    object.metadata.uid = randomUUID();
    this.#objects.set(`${resource}/${object.metadata.name}`, object as ApiObject);
    return this.#changed('ADDED', resource, object as ApiObject);
  }

  update(resource: string, object: ApiObject): ApiObject {
    return this.#objects.has(`${resource}/${object.metadata.name}`) ? this.#changed('MODIFIED', resource, object) : object;
  }

  remove(resource: string, object: ApiObject): void {
    if (this.#objects.delete(`${resource}/${object.metadata.name}`)) this.#changed('DELETED', resource, object);
  }

  /** Drops the history of changes, so that older versions are expired. */
  compact(): void {
    this.#version += 1;
    this.#oldest = this.#version;
  }

  /** Undefined when the version is too old. Returns how to stop. */
  watch(
    resource: string,
    since: string,
    told: { readonly matches: Selector; readonly tell: (event: WatchEvent) => void },
  ): (() => void) | undefined {
    if (Number(since) < this.#oldest) return undefined;
    const hear = (change: Change) => {
      if (change.resource === resource && change.version > Number(since) && told.matches(change.object))
        told.tell({ type: change.type, object: change.object });
    };
    this.#changes.forEach(hear);
    this.#watchers.add(hear);
    return () => this.#watchers.delete(hear);
  }

  #changed(type: string, resource: string, object: ApiObject): ApiObject {
    this.#version += 1;
    object.metadata.resourceVersion = String(this.#version);
    const change = { type, resource, object: structuredClone(object), version: this.#version };
    this.#changes.push(change);
    for (const hear of this.#watchers) hear(change);
    return object;
  }
}
