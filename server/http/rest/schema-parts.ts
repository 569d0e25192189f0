// Small JSON Schemas of which those of bodies are made.
import type { JsonSchema } from '../route.ts';

export const arrayOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
export const string: JsonSchema = { type: 'string' };
export const integer: JsonSchema = { type: 'integer' };
export const textMap: JsonSchema = { type: 'object', additionalProperties: string };
export const time: JsonSchema = { type: 'string', format: 'date-time' };

export function object(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = Object.keys(properties),
): JsonSchema {
  return { type: 'object', properties, required };
}
