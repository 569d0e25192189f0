// A kind's fields as data, read from its schemas: name, type, meaning, default, allowed values, and the fields below.
import { z } from 'zod';
import type { KindDefinition } from './define.ts';

/** The parts of a JSON Schema that kind definitions produce, with the field metadata that travels along. */
interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly required?: boolean | readonly string[];
  readonly defaultText?: string;
  readonly values?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema;
  readonly additionalProperties?: FieldSchema | boolean;
  readonly anyOf?: readonly FieldSchema[];
}

export interface Field {
  readonly name: string;
  /** `string`, `[]string`, `map[string]object`, … */
  readonly type: string;
  readonly description: string;
  readonly required: boolean;
  readonly defaultText: string | undefined;
  readonly values: readonly string[];
  readonly format: string | undefined;
  readonly schema: FieldSchema;
}

function typeName(schema: FieldSchema): string {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeName))].join(' or ');
  if (schema.type === 'array') return `[]${typeName(schema.items ?? {})}`;
  if (schema.type === 'object' && !schema.properties && typeof schema.additionalProperties === 'object')
    return `map[string]${typeName(schema.additionalProperties)}`;
  return schema.type ?? 'any';
}

function toField(name: string, schema: FieldSchema): Field {
  return {
    name,
    type: typeName(schema),
    description: schema.description ?? '',
    required: schema.required === true,
    defaultText: schema.defaultText,
    values: schema.values ?? (schema.enum ?? []).map(String),
    format: schema.format,
    schema,
  };
}

/** The object whose keys are fields: the schema itself, a list's items, a map's values, or a union's object. */
function objectOf(schema: FieldSchema | undefined): FieldSchema | undefined {
  if (!schema || schema.properties) return schema;
  if (schema.items) return objectOf(schema.items);
  if (schema.anyOf) return schema.anyOf.map(objectOf).find((each) => each?.properties);
  return typeof schema.additionalProperties === 'object' ? objectOf(schema.additionalProperties) : undefined;
}

export function childFields(field: Field): Field[] {
  return Object.entries(objectOf(field.schema)?.properties ?? {}).map(([name, schema]) => toField(name, schema));
}

/** `spec` and `status` of a kind. */
export function kindFields(kind: KindDefinition): Field[] {
  const schemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as unknown as FieldSchema;
  return [
    toField('spec', { description: 'What is wanted.', ...schemaOf(kind.spec) }),
    toField('status', { description: 'What is; written by the service.', ...schemaOf(kind.status) }),
  ];
}

/** The field at a path; list indexes and map keys are left out of it. */
export function fieldAt(roots: readonly Field[], path: readonly string[]): Field | undefined {
  let fields = roots;
  let found: Field | undefined;
  for (const name of path) {
    found = fields.find((field) => field.name === name);
    if (!found) return undefined;
    fields = childFields(found);
  }
  return found;
}
