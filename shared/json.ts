// JSON as a type, and the few pure operations on it that several layers need.

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a dotted path such as `status.phase`; undefined where the path leads nowhere. Reads own fields only. */
export function valueAtPath(value: unknown, path: string): unknown {
  return path.split('.').reduce((node, key) => (isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined), value);
}

/** The value of a JSON text, or undefined for any other text. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The object of a JSON text, or undefined for any other text. */
export function readJsonObject(text: string): Record<string, unknown> | undefined {
  const value = readJson(text);
  return isObject(value) ? value : undefined;
}

type Defined<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The fields that have a value: a field that may be absent is never undefined. */
export const defined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;

/** A text that is not empty, from an external value. */
export const filledText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The objects of a list, from an external value. */
export const objectsIn = (value: unknown): readonly Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Whether values stand more than `levels` below the root. Level by level: what walks the value later does so by recursion, and this decides whether it may. */
export function isDeeperThan(root: unknown, levels: number): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? (Object.values(value) as unknown[]) : []));
  }
  return false;
}

/** JSON text with object keys sorted at every depth: equal values give equal text. Input must be JSON (no cycles). */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  let text = '';
  // Built up in place: a list of parts for each object would cost twice the time.
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) text += `${text === '' ? '' : ','}${canonicalJson(item)}`;
    return `[${text}]`;
  }
  for (const key of definedKeys(value as Record<string, unknown>).sort())
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson((value as Record<string, unknown>)[key])}`;
  return `{${text}}`;
}

/** Equality of two JSON values, key order aside: that of their canonical texts, without making them. */
export function jsonEquals(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && Array.from(a).every((item, index) => jsonEquals(item, b[index]));
  if (isObject(a)) return isObject(b) && sameFields(a, b);
  if (typeof b === 'object' && b !== null) return false;
  // Not equal as they are, so that two texts differ; what no JSON text can hold counts as null.
  return typeof a !== 'string' && typeof b !== 'string' && canonicalJson(a) === canonicalJson(b);
}

function sameFields(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  const keys = definedKeys(a);
  return (
    keys.length === definedKeys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && b[key] !== undefined && jsonEquals(a[key], b[key]))
  );
}

const definedKeys = (value: Record<string, unknown>): string[] => Object.keys(value).filter((key) => value[key] !== undefined);

/** RFC 7386 JSON Merge Patch. Returns a new value; `target` is not changed. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}
