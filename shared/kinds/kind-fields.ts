// A kind's fields as data, read from its schemas: name, type, meaning, default, allowed values, and the fields below. The one tree that
// explain, the reference pages, the index of references, editors and forms read. Pure; loads no schema library.
import type { z } from 'zod';
import type { KindDefinition } from './define.ts';
import type { FieldMeta } from './fields.ts';
import { metaOf, shapeOf, type Shape } from './schema-walk.ts';

export type FieldType = Shape['type'];

export interface Field {
  /** Empty for the entries of a list or map and for the options of a union. */
  readonly name: string;
  readonly type: FieldType;
  /** `string`, `[]string`, `map[string]object`, … */
  readonly typeText: string;
  readonly description: string;
  readonly required: boolean;
  /** The default in words. */
  readonly defaultText: string | undefined;
  /** Allowed values; for a list those of its entries. */
  readonly values: readonly string[];
  /** `duration`, `cron`, `time-zone`, `secret`, `ref:Secret`, …; for a list or map that of its entries. */
  readonly format: string | undefined;
  /** Fields of an object. */
  readonly fields: ReadonlyMap<string, Field>;
  /** Schema of the entries of a list, or of the values of a map. */
  readonly item: Field | undefined;
  /** Possible shapes of a union. */
  readonly options: readonly Field[];
  /** Fields below: those of the object, of a list's entries, of a map's values, or of a union's object. */
  readonly children: ReadonlyMap<string, Field>;
}

type FieldProperties = Partial<Omit<Field, 'name' | 'type' | 'typeText' | 'children'>>;

const NONE: ReadonlyMap<string, Field> = new Map();

export function makeField(name: string, type: FieldType, given: FieldProperties = {}): Field {
  const { fields = NONE, item, options = [] } = given;
  const inner = type === 'object' ? fields : (item?.children ?? options.find(({ children }) => children.size > 0)?.children ?? NONE);
  return {
    name,
    type,
    typeText: typeText(type, item, options),
    description: given.description ?? '',
    required: given.required ?? false,
    defaultText: given.defaultText,
    values: given.values ?? [],
    format: given.format,
    fields,
    item,
    options,
    children: inner,
  };
}

function typeText(type: FieldType, item: Field | undefined, options: readonly Field[]): string {
  if (type === 'list') return `[]${item?.typeText ?? 'any'}`;
  if (type === 'map') return `map[string]${item?.typeText ?? 'any'}`;
  return type === 'union' ? [...new Set(options.map((option) => option.typeText))].join(' or ') : type;
}

/** `outer`: metadata of a list, map or union, which counts for its entries where they have none. */
function fieldOf(name: string, schema: z.ZodType, outer: Partial<FieldMeta> = {}): Field {
  const shape = shapeOf(schema);
  const own = metaOf(schema);
  const format = own.format ?? outer.format;
  const values = own.values ?? (shape.type === 'string' ? shape.values : undefined) ?? outer.values;
  const entries = { ...(format !== undefined && { format }), ...(values !== undefined && { values }) };
  const given = { ...own, ...entries };
  switch (shape.type) {
    case 'object':
      return makeField(name, 'object', {
        ...given,
        fields: new Map(Object.entries(shape.fields).map(([key, inner]) => [key, fieldOf(key, inner)])),
      });
    case 'list':
      return makeField(name, 'list', { ...given, item: fieldOf('', shape.item, entries) });
    case 'map':
      return makeField(name, 'map', { ...given, item: fieldOf('', shape.value, entries) });
    case 'union':
      return makeField(name, 'union', { ...given, options: shape.options.map((option) => fieldOf('', option, entries)) });
    default:
      return makeField(name, shape.type, given);
  }
}

const known = new WeakMap<KindDefinition, readonly [spec: Field, status: Field]>();

/** `spec` and `status` of a kind. Built once per definition. */
export function kindFields(kind: KindDefinition): readonly [spec: Field, status: Field] {
  const made = known.get(kind) ?? [
    { ...fieldOf('spec', kind.spec), description: 'Desired state.' },
    { ...fieldOf('status', kind.status), description: 'Observed state; written by the service.' },
  ];
  known.set(kind, made);
  return made;
}

/** The field at a path; list indexes and map keys are left out of it. */
export function fieldAt(roots: readonly Field[], [root, ...path]: readonly string[]): Field | undefined {
  let found = roots.find(({ name }) => name === root);
  for (const name of path) found = found?.children.get(name);
  return found;
}
