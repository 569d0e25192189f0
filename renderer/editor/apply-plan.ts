// Effects of applying a text: the write to request, the server's adjustments, and the meaning of a refusal. Pure.
import type { FieldError } from '@svc/shared/errors';
import { filledText, isObject, jsonEquals } from '@svc/shared/json';
import type { Resource } from '@svc/shared/resource';
import { isWriteOnly } from '../kinds/kind-table.ts';
import { pathText } from '@svc/shared/path-text';
import type { YamlPath } from '../yaml/path-text.ts';
import { editable, readObject, redactedPaths, type PlacedMessage } from '../yaml/serialise.ts';
import type { DraftKey } from './drafts.ts';

export interface WriteCall {
  readonly kind: string;
  readonly namespace: string;
  readonly mode: 'create' | 'replace' | 'patch';
  readonly name?: string;
  readonly resourceVersion?: string;
  /** The uid that `resourceVersion` belongs to: the next object of this name starts at 1 again. */
  readonly uid?: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export type WritePlan =
  { readonly call: WriteCall } | { readonly errors: readonly FieldError[] } | { readonly syntax: readonly PlacedMessage[] };

const REDACTED_MESSAGE = 'is ***, the placeholder of a hidden value: write the value itself under stringData, or leave the key out';

const map = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});

/** A merge patch sends null for removed keys. */
function withNulls(after: unknown, before: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  const kept = map(after);
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(kept, key));
  return { ...kept, ...Object.fromEntries(gone.map((key) => [key, null])) };
}

/** A Secret is patched: its values are not available here for a replacement. */
function secretPatch(body: Readonly<Record<string, unknown>>, current: Resource): Readonly<Record<string, unknown>> {
  const { labels, annotations, ...metadata } = map(body.metadata);
  return {
    ...body,
    metadata: {
      ...metadata,
      labels: withNulls(labels, current.metadata.labels),
      annotations: withNulls(annotations, current.metadata.annotations),
    },
  };
}

/** The write that a text requests, based on `current`; without it an object is created. */
export function planWrite(written: string, target: DraftKey, current: Resource | undefined): WritePlan {
  const read = readObject(written);
  if ('errors' in read) return { syntax: read.errors };
  const { body } = read;
  const redacted = redactedPaths(body);
  if (redacted.length > 0) return { errors: redacted.map((path) => ({ path, message: REDACTED_MESSAGE })) };
  if (body.kind !== undefined && body.kind !== target.kind) return { errors: [{ path: 'kind', message: `must be ${target.kind} here` }] };
  if (!current) {
    const namespace = filledText(map(body.metadata).namespace) ?? target.namespace;
    return { call: { kind: target.kind, namespace, mode: 'create', body } };
  }
  const { name, namespace, resourceVersion, uid } = current.metadata;
  const common = { kind: target.kind, namespace, name, resourceVersion, uid };
  if (isWriteOnly(target.kind)) return { call: { ...common, mode: 'patch', body: secretPatch(body, current) } };
  return { call: { ...common, mode: 'replace', body } };
}

/** A field that is stored differently from the written form. */
export interface Adjustment {
  readonly path: string;
  readonly written: unknown;
  readonly stored: unknown;
  readonly what: 'added' | 'changed' | 'left out';
}

const ADJUSTMENTS_MAX = 200;

function compare(written: unknown, stored: unknown, at: { readonly path: YamlPath; readonly found: Adjustment[] }): void {
  const { path, found } = at;
  if (found.length >= ADJUSTMENTS_MAX || jsonEquals(written ?? null, stored ?? null)) return;
  if (isObject(written) && isObject(stored)) {
    for (const key of new Set([...Object.keys(written), ...Object.keys(stored)]))
      compare(written[key], stored[key], { found, path: [...path, key] });
    return;
  }
  const empty = isObject(stored) && written === undefined && Object.keys(stored).length === 0;
  if (empty) return;
  const what = written === undefined || written === null ? 'added' : stored === undefined ? 'left out' : 'changed';
  found.push({ path: pathText(path), written, stored, what });
}

/** Changes that the server makes to a spec: added defaults and normal forms, removed fields. Secrets show nothing of their values. */
export function adjustments(call: WriteCall, result: Resource): readonly Adjustment[] {
  if (isWriteOnly(call.kind)) return [];
  const found: Adjustment[] = [];
  compare(call.body.spec ?? {}, editable(result).spec, { path: ['spec'], found });
  return found;
}

/** Whether two states of an object differ in what a person may edit: its status and versions aside. */
export function sameForEditing(a: Resource, b: Resource): boolean {
  // A Secret's values are hidden from both, so any write may have changed them.
  if (isWriteOnly(a.kind)) return a.metadata.generation === b.metadata.generation && jsonEquals(editable(a), editable(b));
  return jsonEquals(editable(a), editable(b));
}
