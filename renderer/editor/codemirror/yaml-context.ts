// Inputs of the YAML extensions besides the text: the kinds, the namespace, and a lookup of names. Held in the editor's state.
import type { EditorState } from '@codemirror/state';
import { Facet } from '@codemirror/state';
import { isMap } from 'yaml';
import { kindNamed } from '../../kinds/kind-table.ts';
import { schemaOf } from '../../yaml/check-text.ts';
import type { Field } from '@svc/shared/kinds/kind-fields';
import { type YamlPath } from '../../yaml/path-text.ts';
import { documentAt, keyOf, parseYaml, type YamlDocument } from '../../yaml/yaml-paths.ts';
import type { KindDefinitions } from '../../kinds/definitions.ts';

/** Names requested at once; typing more finds the others. */
export const NAMES_MAX = 50;

export interface NamedObject {
  readonly namespace: string;
  readonly name: string;
  readonly phase?: string | undefined;
}

export interface YamlSurroundings {
  /** Undefined until the definitions are loaded. */
  readonly known: KindDefinitions | undefined;
  readonly load: () => Promise<KindDefinitions>;
  readonly namespace: string;
  readonly kind: string | undefined;
  /** Objects of a kind whose names match; own namespace first. */
  readonly namesOf: (kind: string, text: string, signal: AbortSignal) => Promise<readonly NamedObject[]>;
  readonly namespaces: () => Promise<readonly string[]>;
  /** The address of an object's page. */
  readonly addressOf: (kind: string, ref: string) => string;
}

export const yamlSurroundings = Facet.define<YamlSurroundings, YamlSurroundings | undefined>({ combine: (values) => values[0] });

export interface DocumentSchema {
  readonly document: YamlDocument;
  readonly schema: Field;
}

/** The document at an offset with its schema; undefined without one. */
export function documentSchemaAt(state: EditorState, offset: number, known: KindDefinitions): DocumentSchema | undefined {
  const around = state.facet(yamlSurroundings);
  const document = around && documentAt(parsedYaml(state), offset);
  if (!document) return undefined;
  const { namespace, kind } = around;
  return { document, schema: schemaOf(document, { known, namespace, kind }).schema };
}

const parsed = new WeakMap<EditorState['doc'], readonly YamlDocument[]>();

/** The documents of the state's text, parsed once per text. */
function parsedYaml(state: EditorState): readonly YamlDocument[] {
  const known = parsed.get(state.doc);
  if (known) return known;
  const made = parseYaml(state.doc.toString());
  parsed.set(state.doc, made);
  return made;
}

/** Keys of the map at a path. */
export function keysAt({ document }: YamlDocument, path: YamlPath): ReadonlySet<string> {
  const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
  return new Set(isMap(node) ? node.items.map(keyOf) : []);
}

/** Places where a kind refers to its own parts: the agents of a system in its graph. */
export function localNames({ document }: YamlDocument, path: YamlPath): readonly string[] {
  const local = kindNamed(String(document.getIn(['kind'])))?.localNames;
  if (!local || path[0] !== 'spec' || path[1] !== local.map || !(path.length === 2 || local.fields.includes(String(path.at(-1)))))
    return [];
  const names: unknown = (document.toJS() as { spec?: Readonly<Record<string, unknown>> } | null)?.spec?.[local.list];
  return Array.isArray(names) ? names.filter((each): each is string => typeof each === 'string') : [];
}
