// Initial texts of a design, and the positions kept in them. Pure.
import { isObject } from '@svc/shared/json';
import { namespaceProblem, type Resource } from '@svc/shared/resource';
import { specOf } from '../../../kinds/read.ts';
import { copyName } from '../../explorer/model/copy-name.ts';
import { editedText } from '../../../yaml/edit-document.ts';
import { memberAt } from '../../../yaml/edit-value.ts';
import type { YamlPath } from '../../../yaml/path-text.ts';
import { editable, toYaml } from '../../../yaml/serialise.ts';
import { onlyValueOf } from '../../../yaml/yaml-paths.ts';
import { NOTES_ANNOTATION, writeNotes, type CanvasNote } from '../../../graph/notes.ts';
import { LAYOUT_ANNOTATION, readLayout, writeLayout, type Placement } from '../../../graph/layout.ts';

const ANNOTATIONS: YamlPath = ['metadata', 'annotations'];
const LAYOUT: YamlPath = [...ANNOTATIONS, LAYOUT_ANNOTATION];

export function newSystemText(namespace: string, name = 'my-system'): string {
  return toYaml({ apiVersion: 'svc.dev/v1', kind: 'AgentSystem', metadata: { name, namespace }, spec: { agents: [] } });
}

type Qualified = (agent: string) => string;

/** The spec with agents named as from another namespace: a name alone means the namespace of its system. */
function withQualifiedAgents(spec: Resource['spec'], qualified: Qualified): Resource['spec'] {
  const { agents = [], graph = {} } = specOf('AgentSystem', { spec });
  const nodes = Object.entries(graph).map(([name, { next, edges, ...node }]) => [
    qualified(name),
    {
      ...node,
      ...(next !== undefined && next !== '' && { next: qualified(next) }),
      ...(edges && { edges: edges.map((edge) => ({ ...edge, to: qualified(edge.to) })) }),
    },
  ]);
  return { ...spec, agents: agents.map(qualified), ...(nodes.length > 0 && { graph: Object.fromEntries(nodes) as object }) };
}

/** Positions are kept by the names of the agents. */
function withQualifiedPlaces(annotations: Resource['metadata']['annotations'], qualified: Qualified) {
  const kept = annotations[LAYOUT_ANNOTATION];
  if (kept === undefined) return annotations;
  const { direction, positions } = readLayout(kept);
  const layout = writeLayout({ direction, positions: new Map([...positions].map(([agent, at]) => [qualified(agent), at])) });
  return { ...annotations, ...(layout !== undefined && { [LAYOUT_ANNOTATION]: layout }) };
}

/** Another system of the same content and with the same agents, in this namespace. */
export function duplicateText(resource: Pick<Resource, 'kind' | 'metadata' | 'spec'>, namespace: string): string {
  const { namespace: home, name } = resource.metadata;
  const qualified: Qualified = (agent) => (home === namespace || agent.includes('/') ? agent : `${home}/${agent}`);
  const metadata = { ...resource.metadata, annotations: withQualifiedPlaces(resource.metadata.annotations, qualified) };
  const spec = home === namespace ? resource.spec : withQualifiedAgents(resource.spec, qualified);
  return toYaml(editable({ ...resource, spec, metadata: { ...metadata, namespace, name: copyName(name) } }));
}

/** `metadata.name` as written in the text. */
export function nameOf(value: Readonly<Record<string, unknown>>): string {
  const metadata = value['metadata'];
  const name = typeof metadata === 'object' && metadata !== null ? (metadata as { name?: unknown }).name : undefined;
  return typeof name === 'string' ? name : '';
}

/** Namespace of a new system: the one in its text, else the current one. */
export function homeOf(value: Readonly<Record<string, unknown>>, namespace: string): string {
  const { metadata } = value;
  const named = isObject(metadata) ? metadata['namespace'] : undefined;
  return typeof named === 'string' && namespaceProblem(named) === undefined ? named : namespace;
}

function annotationOf(text: string): string | undefined {
  const value = memberAt(onlyValueOf(text)?.value, LAYOUT);
  return typeof value === 'string' ? value : undefined;
}

export function placementOf(text: string): Placement {
  return readLayout(annotationOf(text));
}

/** Writes the positions into the annotation; without positions removes it. The spec stays as it is. */
export function keepPlaces(text: string, placement: Placement): string {
  return withAnnotation(text, LAYOUT, writeLayout(placement));
}

/** Writes the notes into their annotation, or removes it where there are none. */
export function keepNotes(text: string, notes: readonly CanvasNote[]): string {
  return withAnnotation(text, [...ANNOTATIONS, NOTES_ANNOTATION], writeNotes(notes));
}

function withAnnotation(text: string, path: YamlPath, value: string | undefined): string {
  if (value !== undefined) return editedText(text, { op: 'set', path, value });
  const annotations = memberAt(onlyValueOf(text)?.value, ANNOTATIONS);
  if (!isObject(annotations) || !Object.hasOwn(annotations, String(path.at(-1)))) return text;
  return editedText(text, { op: 'delete', path: Object.keys(annotations).length === 1 ? ANNOTATIONS : path });
}

/** Whether the positions equal those in the text. */
export function placesKept(text: string, placement: Placement): boolean {
  return writeLayout(placement) === writeLayout(placementOf(text));
}
