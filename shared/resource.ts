// Envelope that all kinds share: apiVersion, kind, metadata, spec, status.
import { isObject } from './json.ts';
import { didYouMean, SUGGESTED_MAX } from './nearest-word.ts';

export const API_VERSION = 'svc.dev/v1';
export const DEFAULT_NAMESPACE = 'default';
export const ANNOTATION_PREFIX = 'svc.dev/';

/** Annotation with the reason of a suspension, written with it and removed with its end. */
export const SUSPEND_REASON = `${ANNOTATION_PREFIX}suspend-reason`;

export interface Metadata {
  readonly name: string;
  readonly namespace: string;
  /** UUID v7, made by the service. */
  readonly uid: string;
  /** Decimal string, `1` on create, +1 on each write (status writes included). */
  readonly resourceVersion: string;
  /** +1 on each spec change. */
  readonly generation: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** RFC 3339, UTC, milliseconds. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Identity that created the object; absent for one that a version without it wrote. */
  readonly createdBy?: string;
  /** Identity of the last write, status writes included; `system:<part>` for a part of the service. */
  readonly updatedBy?: string;
}

export interface Resource<Spec = Readonly<Record<string, unknown>>, Status = Readonly<Record<string, unknown>>> {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec: Spec;
  readonly status: Status;
}

/** Phase of an object of any kind; undefined where none is stored. Readers of one kind use its `statusOf`. */
export function phaseOf({ status }: { readonly status: unknown }): string | undefined {
  return isObject(status) && typeof status['phase'] === 'string' ? status['phase'] : undefined;
}

/** Top-level fields of every resource. */
export const RESOURCE_FIELDS: readonly string[] = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];
export const METADATA_FIELDS: readonly string[] = [
  ...['name', 'namespace', 'labels', 'annotations'],
  ...['uid', 'resourceVersion', 'generation', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy'],
];

/** A field that no resource, or none of its kind, has. */
export interface UnknownField {
  readonly path: string;
  /** Ends the sentence about it: a suggestion, or empty. */
  readonly hint: string;
}

/** Fields of a body and of its metadata that no resource has. */
export function unknownEnvelopeFields(body: object, metadata: object): UnknownField[] {
  const unknown = (value: object, known: readonly string[], prefix: string) =>
    Object.keys(value)
      .filter((field) => !known.includes(field))
      .map((field, i) => ({ path: `${prefix}${field}`, hint: i < SUGGESTED_MAX ? didYouMean(field, known) : '' }));
  return [...unknown(body, RESOURCE_FIELDS, ''), ...unknown(metadata, METADATA_FIELDS, 'metadata.')];
}

/** The name of an object whose kind is known. */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** The identity of one object. */
export interface ResourceKey {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** An object, and which one of that name it was. */
export interface ObjectRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** `Kind namespace/name`, for messages. */
export function describeKey(key: ResourceKey): string {
  return `${key.kind} ${key.namespace}/${key.name}`;
}

/** Characters of a name. */
export const NAME_MAX = 253;
export const NAME_PATTERN = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/;
export const NAMESPACE_PATTERN = /^[a-z0-9-]{1,63}$/;
/** A path segment of the watch endpoints, so no object may have it as its name. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['watch']);

/** Why `name` is not a valid object name, or undefined when it is one. */
export function nameProblem(name: string): string | undefined {
  if (RESERVED_NAMES.has(name)) return `must not be "${name}", which is a reserved word`;
  if (NAME_PATTERN.test(name)) return undefined;
  return 'must be 1 to 253 letters, digits, ".", "_" or "-", and begin and end with a letter or digit';
}

/** Why `namespace` is not a valid namespace, or undefined when it is one. */
export function namespaceProblem(namespace: string): string | undefined {
  return NAMESPACE_PATTERN.test(namespace) ? undefined : 'must be 1 to 63 lower-case letters, digits or "-"';
}

/** A reference in a spec: `name` (same namespace) or `namespace/name`. */
export function parseRef(ref: string, namespace: string): { namespace: string; name: string } {
  const slash = ref.indexOf('/');
  return slash < 0 ? { namespace, name: ref } : { namespace: ref.slice(0, slash), name: ref.slice(slash + 1) };
}
