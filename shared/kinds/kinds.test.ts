// One contract over all kinds: fixtures, normalisation, descriptions, names.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { z } from 'zod';
import { checkSpec } from './check.ts';
import type { KindDefinition } from './define.ts';
import { findKind, kindByName, kindByPlural, kinds } from './index.ts';
import { metaOf, shapeOf } from './schema-walk.ts';

interface Fixture {
  readonly resource: { kind: string; metadata: { name: string; namespace?: string }; spec?: unknown };
  readonly spec?: unknown;
  readonly errors?: readonly { path: string; contains?: string }[];
}

function fixtures(kind: KindDefinition, group: 'valid' | 'invalid'): [string, Fixture][] {
  const folder = kind.kind.replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
  const dir = join(import.meta.dirname, folder, 'fixtures', group);
  return readdirSync(dir).map((file) => [file, parse(readFileSync(join(dir, file), 'utf8')) as Fixture]);
}

const check = (kind: KindDefinition, { resource }: Fixture) =>
  checkSpec(kind, resource.spec, {
    context: { namespace: resource.metadata.namespace ?? 'default', name: resource.metadata.name },
    unknownFields: 'reject',
  });

/** Paths of all fields under a schema, with what is known of each. */
function fields(schema: z.ZodType, path: string): { path: string; description: string | undefined }[] {
  const shape = shapeOf(schema);
  if (shape.type === 'list') return fields(shape.item, `${path}[]`);
  if (shape.type === 'map') return fields(shape.value, `${path}.*`);
  if (shape.type !== 'object') return [];
  return Object.entries(shape.fields).flatMap(([name, field]) => [
    { path: `${path}.${name}`, description: metaOf(field).description },
    ...fields(field, `${path}.${name}`),
  ]);
}

test('there are 18 kinds, in dependency order, with names that do not collide', () => {
  expect(kinds).toHaveLength(18);
  expect(kinds.map((kind) => kind.applyOrder)).toEqual([...kinds.map((kind) => kind.applyOrder)].sort((a, b) => a - b));
  const words = kinds.flatMap((kind) => [...new Set([kind.kind, kind.plural, ...kind.shortNames].map((word) => word.toLowerCase()))]);
  expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
});

describe.each(kinds.map((kind) => [kind.kind, kind] as const))('%s', (_, kind) => {
  const valid = fixtures(kind, 'valid');
  const invalid = fixtures(kind, 'invalid');

  test('is found by its names', () => {
    expect([kindByName(kind.kind), kindByPlural(kind.plural), findKind(kind.plural.toUpperCase()), findKind(kind.kind)]).toEqual([
      kind,
      kind,
      kind,
      kind,
    ]);
  });

  test('describes every field of spec and status', () => {
    const bare = [...fields(kind.spec, 'spec'), ...fields(kind.status, 'status')].filter(({ description }) => !description);
    expect(bare).toEqual([]);
  });

  test('begins in one of its phases, and its actions start from them', () => {
    expect(kind.phases).toContain(kind.initialPhase);
    expect(kind.actions.flatMap((action) => action.from).filter((phase) => !kind.phases.includes(phase))).toEqual([]);
  });

  test('can be listed and counted by phase where it has more than one', () => {
    expect(kind.fieldSelectors.includes('status.phase')).toBe(kind.phases.length > 1);
  });

  test('has columns that exist', () => {
    const known = [...fields(kind.spec, 'spec'), ...fields(kind.status, 'status')].map(({ path }) => path);
    const missing = [...kind.columns.map(({ path }) => path), ...kind.fieldSelectors].filter(
      (path) => !path.startsWith('metadata.') && !known.includes(path),
    );
    expect(missing).toEqual([]);
  });

  test.each(valid)('accepts valid/%s and stores exactly the expected spec', (_file, fixture) => {
    expect(fixture.resource.kind).toBe(kind.kind);
    const result = check(kind, fixture);
    expect(result.errors).toEqual([]);
    expect(JSON.parse(JSON.stringify(result.spec))).toEqual(fixture.spec);
  });

  test.each(valid)('stores valid/%s the same again: normalisation is idempotent', (_file, fixture) => {
    const once = check(kind, fixture).spec;
    const again = check(kind, { resource: { ...fixture.resource, spec: JSON.parse(JSON.stringify(once)) } });
    expect(again).toEqual({ spec: once, errors: [], unknown: [] });
  });

  test.each(valid)('drops and names an unknown field in valid/%s', (_file, fixture) => {
    const spec = { ...(fixture.resource.spec as object), notAField: 1 };
    const context = { namespace: 'default', name: fixture.resource.metadata.name };
    const lenient = checkSpec(kind, spec, { context, unknownFields: 'drop' });
    expect(lenient).toMatchObject({ errors: [], unknown: [{ path: 'spec.notAField' }] });
    expect(JSON.parse(JSON.stringify(lenient.spec))).toEqual(fixture.spec);
    expect(checkSpec(kind, spec, { context, unknownFields: 'reject' }).errors).toEqual([
      { path: 'spec.notAField', message: 'is not a field of this kind' },
    ]);
  });

  test.each(valid)('has references with paths and names in valid/%s', (_file, fixture) => {
    for (const reference of kind.references(check(kind, fixture).spec, { namespace: 'here', name: 'sample' })) {
      expect(kindByName(reference.kind), reference.path).toBeDefined();
      expect(reference.path).toMatch(/^spec\./);
      expect(reference.name).not.toBe('');
      expect(reference.namespace).not.toBe('');
    }
  });

  test.each(invalid)('refuses invalid/%s at exactly the named paths', (_file, fixture) => {
    expect(fixture.resource.kind).toBe(kind.kind);
    const { errors } = check(kind, fixture);
    expect(errors.map(({ path }) => path).sort()).toEqual((fixture.errors ?? []).map(({ path }) => path).sort());
    for (const expected of fixture.errors ?? []) {
      expect(errors.some(({ path, message }) => path === expected.path && message.includes(expected.contains ?? ''))).toBe(true);
    }
  });

  test.each([[null], [[]], ['text'], [7], [{ __proto__: null, constructor: 1 }]])(
    'refuses or survives a spec of %j without polluting anything',
    (spec) => {
      checkSpec(kind, spec, { context: { namespace: 'default', name: 'x' }, unknownFields: 'reject' });
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    },
  );
});
