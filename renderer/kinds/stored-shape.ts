// Shape of stored data: types of a kind's fields, light enough for the first screen. Pure; independent of kinds.
import { isObject } from '@svc/shared/json';

export type StoredShape =
  | 'string'
  | 'number'
  | 'boolean'
  | 'any'
  | { readonly list: StoredShape }
  | { readonly map: StoredShape }
  | { readonly anyOf: readonly StoredShape[] }
  | { readonly fields: Readonly<Record<string, StoredShape>> };

export type Defaults = Readonly<Record<string, unknown>>;

/** Shape of stored objects of one kind. */
export interface StoredShapes {
  readonly spec: StoredShape;
  readonly status: StoredShape;
  /** Defaults of the spec that depend on no other field. */
  readonly defaults: Defaults;
}

/** Parts of `value` that have the shape; undefined where nothing has it. `value` itself where everything fits. Fields of a later version stay. */
export function fittingParts(shape: StoredShape, value: unknown): unknown {
  if (shape === 'any') return value;
  if (typeof shape === 'string') return typeof value === shape ? value : undefined;
  if ('anyOf' in shape) return shape.anyOf.map((option) => fittingParts(option, value)).find((part) => part !== undefined);
  if ('list' in shape) return Array.isArray(value) ? fittingEntries(shape.list, value) : undefined;
  if (!isObject(value)) return undefined;
  const shapeOf = (key: string) => ('map' in shape ? shape.map : Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined);
  const entries = Object.entries(value).map(([key, each]) => [key, fittingParts(shapeOf(key) ?? 'any', each)] as const);
  if (entries.every(([key, part]) => part === value[key])) return value;
  return Object.fromEntries(entries.filter(([, part]) => part !== undefined));
}

function fittingEntries(shape: StoredShape, list: readonly unknown[]): readonly unknown[] {
  const parts = list.map((entry) => fittingParts(shape, entry));
  return parts.every((part, index) => part === list[index]) ? list : parts.filter((part) => part !== undefined);
}

/** `value` with the defaults that it lacks, also inside of its groups; `value` itself where it lacks none. */
export function withDefaults(defaults: Defaults, value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const added = Object.entries(defaults).flatMap(([key, standard]): [string, unknown][] => {
    const own = Object.hasOwn(value, key) ? value[key] : undefined;
    const whole = own === undefined ? standard : isObject(own) && isObject(standard) ? withDefaults(standard, own) : own;
    return whole === own ? [] : [[key, whole]];
  });
  return added.length === 0 ? value : { ...value, ...Object.fromEntries(added) };
}
