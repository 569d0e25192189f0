// Schema of each place in a kind's YAML: fields, types, meanings, allowed values. Pure; independent of editor and text.
import type { KindDefinition } from '@svc/shared/kinds/define';
import { metaOf, shapeOf } from '@svc/shared/kinds/schema-walk';
import { API_VERSION } from '@svc/shared/resource';
import type { YamlPath } from './path-text.ts';

/** The zod schema type, derived from the definition, so that zod itself stays in the definitions' chunk. */
type Schema = KindDefinition['spec'];

export interface SchemaNode {
  readonly type: 'object' | 'list' | 'map' | 'string' | 'integer' | 'number' | 'boolean' | 'any' | 'choice';
  readonly description: string;
  readonly required: boolean;
  /** The default in words. */
  readonly defaultText: string | undefined;
  /** Allowed values; for a list those of its entries. */
  readonly values: readonly string[];
  /** `duration`, `cron`, `time-zone`, `secret`, `ref:Secret`, …; for a list or map that of its entries. */
  readonly format: string | undefined;
  /** Fields of an object. */
  readonly fields: ReadonlyMap<string, SchemaNode>;
  /** Schema of the entries of a list, or of the values of a map. */
  readonly item: SchemaNode | undefined;
  /** Possible shapes of a choice. */
  readonly options: readonly SchemaNode[];
}

interface Given {
  readonly description?: string;
  readonly required?: boolean;
  readonly defaultText?: string;
  readonly values?: readonly string[];
  readonly format?: string;
}

function node(type: SchemaNode['type'], given: Given & Partial<Pick<SchemaNode, 'fields' | 'item' | 'options'>> = {}): SchemaNode {
  return {
    type,
    description: given.description ?? '',
    required: given.required ?? false,
    defaultText: given.defaultText,
    values: given.values ?? [],
    format: given.format,
    fields: given.fields ?? new Map<string, SchemaNode>(),
    item: given.item,
    options: given.options ?? [],
  };
}

/** The node of a zod schema. `outer` is the metadata of a list or map for its entries, used where the entry has none itself. */
function nodeOfSchema(schema: Schema, outer: Given = {}): SchemaNode {
  const own = metaOf(schema);
  const meta: Given = {
    ...own,
    ...(own.format === undefined && outer.format !== undefined && { format: outer.format }),
    ...(own.values === undefined && outer.values !== undefined && { values: outer.values }),
  };
  const shape = shapeOf(schema);
  const entries: Given = {
    ...(meta.format !== undefined && { format: meta.format }),
    ...(meta.values !== undefined && { values: meta.values }),
  };
  switch (shape.type) {
    case 'object':
      return node('object', {
        ...meta,
        fields: new Map(Object.entries(shape.fields).map(([name, field]) => [name, nodeOfSchema(field)])),
      });
    case 'list':
      return node('list', { ...meta, item: nodeOfSchema(shape.item, entries) });
    case 'map':
      return node('map', { ...meta, item: nodeOfSchema(shape.value, entries) });
    case 'union':
      return node('choice', { ...meta, options: shape.options.map((option) => nodeOfSchema(option, entries)) });
    default:
      return node(shape.type, meta);
  }
}

const textMap = (description: string) =>
  node('map', { description, item: node('string', { description: 'A text; quote numbers and true or false.' }) });

function metadataNode(namespace: string): SchemaNode {
  return node('object', {
    description: 'Name, namespace, labels and annotations.',
    required: true,
    fields: new Map([
      ['name', node('string', { description: 'Name of the object: letters, digits, ".", "_", "-"; at most 253.', required: true })],
      ['namespace', node('string', { description: 'Namespace it lives in.', defaultText: namespace, format: 'namespace' })],
      ['labels', textMap('Words to select objects by, `team: payments`.')],
      ['annotations', textMap('Notes for people and tools; nothing selects by them.')],
    ]),
  });
}

export interface EnvelopeOptions {
  /** Definition of the document's kind, when it names one that exists. */
  readonly definition: KindDefinition | undefined;
  readonly kinds: readonly KindDefinition[];
  readonly namespace: string;
}

const specs = new WeakMap<KindDefinition, SchemaNode>();

/** The spec of a kind. Built once per definition. */
export function specNode(definition: KindDefinition): SchemaNode {
  const known = specs.get(definition);
  if (known) return known;
  const { fields, ...rest } = nodeOfSchema(definition.spec);
  const made = { ...rest, fields, description: `Desired state. ${definition.description}`, required: true };
  specs.set(definition, made);
  return made;
}

/** A whole document: apiVersion, kind, metadata, spec. */
export function envelopeNode({ definition, kinds, namespace }: EnvelopeOptions): SchemaNode {
  return node('object', {
    description: definition?.description ?? 'An object of the service.',
    fields: new Map([
      ['apiVersion', node('string', { description: 'Version of the format.', required: true, values: [API_VERSION] })],
      ['kind', node('string', { description: 'What the object is.', required: true, values: kinds.map((each) => each.kind) })],
      ['metadata', metadataNode(namespace)],
      [
        'spec',
        definition ? specNode(definition) : node('any', { description: 'Desired state; its fields follow from the kind.', required: true }),
      ],
    ]),
  });
}

/** The shape of a choice that has fields or entries, else the choice itself. */
function walkable(schema: SchemaNode): SchemaNode {
  if (schema.type !== 'choice') return schema;
  return schema.options.find((option) => option.type === 'object' || option.type === 'list' || option.type === 'map') ?? schema;
}

/** The node of a key or an entry below `schema`. */
export function childNode(schema: SchemaNode, segment: string | number): SchemaNode | undefined {
  const at = walkable(schema);
  if (at.type === 'object') return at.fields.get(String(segment));
  if (at.type === 'list') return typeof segment === 'number' ? at.item : undefined;
  return at.type === 'map' ? at.item : undefined;
}

/** The node at a path; undefined where the kind has no such field. */
export function nodeAt(root: SchemaNode, path: YamlPath): SchemaNode | undefined {
  let at: SchemaNode | undefined = root;
  for (const segment of path) at = at && childNode(at, segment);
  return at;
}

/** Fields in the order of offers: required first, then as the definition has them. */
export function fieldsInOrder(schema: SchemaNode): readonly (readonly [string, SchemaNode])[] {
  const entries = [...walkable(schema).fields];
  return [...entries.filter(([, field]) => field.required), ...entries.filter(([, field]) => !field.required)];
}

/** The kind that a field refers to, `Secret` of `ref:Secret`. */
export function refKind(schema: SchemaNode | undefined): string | undefined {
  return schema?.format?.startsWith('ref:') ? schema.format.slice(4) : undefined;
}

const TYPE_TEXT: Readonly<Record<SchemaNode['type'], string>> = {
  object: 'object',
  list: 'list',
  map: 'map',
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  any: 'anything',
  choice: '',
};

/** The type in words: `list of text`, `name of a Secret`. */
export function typeText(schema: SchemaNode): string {
  const ref = refKind(schema);
  if (schema.type === 'list' && schema.item) return `list of ${ref === undefined ? typeText(schema.item) : `${ref} names`}`;
  if (schema.type === 'map' && schema.item) return `map of ${typeText(schema.item)}`;
  if (schema.type === 'choice') return [...new Set(schema.options.map(typeText))].join(' or ');
  if (ref !== undefined) return `name of ${/^[AEIOU]/.test(ref) ? 'an' : 'a'} ${ref}`;
  if (schema.format === 'duration' || schema.format === 'cron') return schema.format;
  return TYPE_TEXT[schema.type];
}
