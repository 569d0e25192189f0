// The parts of an object that writers may change, and its text for editors and diffs. Pure.
import { isObject } from '@svc/shared/json';
import type { Resource } from '@svc/shared/resource';
import { yamlText } from '../output/data-text.ts';

export interface Editable {
  readonly metadata: { readonly labels: unknown; readonly annotations: unknown };
  readonly spec: unknown;
}

/** Spec, labels and annotations; absent ones are empty. */
export function editableOf(value: object): Editable {
  const { metadata, spec } = value as Partial<Record<keyof Resource, unknown>>;
  const { labels, annotations } = isObject(metadata) ? metadata : {};
  return { metadata: { labels: labels ?? {}, annotations: annotations ?? {} }, spec: spec ?? {} };
}

/** Everything else. */
export function restOf(value: object): object {
  const { spec: _spec, metadata, ...rest } = value as Record<string, unknown>;
  const { labels: _labels, annotations: _annotations, ...identity } = isObject(metadata) ? metadata : {};
  return { ...rest, metadata: identity };
}

/** YAML of what a writer may change, under the object's identity. */
export function editableYaml({ apiVersion, kind, metadata, spec }: Resource): string {
  const { name, namespace, labels, annotations } = metadata;
  const maps = Object.fromEntries(Object.entries({ labels, annotations }).filter(([, map]) => Object.keys(map ?? {}).length > 0));
  return `${yamlText({ apiVersion, kind, metadata: { name, namespace, ...maps }, spec })}\n`;
}
