// Reads a zod schema as data: what fields it has, which are required, what they mean. Everything generated from kinds starts here.
import type { z } from 'zod';
import type { FieldMeta } from './fields.ts';

/** A schema without its optional and default wrappers. */
export type Shape =
  | { readonly type: 'object'; readonly fields: Readonly<Record<string, z.ZodType>> }
  | { readonly type: 'list'; readonly item: z.ZodType }
  | { readonly type: 'map'; readonly value: z.ZodType }
  | { readonly type: 'union'; readonly options: readonly z.ZodType[] }
  /** `values` of an enumeration. */
  | { readonly type: 'string'; readonly values?: readonly string[] }
  | { readonly type: 'integer' | 'number' | 'boolean' | 'any' };

interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly shape?: Record<string, z.ZodType>;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly format?: string;
  readonly entries?: Readonly<Record<string, string>>;
}

const definitionOf = (schema: z.ZodType) => schema._zod.def as unknown as Definition;

/** Kind of value that the schema accepts. */
export function shapeOf(schema: z.ZodType): Shape {
  const definition = definitionOf(schema);
  if (definition.innerType) return shapeOf(definition.innerType);
  switch (definition.type) {
    case 'object':
      return { type: 'object', fields: definition.shape ?? {} };
    case 'array':
      return definition.element ? { type: 'list', item: definition.element } : { type: 'any' };
    case 'record':
      return definition.valueType ? { type: 'map', value: definition.valueType } : { type: 'any' };
    case 'union':
      return { type: 'union', options: definition.options ?? [] };
    case 'enum':
      return { type: 'string', values: Object.values(definition.entries ?? {}) };
    case 'string':
    case 'literal':
      return { type: 'string' };
    case 'number':
      return { type: definition.format === undefined ? 'number' : 'integer' };
    case 'boolean':
      return { type: 'boolean' };
    default:
      return { type: 'any' };
  }
}

/** The field's description and marks; those of an inner schema count when the outer has none. */
export function metaOf(schema: z.ZodType): Partial<FieldMeta> {
  const own = schema.meta() as Partial<FieldMeta> | undefined;
  const { innerType } = definitionOf(schema);
  return own ?? (innerType ? metaOf(innerType) : {});
}
