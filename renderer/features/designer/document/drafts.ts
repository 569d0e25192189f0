// Objects drafted beside the system: its agents, their models, tools and secrets. Each is a YAML text like the system's own. Pure.
import { isObject } from '@svc/shared/json';
import { API_VERSION, type Resource, type ResourceKey } from '@svc/shared/resource';
import { specOf } from '../../../kinds/read.ts';
import { editedText } from '../../../yaml/edit-document.ts';
import type { DocumentEdit } from '../../../yaml/edit-value.ts';
import type { YamlPath } from '../../../yaml/path-text.ts';
import { objectYaml, toYaml } from '../../../yaml/serialise.ts';
import { onlyValueOf } from '../../../yaml/yaml-paths.ts';

export interface DraftObject extends ResourceKey {
  readonly text: string;
  /** The stored object that the draft began from; undefined for a new object. */
  readonly base?: Resource | undefined;
}

/** By `draftId`. */
export type Drafts = ReadonlyMap<string, DraftObject>;

export const NO_DRAFTS: Drafts = new Map();

export function draftId({ kind, namespace, name }: ResourceKey): string {
  return `${kind} ${namespace}/${name}`;
}

/** A new object with this spec. Empty fields of the spec are kept, so that the YAML shows where to write. */
export function newDraft(key: ResourceKey, spec: Readonly<Record<string, unknown>>): DraftObject {
  const { kind, namespace, name } = key;
  return { kind, namespace, name, text: toYaml({ apiVersion: API_VERSION, kind, metadata: { name, namespace }, spec }) };
}

/** The name, or the first free one with a number: `search`, `search-2`. */
export function freeName(name: string, taken: readonly string[]): string {
  for (let count = 1; ; count += 1) {
    const next = count === 1 ? name : `${name}-${count}`;
    if (!taken.includes(next)) return next;
  }
}

/** The unchanged draft of a stored object. */
export function draftOf(base: Resource): DraftObject {
  const { kind } = base;
  const { namespace, name } = base.metadata;
  return { kind, namespace, name, text: objectYaml(base), base };
}

/** A draft equal to its stored object does not count as one. */
export function withDraft(drafts: Drafts, draft: DraftObject): Drafts {
  const id = draftId(draft);
  const next = new Map(drafts);
  if (draft.base && draft.text === objectYaml(draft.base)) next.delete(id);
  else next.set(id, draft);
  return next;
}

export function withoutDraft(drafts: Drafts, id: string): Drafts {
  if (!drafts.has(id)) return drafts;
  return new Map([...drafts].filter(([each]) => each !== id));
}

/** The drafts, on the bases of these objects where they are the same. */
export function withBases(drafts: Drafts, objects: readonly DraftObject[]): Drafts {
  const known = new Map(objects.map((object) => [draftId(object), object]));
  return new Map([...drafts].map(([id, draft]) => [id, { ...draft, base: (known.get(id) ?? draft).base }]));
}

/** The drafts whose text is not that of one of these objects. */
export function editedSince(drafts: Drafts, objects: readonly DraftObject[]): Drafts {
  const texts = new Map(objects.map((object) => [draftId(object), object.text]));
  return new Map([...drafts].filter(([id, { text }]) => texts.get(id) !== text));
}

const values = new WeakMap<DraftObject, { readonly value: unknown } | undefined>();

/** The draft as a value; undefined while its text cannot be read. */
export function valueOfDraft(draft: DraftObject): Readonly<Record<string, unknown>> | undefined {
  if (!values.has(draft)) values.set(draft, onlyValueOf(draft.text));
  const value = values.get(draft)?.value;
  return isObject(value) ? value : undefined;
}

/** A field of the text that names another object than the draft is for: what refers to the draft would not find it. */
export function keyProblem(draft: DraftObject): { readonly path: string; readonly message: string } | undefined {
  const value = valueOfDraft(draft);
  if (!value) return undefined;
  const metadata = isObject(value['metadata']) ? value['metadata'] : {};
  const { kind, namespace, name } = draft;
  const fields = [
    { path: 'kind', found: value['kind'], wanted: kind },
    { path: 'metadata.name', found: metadata['name'], wanted: name },
    { path: 'metadata.namespace', found: metadata['namespace'] ?? namespace, wanted: namespace },
  ];
  // A new system has no name where its text has none.
  const wrong = fields.find(({ found, wanted }) => wanted !== '' && found !== wanted);
  return wrong && { path: wrong.path, message: `must stay ${wrong.wanted}` };
}

export function specOfDraft(draft: DraftObject): Readonly<Record<string, unknown>> {
  const spec = valueOfDraft(draft)?.['spec'];
  return isObject(spec) ? spec : {};
}

/** The model that a drafted Agent names; empty while it names none. */
export function modelOf(agent: DraftObject): string {
  return specOf('Agent', { spec: specOfDraft(agent) }).model_ref ?? '';
}

/** The draft with one field of its object set, or removed where the value is undefined. */
export function withField(draft: DraftObject, path: YamlPath, value: unknown): DraftObject {
  const edit: DocumentEdit = value === undefined ? { op: 'delete', path } : { op: 'set', path, value };
  return { ...draft, text: editedText(draft.text, edit) };
}

/** The drafts as the canvas reads objects. */
export function draftedObjects(
  drafts: Drafts,
): ReadonlyMap<string, { readonly metadata: ResourceKey; readonly spec: Readonly<Record<string, unknown>> }> {
  return new Map([...drafts].map(([id, draft]) => [id, { metadata: draft, spec: specOfDraft(draft) }]));
}

/** Drafts of one kind, by name. */
export function draftsOf(drafts: Drafts, kind: string): readonly DraftObject[] {
  return [...drafts.values()].filter((draft) => draft.kind === kind).sort((a, b) => a.name.localeCompare(b.name));
}

const ORDER = ['Secret', 'ModelEndpoint', 'Tool', 'Memory', 'AgentRole', 'Agent'];

/** In the order in which a person reads them: what others refer to comes first. */
export function inReadingOrder(drafts: Drafts): readonly DraftObject[] {
  const rank = ({ kind }: DraftObject) => (ORDER.includes(kind) ? ORDER.indexOf(kind) : ORDER.length);
  return [...drafts.values()].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

const NOUNS: Readonly<Record<string, readonly [string, string]>> = {
  Secret: ['secret', 'secrets'],
  ModelEndpoint: ['model', 'models'],
  Tool: ['tool', 'tools'],
  Agent: ['agent', 'agents'],
  ToolPermission: ['tool permission', 'tool permissions'],
};

/** `1 model, 1 tool and 3 agents`. */
export function countedDrafts(drafts: Drafts): string {
  const counts = new Map<string, number>();
  for (const { kind } of inReadingOrder(drafts)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const parts = [...counts].map(([kind, count]) => {
    const [one, many] = NOUNS[kind] ?? [kind, `${kind}s`];
    return `${count} ${count === 1 ? one : many}`;
  });
  const last = parts.pop() ?? '';
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}
