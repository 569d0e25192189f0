// Changes of objects when an object gets another name: its own, and every reference to it. From the definitions of the kinds alone; pure.
import { isObject } from '@svc/shared/json';
import type { KindDefinition, LocalNames } from '@svc/shared/kinds/define';
import { kindFields, type Field } from '@svc/shared/kinds/kind-fields';
import { parsePath } from '@svc/shared/path-text';
import { describeKey, parseRef, type Resource, type ResourceKey } from '@svc/shared/resource';
import { LAYOUT_ANNOTATION, readLayout, writeLayout } from '../../../graph/layout.ts';
import { editValue, memberAt, type DocumentEdit } from '../../../yaml/edit-value.ts';
import { partEdits } from './part-names.ts';
import type { YamlPath } from '../../../yaml/path-text.ts';
import { editable } from '../../../yaml/serialise.ts';

export interface Rename {
  readonly from: ResourceKey;
  readonly to: string;
}

/** The parts of an object that references are read from. */
export interface Holder {
  readonly metadata: Pick<Resource['metadata'], 'namespace' | 'name' | 'annotations'>;
  readonly spec: Resource['spec'];
}

export const keyOf = ({ kind, metadata: { namespace, name } }: Resource): ResourceKey => ({ kind, namespace, name });
const sameKey = (a: ResourceKey, b: ResourceKey) => a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;

/** The reference as written, with or without a namespace, to the new name. */
export const renamedRef = (ref: string, to: string): string => (ref.includes('/') ? `${parseRef(ref, '').namespace}/${to}` : to);

/** Edits of the fields below `path` whose values are local names. A key of a map is content, not a field. */
function fieldEdits(value: unknown, { field, path, names, local }: FieldPlace): DocumentEdit[] {
  if (Array.isArray(value)) {
    const { item } = field;
    return item ? value.flatMap((each: unknown, index) => fieldEdits(each, { field: item, path: [...path, index], names, local })) : [];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]): DocumentEdit[] => {
    const below = field.type === 'object' ? field.children.get(key) : field.item;
    const renamed =
      field.type === 'object' && local.fields.includes(key) && typeof inner === 'string' ? names.get(inner.trim()) : undefined;
    if (renamed !== undefined) return [{ op: 'set', path: [...path, key], value: renamed }];
    return below ? fieldEdits(inner, { field: below, path: [...path, key], names, local }) : [];
  });
}

interface FieldPlace {
  readonly field: Field;
  readonly path: YamlPath;
  readonly names: ReadonlyMap<string, string>;
  readonly local: LocalNames;
}

/** Edits of the parts of a spec that are named by its references. */
function localEdits(spec: Holder['spec'], definition: KindDefinition, names: ReadonlyMap<string, string>): DocumentEdit[] {
  const local = definition.localNames;
  const parts = local && spec[local.map];
  const field = local && kindFields(definition)[0].children.get(local.map);
  if (!isObject(parts) || !field) return [];
  const path: YamlPath = ['spec', local.map];
  const keys = Object.keys(parts).flatMap((key): DocumentEdit[] => {
    const renamed = names.get(key.trim());
    return renamed === undefined ? [] : [{ op: 'rename', path: [...path, key], key: renamed }];
  });
  // Fields first: their paths hold the earlier keys.
  return [...fieldEdits(parts, { field, path, names, local }), ...keys];
}

/** Positions on a canvas are kept by the same names. */
function layoutEdits({ annotations }: Holder['metadata'], names: ReadonlyMap<string, string>): DocumentEdit[] {
  const kept = annotations[LAYOUT_ANNOTATION];
  if (kept === undefined) return [];
  const { direction, positions } = readLayout(kept);
  if (![...names.keys()].some((name) => positions.has(name))) return [];
  const moved = new Map([...positions].map(([name, at]) => [names.get(name) ?? name, at]));
  return [{ op: 'set', path: ['metadata', 'annotations', LAYOUT_ANNOTATION], value: writeLayout({ direction, positions: moved }) }];
}

/** Edits that let an object refer to the new name; none where it does not refer to the old one. */
export function renameEdits(holder: Holder, definition: KindDefinition, { from, to }: Rename): readonly DocumentEdit[] {
  const { namespace, name } = holder.metadata;
  const references = definition.references(holder.spec, { namespace, name }).filter((reference) => sameKey(reference, from));
  const names = new Map<string, string>();
  const edits = references.flatMap(({ path }): DocumentEdit[] => {
    const place = parsePath(path);
    const ref = memberAt(holder, place);
    if (typeof ref !== 'string') return [];
    const renamed = renamedRef(ref.trim(), to);
    if (place[1] === definition.localNames?.list) names.set(ref.trim(), renamed);
    return [{ op: 'set', path: place, value: renamed }];
  });
  if (names.size === 0) return edits;
  return [...edits, ...localEdits(holder.spec, definition, names), ...layoutEdits(holder.metadata, names)];
}

export interface PlannedDocument {
  /** The stored object; for the renamed one that under its earlier name. */
  readonly base: Resource;
  readonly document: object;
  readonly edits: readonly DocumentEdit[];
}

export interface RenamePlan {
  /** The renamed object. */
  readonly object: PlannedDocument;
  /** Objects whose references change. */
  readonly referrers: readonly PlannedDocument[];
  /** Records and fixed specs, which keep the earlier name. */
  readonly unchanged: readonly ResourceKey[];
  /** Objects that have a part of the new name already. */
  readonly taken: readonly ResourceKey[];
}

/** Whether people change the specs of a kind; records of what ran say what was. */
const isWritable = ({ fixedSpec, serviceManaged, isRecord, declared }: KindDefinition): boolean =>
  !fixedSpec && !serviceManaged && (!isRecord || declared !== false);

function edited(base: Resource, edits: readonly DocumentEdit[]): PlannedDocument {
  const document = edits.reduce<unknown>((value, edit) => editValue(value, edit)?.value ?? value, editable(base));
  return { base, document: document as object, edits };
}

export interface PartOwner {
  readonly key: ResourceKey;
  /** Names of the object in it, with or without a namespace. */
  readonly names: readonly string[];
}

/** Holders in which the object is a part with a name: the systems of an agent. */
export function ownersOf(
  holders: readonly Resource[],
  from: ResourceKey,
  definitionOf: RenameContext['definitionOf'],
): readonly PartOwner[] {
  return holders.flatMap((holder) => {
    const definition = definitionOf(holder.kind);
    const list = definition?.localNames?.list;
    if (!definition || list === undefined) return [];
    const names = definition
      .references(holder.spec, holder.metadata)
      .filter((reference) => reference.path.startsWith(`spec.${list}[`) && sameKey(reference, from))
      .map(({ path }) => memberAt(holder, parsePath(path)))
      .filter((name) => typeof name === 'string');
    return names.length === 0 ? [] : [{ key: keyOf(holder), names: names.map((name) => name.trim()) }];
  });
}

export interface RenameContext {
  /** Objects that refer to the object. An object may refer to itself. */
  readonly holders: readonly Resource[];
  /** Objects that may use its name in a holder, as Sessions use agents of their system. */
  readonly users?: readonly Resource[];
  readonly to: string;
  readonly definitionOf: (kind: string) => KindDefinition | undefined;
}

export function renamePlan(object: Resource, { holders, users = [], to, definitionOf }: RenameContext): RenamePlan {
  const from = keyOf(object);
  const editsOf = (holder: Resource) => {
    const definition = definitionOf(holder.kind);
    return definition && isWritable(definition) ? renameEdits(holder, definition, { from, to }) : [];
  };
  const owners = ownersOf(holders, from, definitionOf);
  const parts = new Map(owners.map(({ key, names }) => [describeKey(key), new Map(names.map((name) => [name, renamedRef(name, to)]))]));
  const takes = ({ kind, metadata, spec }: Resource) => {
    const definition = definitionOf(kind);
    const list = definition?.localNames && `spec.${definition.localNames.list}[`;
    const references = list === undefined ? [] : (definition?.references(spec, metadata) ?? []);
    return references.some((reference) => reference.path.startsWith(list ?? '') && sameKey(reference, { ...from, name: to }));
  };
  const others = holders.filter((holder) => holder.metadata.uid !== object.metadata.uid);
  const planned = others.map((holder) => edited(holder, editsOf(holder)));
  return {
    object: edited(object, [...editsOf(object), { op: 'set', path: ['metadata', 'name'], value: to }]),
    referrers: [...planned, ...users.map((user) => edited(user, partEdits(user, definitionOf(user.kind), parts)))].filter(
      ({ edits }) => edits.length > 0,
    ),
    unchanged: planned.filter(({ edits }) => edits.length === 0).map(({ base }) => keyOf(base)),
    taken: others.filter(takes).map(keyOf),
  };
}

/** One transaction: the object under its new name, its referrers, and the removal of the earlier object. */
export function renameRequest({ object, referrers }: RenamePlan) {
  const versionOf = ({ metadata: { uid, resourceVersion } }: Resource) => ({ uid, resourceVersion });
  const { kind, metadata } = object.base;
  return {
    namespace: metadata.namespace,
    documents: [object, ...referrers].map(({ document }) => document),
    preconditions: [{ mustNotExist: true as const }, ...referrers.map(({ base }) => versionOf(base))],
    removals: [{ kind, namespace: metadata.namespace, name: metadata.name, ...versionOf(object.base) }],
  };
}

/** Equal for plans that write the same: versions of objects grow by writes to statuses too. */
export function contentOf({ object, referrers }: RenamePlan): string {
  return JSON.stringify([object, ...referrers].map(({ base, document }) => [describeKey(keyOf(base)), document]));
}
