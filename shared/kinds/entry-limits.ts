// Limits that hold for every kind: entries of each list and map of a spec, fields of each object, characters of each text. Pure.
import type { z } from 'zod';
import type { FieldError } from '../errors.ts';
import { isObject } from '../json.ts';
import { atMostEntries } from './field-rules.ts';
import { atKey } from '../path-text.ts';
import { shapeOf } from './schema-walk.ts';

/** Entries of one list or map. Free JSON, such as a tool's input_schema, has limits of its own. */
export const ENTRIES_MAX = 1_000;
/** The maximum of a request body: a body within it is never refused for one long text. */
const TEXT_MAX_CHARS = 4 * 1024 * 1024;
/** Body of a webhook delivery, which is one input of a Task, as base64 where it is binary. */
export const DELIVERY_MAX_BYTES = 1024 * 1024;

type Check = (value: unknown, path: string, errors: FieldError[]) => void;

/** Compiled once per schema; undefined for values that cannot be large. */
const checks = new WeakMap<z.ZodType, Check | undefined>();

/** Parts of a spec that are too large for further checks. Takes time only for parts within the limits. */
export function entryErrors(schema: z.ZodType, raw: unknown): FieldError[] {
  const errors: FieldError[] = [];
  checkOf(schema)?.(raw, 'spec', errors);
  return errors;
}

function checkOf(schema: z.ZodType): Check | undefined {
  if (!checks.has(schema)) checks.set(schema, compile(schema));
  return checks.get(schema);
}

function compile(schema: z.ZodType): Check | undefined {
  const shape = shapeOf(schema);
  if (shape.type === 'string') return checkText;
  if (shape.type === 'object') return objectCheck(shape.fields);
  if (shape.type === 'list') return listCheck(checkOf(shape.item));
  if (shape.type === 'map') return mapCheck(checkOf(shape.value));
  return undefined;
}

const checkText: Check = (value, path, errors) => {
  if (typeof value === 'string' && value.length > TEXT_MAX_CHARS)
    errors.push({ path, message: `must be at most ${TEXT_MAX_CHARS} characters, not ${value.length}` });
};

function isTooMany(count: number, path: string, errors: FieldError[]): boolean {
  if (count > ENTRIES_MAX) errors.push(...atMostEntries(path, count, ENTRIES_MAX));
  return count > ENTRIES_MAX;
}

function objectCheck(fields: Readonly<Record<string, z.ZodType>>): Check {
  const inner = Object.entries(fields).flatMap(([name, field]) => {
    const check = checkOf(field);
    return check ? [{ name, check }] : [];
  });
  return (value, path, errors) => {
    if (!isObject(value) || isTooMany(Object.keys(value).length, path, errors)) return;
    for (const { name, check } of inner) if (value[name] !== undefined) check(value[name], `${path}.${name}`, errors);
  };
}

function listCheck(item: Check | undefined): Check {
  return (value, path, errors) => {
    if (!Array.isArray(value) || isTooMany(value.length, path, errors) || !item) return;
    for (const [index, entry] of value.entries()) item(entry, `${path}[${index}]`, errors);
  };
}

function mapCheck(entry: Check | undefined): Check {
  return (value, path, errors) => {
    if (!isObject(value) || isTooMany(Object.keys(value).length, path, errors) || !entry) return;
    for (const [key, inner] of Object.entries(value)) entry(inner, atKey(path, key), errors);
  };
}
