// Cost of a JSON Schema before it is compiled: how many subschemas one value may meet, how large its patterns are, and whether all of it is cheap. Pure.
import type { FieldError } from '../../errors.ts';
import { isObject } from '../../json.ts';
import { expressionProblem } from '../../linear-regexp.ts';
import { atKey } from '../../path-text.ts';

/** Subschemas in all, each counted as often as it is reached through references and lists. */
export const SCHEMA_SIZE_MAX = 10_000;
export const SCHEMA_MAX_CHARS = 256 * 1024;
const DEPTH_MAX = 64;
const PROBLEMS_MAX = 20;
/** Entries of an `enum` past which it is not cheap. */
const ENUM_CHEAP_MAX = 100;

type Schema = Readonly<Record<string, unknown>>;

export interface SchemaCost {
  /** Subschemas that one value may be checked against; SCHEMA_SIZE_MAX + 1 for any number beyond. */
  readonly size: number;
  /** Time grows with size times input, whatever the input: no pattern, no comparison of items, no recursion. */
  readonly cheap: boolean;
  /** Broken limits, paths below the schema's own. */
  readonly problems: readonly FieldError[];
}

/** Keywords that hold one schema, that apply to the value or to what is in it. */
const SINGLE = [
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const LISTS = ['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'];
const MAPS = ['dependencies', 'dependentSchemas', 'patternProperties', 'properties'];
const DEFINITIONS = ['$defs', 'definitions'];
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];

/** Keywords whose check takes a bounded time per subschema, or none. All others make a schema not cheap. */
const CHEAP = new Set([
  ...['additionalItems', 'additionalProperties', 'else', 'if', 'items', 'not', 'then', 'allOf', 'anyOf', 'oneOf', 'prefixItems'],
  ...['properties', '$defs', 'definitions', '$ref', '$schema', '$id', '$comment', 'title', 'description', 'default', 'examples', 'example'],
  ...['type', 'required', 'enum', 'const', 'format', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...[
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'minProperties',
    'maxProperties',
    'nullable',
    'deprecated',
    'readOnly',
    'writeOnly',
  ],
]);
const CHEAP_FORMATS: ReadonlySet<unknown> = new Set(['date', 'date-time', 'time', 'uuid', 'int32', 'int64', 'float', 'double']);

/** Measures a schema in time that grows with its text alone. Safe on any JSON. */
export function schemaCost(root: Schema): SchemaCost {
  const problems: FieldError[] = [];
  collectProblems(root, { path: '', depth: 0, problems });
  if (problems.length > 0) return { size: SCHEMA_SIZE_MAX + 1, cheap: false, problems };
  const measure: Measure = { root, sizes: new Map(), named: undefined, cheap: true };
  const size = sizeOf(root, measure);
  if (size > SCHEMA_SIZE_MAX) {
    const message = `expands to more than ${SCHEMA_SIZE_MAX} subschemas through references and lists; make it smaller`;
    return { size, cheap: false, problems: [{ path: '', message }] };
  }
  return { size, cheap: measure.cheap, problems };
}

interface Place {
  readonly path: string;
  readonly depth: number;
  readonly problems: FieldError[];
}

/** Depth and patterns of everything that is written, used or not. */
function collectProblems(schema: Schema, { path, depth, problems }: Place): void {
  if (problems.length >= PROBLEMS_MAX) return;
  if (depth > DEPTH_MAX) return void problems.push({ path, message: `is nested deeper than ${DEPTH_MAX} levels` });
  const { pattern, patternProperties } = schema;
  const refuse = (at: string, text: string) => {
    const message = expressionProblem(text);
    if (message !== undefined) problems.push({ path: at, message });
  };
  if (typeof pattern === 'string') refuse(`${path}.pattern`, pattern);
  if (isObject(patternProperties))
    for (const text of Object.keys(patternProperties)) refuse(atKey(`${path}.patternProperties`, text), text);
  for (const [at, inner] of parts(schema, [...MAPS, ...DEFINITIONS]))
    collectProblems(inner, { path: `${path}${at}`, depth: depth + 1, problems });
}

/** Subschemas with their paths below `schema`. */
function* parts(schema: Schema, maps: readonly string[]): Generator<readonly [string, Schema]> {
  for (const [at, value] of places(schema, maps)) if (isObject(value)) yield [at, value];
}

function* places(schema: Schema, maps: readonly string[]): Generator<readonly [string, unknown]> {
  for (const keyword of SINGLE) yield [`.${keyword}`, schema[keyword]];
  for (const keyword of LISTS) {
    const list: unknown = schema[keyword];
    if (Array.isArray(list)) for (const [index, value] of list.entries()) yield [`.${keyword}[${index}]`, value as unknown];
  }
  for (const keyword of maps) {
    const map = schema[keyword];
    if (isObject(map)) for (const [key, value] of Object.entries(map)) yield [atKey(`.${keyword}`, key), value];
  }
}

interface Measure {
  readonly root: Schema;
  /** Undefined while a schema is being measured: met again then, it refers to itself. */
  readonly sizes: Map<Schema, number | undefined>;
  named: ReadonlyMap<string, Schema> | undefined;
  cheap: boolean;
}

function sizeOf(schema: Schema, measure: Measure): number {
  const { sizes } = measure;
  if (sizes.has(schema)) {
    const known = sizes.get(schema);
    if (known === undefined) measure.cheap = false;
    return known ?? 1;
  }
  sizes.set(schema, undefined);
  if (!isCheap(schema)) measure.cheap = false;
  let size = 1 + (Array.isArray(schema['required']) ? schema['required'].length : 0);
  const add = (inner: Schema) => {
    size = Math.min(size + sizeOf(inner, measure), SCHEMA_SIZE_MAX + 1);
  };
  for (const [, inner] of parts(schema, MAPS)) add(inner);
  for (const keyword of REFERENCES) {
    const target = typeof schema[keyword] === 'string' ? targetOf(schema[keyword], measure) : undefined;
    if (target) add(target);
    else if (schema[keyword] !== undefined) measure.cheap = false;
  }
  sizes.set(schema, size);
  return size;
}

function isCheap(schema: Schema): boolean {
  for (const [keyword, value] of Object.entries(schema)) {
    if (!CHEAP.has(keyword)) return false;
    if (keyword === 'format' && !CHEAP_FORMATS.has(value)) return false;
    if (keyword === 'const' && typeof value === 'object' && value !== null) return false;
    if (keyword === 'enum' && !isCheapEnum(value)) return false;
  }
  return true;
}

function isCheapEnum(values: unknown): boolean {
  return Array.isArray(values) && values.length <= ENUM_CHEAP_MAX && values.every((value) => typeof value !== 'object' || value === null);
}

/** The schema that a reference means: a JSON pointer into the document, or a part that has this name. */
function targetOf(reference: string, measure: Measure): Schema | undefined {
  const fragment = reference.slice(reference.indexOf('#') + 1);
  if (reference === '#' || (reference.includes('#') && (fragment === '' || fragment.startsWith('/'))))
    return pointedAt(measure.root, fragment);
  measure.cheap = false;
  measure.named ??= namedParts(measure.root);
  return measure.named.get(reference) ?? measure.named.get(fragment);
}

function pointedAt(root: Schema, pointer: string): Schema | undefined {
  let value: unknown = root;
  for (const escaped of pointer.split('/').slice(1)) {
    const key = decoded(escaped).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = value[Number(key)];
    else value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return isObject(value) ? value : undefined;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Parts by `$id`, its last segment, and their anchors. */
function namedParts(root: Schema): Map<string, Schema> {
  const named = new Map<string, Schema>();
  const pending: Schema[] = [root];
  for (let schema = pending.pop(); schema; schema = pending.pop()) {
    for (const keyword of ['$id', 'id', '$anchor', '$dynamicAnchor']) {
      const name = schema[keyword];
      if (typeof name !== 'string') continue;
      named.set(name, schema);
      named.set(name.slice(Math.max(name.lastIndexOf('#'), name.lastIndexOf('/')) + 1), schema);
    }
    for (const [, inner] of parts(schema, [...MAPS, ...DEFINITIONS])) pending.push(inner);
  }
  return named;
}

/** Problems of a schema at `field` of a spec. */
export function schemaErrors(field: string, schema: Schema | undefined): FieldError[] {
  if (schema === undefined) return [];
  const chars = JSON.stringify(schema).length;
  if (chars > SCHEMA_MAX_CHARS) return [{ path: field, message: `must be at most ${SCHEMA_MAX_CHARS} characters, not ${chars}` }];
  return schemaCost(schema).problems.map(({ path, message }) => ({ path: `${field}${path}`, message }));
}
