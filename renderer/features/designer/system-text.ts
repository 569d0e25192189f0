// Texts that a design begins with, and the places kept in them. Pure.
import type { Resource } from '@svc/shared/resource';
import { editable, toYaml } from '../editor/serialise.ts';
import { LAYOUT_ANNOTATION, readLayout, writeLayout, type Placement } from '../graph/layout.ts';
import { editYaml, parseText, type Path } from './yaml-edit.ts';

const ANNOTATIONS: Path = ['metadata', 'annotations'];
const LAYOUT: Path = [...ANNOTATIONS, LAYOUT_ANNOTATION];

export function newSystemText(namespace: string, name = 'my-system'): string {
  return toYaml({ apiVersion: 'svc.dev/v1', kind: 'AgentSystem', metadata: { name, namespace }, spec: { agents: [] } });
}

/** Another system of the same content, in this namespace. */
export function duplicateText(resource: Pick<Resource, 'kind' | 'metadata' | 'spec'>, namespace: string): string {
  return toYaml(editable({ ...resource, metadata: { ...resource.metadata, namespace, name: `${resource.metadata.name}-copy` } }));
}

/** `metadata.name` as it stands in the text. */
export function nameOf(value: Readonly<Record<string, unknown>>): string {
  const metadata = value['metadata'];
  const name = typeof metadata === 'object' && metadata !== null ? (metadata as { name?: unknown }).name : undefined;
  return typeof name === 'string' ? name : '';
}

function annotationOf(text: string): string | undefined {
  const value: unknown = parseText(text).getIn(LAYOUT);
  return typeof value === 'string' ? value : undefined;
}

export function placementOf(text: string): Placement {
  return readLayout(annotationOf(text));
}

/** Writes the places into the annotation, or takes it away where there are none: apart from the spec, and only when somebody asks. */
export function keepPlaces(text: string, placement: Placement): string {
  const annotation = writeLayout(placement);
  if (annotation !== undefined) return editYaml(text, { op: 'set', path: LAYOUT, value: annotation });
  if (annotationOf(text) === undefined) return text;
  const annotations: unknown = parseText(text).getIn(ANNOTATIONS);
  const alone = (annotations as { items?: readonly unknown[] } | undefined)?.items?.length === 1;
  return editYaml(text, { op: 'remove', path: alone ? ANNOTATIONS : LAYOUT });
}

/** Whether the places are those that the text keeps. */
export function placesKept(text: string, placement: Placement): boolean {
  return writeLayout(placement) === writeLayout(placementOf(text));
}
