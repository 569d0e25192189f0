// The envelope of a request body: everything about a resource but what its kind says. Pure.
// Server-owned metadata and `status` are ignored; unknown fields are collected for the caller's field validation.
import type { FieldError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import { API_VERSION, nameProblem, namespaceProblem, unknownEnvelopeFields, type UnknownField } from '@svc/shared/resource';
import { readStringMap } from './string-map.ts';
import type { StringMap } from './string-map.ts';

/** Target of the request, from its address. */
export interface EnvelopeTarget {
  readonly kind: string;
  /** The effective namespace, which the body may repeat but not contradict. */
  readonly namespace: string;
  /** From the path; absent on POST, where the body must give it. */
  readonly name?: string;
}

export interface Envelope {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly bodyVersion: string | undefined;
  readonly labels: StringMap;
  readonly annotations: StringMap;
  /** The body's parts as sent, for merge patches and the kind's own check. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface EnvelopeCheck {
  readonly envelope: Envelope;
  readonly errors: readonly FieldError[];
  readonly unknown: readonly UnknownField[];
}

export function readEnvelope(target: EnvelopeTarget, body: unknown, maps: 'read' | 'patch' = 'read'): EnvelopeCheck {
  if (!isObject(body)) {
    const envelope = { ...target, name: target.name ?? '', bodyVersion: undefined, labels: {}, annotations: {}, metadata: {}, body: {} };
    return { envelope, errors: [{ path: '', message: 'the body must be an object' }], unknown: [] };
  }
  const metadata = isObject(body.metadata) ? body.metadata : {};
  const errors: FieldError[] = [...typeErrors(target, body), ...identityErrors(target, metadata)];
  const version = readVersion(metadata.resourceVersion);
  const labels = maps === 'read' ? readStringMap(metadata.labels, 'labels') : { map: {}, errors: [] };
  const annotations = maps === 'read' ? readStringMap(metadata.annotations, 'annotations') : { map: {}, errors: [] };
  errors.push(...version.errors, ...labels.errors, ...annotations.errors);
  return {
    envelope: {
      kind: target.kind,
      namespace: target.namespace,
      name: target.name ?? textOr(metadata.name, ''),
      bodyVersion: version.value,
      labels: labels.map,
      annotations: annotations.map,
      metadata,
      body,
    },
    errors,
    unknown: unknownEnvelopeFields(body, metadata),
  };
}

function typeErrors(target: EnvelopeTarget, body: Record<string, unknown>): FieldError[] {
  const errors: FieldError[] = [];
  if (given(body.apiVersion) && body.apiVersion !== API_VERSION) errors.push({ path: 'apiVersion', message: `must be "${API_VERSION}"` });
  if (given(body.kind) && body.kind !== target.kind) errors.push({ path: 'kind', message: `must be "${target.kind}" at this endpoint` });
  if (given(body.metadata) && !isObject(body.metadata)) errors.push({ path: 'metadata', message: 'must be an object' });
  return errors;
}

function identityErrors(target: EnvelopeTarget, metadata: Record<string, unknown>): FieldError[] {
  const errors: FieldError[] = [];
  const { name, namespace } = metadata;
  const namespaceFault = namespaceProblem(target.namespace);
  if (namespaceFault) errors.push({ path: 'metadata.namespace', message: namespaceFault });
  else if (given(namespace) && namespace !== '' && namespace !== target.namespace) {
    errors.push({ path: 'metadata.namespace', message: `must be "${target.namespace}", the namespace of the request` });
  }
  if (target.name === undefined) {
    const fault = nameFault(name);
    if (fault) errors.push({ path: 'metadata.name', message: fault });
    return errors;
  }
  const fault = nameProblem(target.name);
  if (fault) errors.push({ path: 'metadata.name', message: fault });
  else if (given(name) && name !== target.name)
    errors.push({ path: 'metadata.name', message: `must be "${target.name}", the name in the path` });
  return errors;
}

function nameFault(name: unknown): string | undefined {
  if (!given(name) || name === '') return 'is required';
  return typeof name === 'string' ? nameProblem(name) : 'must be a string';
}

/** YAML turns an unquoted version into a number, so a whole number is taken too. */
function readVersion(value: unknown): { value: string | undefined; errors: FieldError[] } {
  if (!given(value) || value === '') return { value: undefined, errors: [] };
  if (typeof value === 'string') return { value, errors: [] };
  if (typeof value === 'number' && Number.isSafeInteger(value)) return { value: String(value), errors: [] };
  return { value: undefined, errors: [{ path: 'metadata.resourceVersion', message: 'must be a string' }] };
}

function given(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
