// Properties that the rules of every kind must have, checked on specs drawn at random from the kind's own schema.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { KindDefinition } from './define.ts';
import type { FieldMeta } from './fields.ts';
import { kinds } from './index.ts';

const context = { namespace: 'default', name: 'sample' };
const RUNS = 300;

/** Words that rules treat specially somewhere, so that random text meets them often. */
const WORDS = [
  '',
  ' ',
  'a',
  'A',
  'team-b/a',
  'a/b/c',
  '*',
  '10m',
  '0s',
  '-1s',
  'UTC',
  '0 2 * * *',
  'github',
  'AAAA',
  'openai',
  '__proto__',
  'constructor',
];

function texts(values: readonly string[] = []): fc.Arbitrary<string> {
  const words = fc.constantFrom(...WORDS, ...values);
  const dressed = fc.tuple(words, fc.constantFrom('', ' ', '\n', '\u00a0'), fc.boolean()).map(([word, pad, upper]) => {
    return pad + (upper ? word.toUpperCase() : word) + pad;
  });
  return fc.oneof({ weight: 4, arbitrary: dressed }, { weight: 1, arbitrary: fc.string({ maxLength: 6 }) });
}

/** Values that the schema accepts, before its own defaults. */
function valuesOf(schema: z.ZodType, meta: Partial<FieldMeta> = {}): fc.Arbitrary<unknown> {
  const def = (schema as any).def;
  const known = { ...meta, ...(schema.meta() as Partial<FieldMeta> | undefined) };
  switch (def.type) {
    case 'object': {
      const shape = Object.entries<z.ZodType>(def.shape).map(([key, field]) => [key, valuesOf(field)] as const);
      return fc.record(Object.fromEntries(shape), { requiredKeys: [] });
    }
    case 'optional':
    case 'default':
    case 'prefault':
    case 'catch':
      return valuesOf(def.innerType, known);
    case 'string':
      return texts(known.values);
    case 'number':
      return fc.constantFrom(-3, -1, 0, 1, 2, 50, 100, 101, 86_400);
    case 'boolean':
      return fc.boolean();
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries));
    case 'array':
      return fc.array(valuesOf(def.element, known), { maxLength: 4 });
    case 'record':
      return fc.dictionary(
        texts().filter((key) => key.trim().toLowerCase() !== '__proto__'),
        valuesOf(def.valueType),
        { maxKeys: 3 },
      );
    case 'union':
      return fc.oneof(...def.options.map((option: z.ZodType) => valuesOf(option)));
    case 'unknown':
    case 'any':
      return fc.constantFrom(null, 1, ' a ', [1, 'a'], { a: { b: ' c ' } });
    default:
      throw new Error(`no values known for schema type ${def.type}`);
  }
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

/** Specs as they reach the rules: parsed, and frozen so that a rule that writes into its input fails. */
function specsOf(kind: KindDefinition): fc.Arbitrary<unknown> {
  return valuesOf(kind.spec).map((raw) => frozen(kind.spec.parse(raw)));
}

describe.each(kinds.map((kind) => [kind.kind, kind] as const))('%s', (_, kind) => {
  test('normalising a normalised spec changes nothing', () => {
    const property = fc.property(specsOf(kind), (spec) => {
      const once = frozen(kind.normalize(spec, context));
      expect(kind.normalize(once, context)).toEqual(once);
    });
    fc.assert(property, { numRuns: RUNS });
  });

  test('a normalised spec satisfies the schema and reads back as itself', () => {
    const property = fc.property(specsOf(kind), (spec) => {
      const stored = JSON.parse(JSON.stringify(kind.normalize(spec, context)));
      expect(kind.spec.parse(stored)).toEqual(kind.normalize(spec, context));
    });
    fc.assert(property, { numRuns: RUNS });
  });

  test('rules answer for every spec: errors name a place in the spec, references name an object', () => {
    const property = fc.property(specsOf(kind), (spec) => {
      const normal = frozen(kind.normalize(spec, context));
      for (const error of kind.validate(normal, context)) expect(error.path).toMatch(/^spec(\.|$)/);
      for (const reference of kind.references(normal, context)) {
        expect(reference.path).toMatch(/^spec\./);
        expect(reference.kind).not.toBe('');
      }
    });
    fc.assert(property, { numRuns: RUNS });
  });
});
