// A kind's fields as the schema that forms draw. Pure.
import type { Field } from '@svc/shared/kinds/kind-fields';
import { isWriteOnly } from '../kinds/kind-table.ts';
import { fieldTitle } from '../kinds/field-titles.ts';
import { nodeAt, refKind } from '../yaml/schema-source.ts';
import { WORDS, type JsonSchema } from './json-schema.ts';

/** Fields that contain prose. */
const LONG_TEXT: ReadonlySet<string> = new Set(['prompt']);

function describe({ description, defaultText }: Field): string {
  const words = description.replace(/`([^`]*)`/g, '“$1”');
  return defaultText === undefined ? words : `${words} Default: ${defaultText}.`;
}

function fieldsOf(node: Field): JsonSchema {
  const fields = [...node.fields];
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, { ...schemaOfNode(field, name), [WORDS]: fieldTitle(name) }])),
    required: fields.filter(([, field]) => field.required).map(([name]) => name),
    additionalProperties: false,
  };
}

function shapeOf(node: Field, name: string): JsonSchema {
  switch (node.type) {
    case 'object':
      return fieldsOf(node);
    case 'list':
      return { type: 'array', items: node.item ? schemaOfNode(node.item, name) : {} };
    case 'map':
      return { type: 'object', additionalProperties: node.item ? schemaOfNode(node.item, '') : {} };
    case 'union':
      return { anyOf: node.options.map((option) => schemaOfNode(option, name)) };
    case 'any':
      return {};
    case 'string': {
      if (node.values.length > 0) return { type: 'string', enum: node.values };
      const format = refKind(node) === undefined ? node.format : `ref:${refKind(node)}`;
      return { type: 'string', ...(format !== undefined && { format }), ...(LONG_TEXT.has(name) && { contentMediaType: 'text/plain' }) };
    }
    default:
      return { type: node.type };
  }
}

/** The schema of a node, its description with the default in words. */
function schemaOfNode(node: Field, name = ''): JsonSchema {
  const description = describe(node);
  return { ...shapeOf(node, name), ...(description !== '' && { description }) };
}

export interface KindParts {
  readonly spec: JsonSchema;
  readonly labels: JsonSchema;
}

/** Parts of a kind that its form draws. `envelope` is that of a document of the kind. */
export function kindParts(envelope: Field, kind: string): KindParts {
  const spec = nodeAt(envelope, ['spec']);
  const labels = nodeAt(envelope, ['metadata', 'labels']);
  const whole = spec ? fieldsOf(spec) : {};
  const { data: _, ...written } = (whole.properties ?? {}) as Record<string, unknown>;
  // A Secret's stored values are not available here; new ones go under stringData.
  return { spec: isWriteOnly(kind) ? { ...whole, properties: written } : whole, labels: labels ? schemaOfNode(labels) : {} };
}
