// A kind's zod schemas as JSON Schema. Our field metadata becomes standard keywords where there is one, and `x-` keywords or prose where there is none.
import { z } from 'zod';
import { isObject } from '@svc/shared/json';
import type { KindDefinition } from '@svc/shared/kinds/define';
import type { JsonSchema } from '../route.ts';

type Mutable = Record<string, unknown>;

function describe(schema: Mutable): string {
  const { description, values, defaultText } = schema;
  const allowed = Array.isArray(values) ? `One of ${values.map((value) => `\`${String(value)}\``).join(', ')}.` : '';
  const fallback = typeof defaultText === 'string' ? `Default: \`${defaultText}\`.` : '';
  return [description, allowed, fallback].filter((part) => typeof part === 'string' && part !== '').join(' ');
}

/** `required: true` is our mark on a field; JSON Schema keeps the list on the object around it. Our formats (`duration`, `cron`) are not the standard's. */
function translate(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(translate);
  if (!isObject(schema)) return schema;
  const { required: _required, values, defaultText, format, properties, $schema: _dialect, default: _default, ...rest } = schema;
  const result: Mutable = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, key === 'enum' || key === 'const' ? value : translate(value)]),
  );
  const text = describe({ description: rest['description'], values, defaultText });
  if (text !== '') result['description'] = text;
  if (format !== undefined) result['x-format'] = format;
  if (!isObject(properties)) return result;
  const needed = Object.keys(properties).filter((name) => (properties[name] as Mutable)['required'] === true);
  result['properties'] = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, translate(property)]));
  if (needed.length > 0) result['required'] = needed;
  return result;
}

const toSchema = (schema: z.ZodType): JsonSchema =>
  translate(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })) as JsonSchema;

export const specJsonSchema = (kind: KindDefinition): JsonSchema => toSchema(kind.spec);
export const statusJsonSchema = (kind: KindDefinition): JsonSchema => toSchema(kind.status);
