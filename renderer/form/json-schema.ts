// Maps an untrusted JSON Schema to controls of a form. Pure; never throws, whatever the schema contains.
import { filledText, isObject, type Json, type JsonObject } from '@svc/shared/json';

/** A field's name in words, in schemas of our kinds. A symbol, so that no third-party schema can rename a field. */
export const WORDS = Symbol('words');

export type JsonSchema = Readonly<Record<string, unknown>> & { readonly [WORDS]?: string };

/** Control of a part of a value. `json` takes all shapes that the others cannot draw. */
type Control =
  | { readonly type: 'text'; readonly format: string | undefined; readonly long: boolean }
  | { readonly type: 'number'; readonly whole: boolean }
  | { readonly type: 'boolean' }
  | { readonly type: 'enum'; readonly values: readonly Json[] }
  | { readonly type: 'const'; readonly value: Json }
  | { readonly type: 'object'; readonly fields: readonly ObjectField[]; readonly others: JsonSchema | undefined }
  | { readonly type: 'list'; readonly item: JsonSchema }
  | { readonly type: 'choice'; readonly options: readonly JsonSchema[] }
  | { readonly type: 'json' };

export interface ObjectField {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

export interface Drawing {
  readonly schema: JsonSchema;
  readonly control: Control;
  readonly nullable: boolean;
  readonly title: string | undefined;
  /** The name in words, for fields of our kinds: shown before the name. */
  readonly words: string | undefined;
  readonly description: string | undefined;
}

const REFS_MAX = 20;
const LONG_TEXT_FROM = 80;
const FIELDS_MAX = 500;
const PARTS_MAX = 1000;

function schemaOf(value: unknown): JsonSchema {
  return isObject(value) ? value : {};
}

/** Resolves a local `$ref`; keywords beside it count too. Remote and endless refs are left as they are. */
function dereferenced(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let at = schema;
  for (let hops = 0; typeof at.$ref === 'string' && at.$ref.startsWith('#') && hops < REFS_MAX; hops += 1) {
    const { $ref, ...beside } = at;
    const target = pointedAt(root, $ref);
    if (!target) return beside;
    at = { ...target, ...beside };
  }
  return at;
}

function pointedAt(root: JsonSchema, ref: string): JsonSchema | undefined {
  let at: unknown = root;
  for (const part of ref.slice(1).split('/').slice(1)) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isObject(at) || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return isObject(at) ? at : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** `allOf` of plain objects as one schema; later parts add fields and requirements. */
function merged(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (!Array.isArray(schema.allOf)) return schema;
  const { allOf, ...own } = schema;
  const parts = (allOf as unknown[]).slice(0, FIELDS_MAX).map((part) => dereferenced(schemaOf(part), root));
  return [own, ...parts].reduce<Record<string, unknown>>(
    (all, part) => ({
      ...all,
      ...part,
      ...(isObject(all.properties) && isObject(part.properties) && { properties: { ...all.properties, ...part.properties } }),
      ...(Array.isArray(all.required) &&
        Array.isArray(part.required) && { required: [...(all.required as unknown[]), ...(part.required as unknown[])] }),
    }),
    {},
  );
}

const NULL_ONLY = (schema: unknown) => isObject(schema) && (schema.type === 'null' || schema.const === null);

interface Plain {
  readonly schema: JsonSchema;
  readonly nullable: boolean;
}

/** Removes null from types, enums and choices: it is a property of the field, not a shape. */
function withoutNull(schema: JsonSchema): Plain {
  const types = Array.isArray(schema.type) ? (schema.type as unknown[]) : undefined;
  if (types?.includes('null')) {
    const rest = types.filter((type) => type !== 'null');
    return { schema: { ...schema, type: rest.length === 1 ? rest[0] : rest }, nullable: true };
  }
  for (const key of ['anyOf', 'oneOf'] as const) {
    const options: unknown = schema[key];
    if (!Array.isArray(options) || !options.some(NULL_ONLY)) continue;
    const rest = (options as unknown[]).filter((option) => !NULL_ONLY(option));
    const { [key]: _, ...own } = schema;
    return { schema: rest.length === 1 ? { ...schemaOf(rest[0]), ...own } : { ...own, [key]: rest }, nullable: true };
  }
  return { schema, nullable: schema.nullable === true };
}

function objectControl(schema: JsonSchema): Control {
  const properties = schemaOf(schema.properties);
  const required = new Set(Array.isArray(schema.required) ? (schema.required as unknown[]) : []);
  const names = Object.keys(properties).slice(0, FIELDS_MAX);
  const fields = names.map((name) => ({ name, schema: schemaOf(properties[name]), required: required.has(name) }));
  const others = schema.additionalProperties === false ? undefined : schemaOf(schema.additionalProperties);
  return { type: 'object', fields, others };
}

function textControl(schema: JsonSchema, value: Json | undefined): Control {
  const written = typeof value === 'string' && (value.length > LONG_TEXT_FROM || value.includes('\n'));
  const long = written || (typeof schema.maxLength === 'number' && schema.maxLength > 500) || schema.contentMediaType !== undefined;
  return { type: 'text', format: filledText(schema.format), long };
}

function typeOf(schema: JsonSchema, value: Json | undefined): unknown {
  if (typeof schema.type === 'string') return schema.type;
  if (isObject(schema.properties)) return 'object';
  if (isObject(schema.items)) return 'array';
  if (Array.isArray(schema.type)) return undefined;
  // Without a type the present value decides the control.
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value;
  return undefined;
}

function controlOf(schema: JsonSchema, value: Json | undefined): Control {
  if (Object.hasOwn(schema, 'const')) return { type: 'const', value: schema.const as Json };
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return { type: 'enum', values: schema.enum as Json[] };
  const options = Array.isArray(schema.oneOf) ? schema.oneOf : schema.anyOf;
  if (Array.isArray(options) && options.length > 0) return { type: 'choice', options: (options as unknown[]).map(schemaOf) };
  switch (typeOf(schema, value)) {
    case 'object':
      return value === undefined || value === null || isObject(value) ? objectControl(schema) : { type: 'json' };
    case 'array':
      return (value === undefined || value === null || Array.isArray(value)) && !Array.isArray(schema.items)
        ? { type: 'list', item: schemaOf(schema.items) }
        : { type: 'json' };
    case 'string':
      return typeof value === 'object' && value !== null ? { type: 'json' } : textControl(schema, value);
    case 'number':
    case 'integer':
      return typeof value === 'object' && value !== null ? { type: 'json' } : { type: 'number', whole: schema.type === 'integer' };
    case 'boolean':
      return value === undefined || value === null || typeof value === 'boolean' ? { type: 'boolean' } : { type: 'json' };
    default:
      return { type: 'json' };
  }
}

/** Control for the value of a schema. `root` is the whole schema, for its `$ref`s. */
export function drawingOf(schema: JsonSchema, value: Json | undefined, root: JsonSchema): Drawing {
  const known = merged(dereferenced(schema, root), root);
  const outer = withoutNull(known);
  const plain = merged(dereferenced(outer.schema, root), root);
  const { schema: inner, nullable } = withoutNull(plain);
  return {
    schema: inner,
    control: controlOf(inner, value),
    nullable: outer.nullable || nullable,
    title: filledText(known.title),
    words: known[WORDS],
    description: filledText(known.description),
  };
}

/** Initial value of a new part: its default, its only value, or the empty one of its type. */
export function startValue(schema: JsonSchema, root: JsonSchema): Json {
  return start(schema, { root, left: PARTS_MAX }, 0);
}

interface Start {
  readonly root: JsonSchema;
  /** Parts that may still be made: several parts that hold their own schema would double at each level. */
  left: number;
}

function start(schema: JsonSchema, all: Start, depth: number): Json {
  all.left -= 1;
  const further = depth < REFS_MAX && all.left > 0;
  const { control, schema: known } = drawingOf(schema, undefined, all.root);
  if (Object.hasOwn(known, 'default')) return known.default as Json;
  switch (control.type) {
    case 'const':
      return control.value;
    case 'enum':
      return control.values[0] ?? null;
    case 'text':
      return '';
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'list':
      return [];
    case 'choice':
      return further ? start(control.options[0] ?? {}, all, depth + 1) : null;
    case 'object':
      return further ? startObject(control.fields, all, depth) : {};
    case 'json':
      return null;
  }
}

function startObject(fields: readonly ObjectField[], all: Start, depth: number): JsonObject {
  const begun = fields.filter(({ schema, required }) => required || Object.hasOwn(schema, 'default'));
  return Object.fromEntries(begun.map(({ name, schema }) => [name, start(schema, all, depth + 1)]));
}

/** Reads any value as a schema: text, null or a list give one that accepts anything. */
export function readSchema(schema: unknown): JsonSchema {
  return schemaOf(schema);
}
