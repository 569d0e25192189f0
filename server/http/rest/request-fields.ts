// Fields of the body of an action, judged by the schema that its route declares. Independent of what the fields mean.
import { invalidFields, ServiceError, type FieldError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import { didYouMean, SUGGESTED_MAX } from '@svc/shared/nearest-word';
import { fieldValidationOf } from '../check-parameters.ts';
import { onlyDocument } from '../body/documents.ts';
import type { Call, JsonSchema } from '../route.ts';
import { COMPONENT_SCHEMAS } from './schemas.ts';

export type Fields = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, JsonSchema>>;

const NAME_SHOWN_MAX = 100;

/** Drops nulls, which are as if absent, and unknown fields, whose paths it adds to `unknown`. */
function knownFields(body: Fields, properties: Schemas, unknown: [path: string, hint: string][]): Fields {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined) {
      const hint = unknown.length < SUGGESTED_MAX ? didYouMean(name, Object.keys(properties)) : '';
      unknown.push([name.slice(0, NAME_SHOWN_MAX), hint]);
    } else if (isObject(value) && schema['properties'] !== undefined) {
      const inner: typeof unknown = [];
      fields[name] = knownFields(value, schema['properties'] as typeof properties, inner);
      for (const [path, hint] of inner) unknown.push([`${name}.${path}`, hint]);
    } else if (value !== null) {
      fields[name] = value;
    }
  }
  return fields;
}

const TYPES: Readonly<Record<string, readonly [fits: (value: unknown) => boolean, message: string]>> = {
  string: [(value) => typeof value === 'string', 'must be a string'],
  boolean: [(value) => typeof value === 'boolean', 'must be true or false'],
  object: [isObject, 'must be an object'],
};

/** Values that have another type than their schema. Everything else that a schema says is judged by what reads the value. */
function typeErrors(value: unknown, schema: JsonSchema, path: string): FieldError[] {
  const [fits, message = ''] = TYPES[String(schema['type'])] ?? [];
  if (fits?.(value) === false) return [{ path, message }];
  const { properties = {}, additionalProperties: others } = schema as {
    readonly properties?: Schemas;
    readonly additionalProperties?: unknown;
  };
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const known = Object.hasOwn(properties, key) ? properties[key] : others;
    return isObject(known) ? typeErrors(each, known, path === '' ? key : `${path}.${key}`) : [];
  });
}

/**
 * Fields of a body whose schema is a component, with the types of that schema; none for an empty body. A schema that takes no others refuses
 * unknown fields; elsewhere `fieldValidation` decides, as it does for resources.
 */
export async function readFields<T extends object = Fields>(call: Call): Promise<Partial<T>> {
  const name = String(call.bodySchema['$ref']).split('/').at(-1) ?? '';
  const schema = COMPONENT_SCHEMAS[name];
  if (schema === undefined) throw new Error('the body of this route has no component schema to read its fields by');
  const { properties = {}, additionalProperties } = schema;
  const documents = await call.readDocuments();
  const body = documents.length === 0 ? {} : onlyDocument(documents);
  if (!isObject(body)) throw new ServiceError('invalid', 'The body must be an object');
  const unknown: [string, string][] = [];
  const fields = knownFields(body, properties as Schemas, unknown);
  const validation = additionalProperties === false ? 'Strict' : fieldValidationOf(call.query);
  if (validation === 'Strict' && unknown.length > 0) {
    const takes = `it takes ${Object.keys(properties as object).join(', ')}`;
    throw invalidFields(
      'The request',
      unknown.map(([path, hint]) => ({ path, message: `is not a field of this request${hint}; ${takes}` })),
    );
  }
  const errors = typeErrors(fields, schema, '');
  if (errors.length > 0) throw invalidFields('The request', errors);
  if (validation !== 'Ignore') call.warn(unknown.map(([path, hint]) => `unknown field "${path}" was ignored${hint}`));
  return fields as Partial<T>;
}
