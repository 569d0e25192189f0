// Schema of each place in a kind's YAML: fields, types, meanings, allowed values. Pure; independent of editor and text.
import type { KindDefinition } from '@svc/shared/kinds/define';
import { kindFields, makeField, type Field, type FieldType } from '@svc/shared/kinds/kind-fields';
import { API_VERSION } from '@svc/shared/resource';
import type { YamlPath } from './path-text.ts';

const textMap = (description: string) =>
  makeField('', 'map', { description, item: makeField('', 'string', { description: 'A text; quote numbers and true or false.' }) });

function metadataNode(namespace: string): Field {
  return makeField('', 'object', {
    description: 'Name, namespace, labels and annotations.',
    required: true,
    fields: new Map([
      [
        'name',
        makeField('name', 'string', { description: 'Name of the object: letters, digits, ".", "_", "-"; at most 253.', required: true }),
      ],
      [
        'namespace',
        makeField('namespace', 'string', { description: 'Namespace of the object.', defaultText: namespace, format: 'namespace' }),
      ],
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

/** The spec of a kind. */
function specField(definition: KindDefinition): Field {
  return { ...kindFields(definition)[0], description: `Desired state. ${definition.description}`, required: true };
}

/** A whole document: apiVersion, kind, metadata, spec. */
export function envelopeNode({ definition, kinds, namespace }: EnvelopeOptions): Field {
  return makeField('', 'object', {
    description: definition?.description ?? 'An object of the service.',
    fields: new Map([
      ['apiVersion', makeField('apiVersion', 'string', { description: 'Version of the format.', required: true, values: [API_VERSION] })],
      ['kind', makeField('kind', 'string', { description: 'What the object is.', required: true, values: kinds.map((each) => each.kind) })],
      ['metadata', metadataNode(namespace)],
      [
        'spec',
        definition
          ? specField(definition)
          : makeField('spec', 'any', { description: 'Desired state; its fields follow from the kind.', required: true }),
      ],
    ]),
  });
}

/** The shape of a union that has fields or entries, else the union itself. */
function walkable(schema: Field): Field {
  if (schema.type !== 'union') return schema;
  return schema.options.find((option) => option.type === 'object' || option.type === 'list' || option.type === 'map') ?? schema;
}

/** The node of a key or an entry below `schema`. */
export function childNode(schema: Field, segment: string | number): Field | undefined {
  const at = walkable(schema);
  if (at.type === 'object') return at.fields.get(String(segment));
  if (at.type === 'list') return typeof segment === 'number' ? at.item : undefined;
  return at.type === 'map' ? at.item : undefined;
}

/** The node at a path; undefined where the kind has no such field. */
export function nodeAt(root: Field, path: YamlPath): Field | undefined {
  let at: Field | undefined = root;
  for (const segment of path) at = at && childNode(at, segment);
  return at;
}

/** Fields in the order of offers: required first, then as the definition has them. */
export function fieldsInOrder(schema: Field): readonly (readonly [string, Field])[] {
  const entries = [...walkable(schema).fields];
  return [...entries.filter(([, field]) => field.required), ...entries.filter(([, field]) => !field.required)];
}

/** The kind that a field refers to, `Secret` of `ref:Secret`. */
export function refKind(schema: Field | undefined): string | undefined {
  return schema?.format?.startsWith('ref:') ? schema.format.slice(4) : undefined;
}

const TYPE_TEXT: Readonly<Record<FieldType, string>> = {
  object: 'object',
  list: 'list',
  map: 'map',
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  any: 'anything',
  union: '',
};

/** The type in words: `list of text`, `name of a Secret`. */
export function typeText(schema: Field): string {
  const ref = refKind(schema);
  if (schema.type === 'list' && schema.item) return `list of ${ref === undefined ? typeText(schema.item) : `${ref} names`}`;
  if (schema.type === 'map' && schema.item) return `map of ${typeText(schema.item)}`;
  if (schema.type === 'union') return [...new Set(schema.options.map(typeText))].join(' or ');
  if (ref !== undefined) return `name of ${/^[AEIOU]/.test(ref) ? 'an' : 'a'} ${ref}`;
  if (schema.format === 'duration' || schema.format === 'cron') return schema.format;
  return TYPE_TEXT[schema.type];
}
