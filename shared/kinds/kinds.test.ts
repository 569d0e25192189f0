// One contract over all kinds: fixtures, normalisation, descriptions, names.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkSpec } from './check.ts';
import type { KindDefinition } from './define.ts';
import { findKind, kindByName, kindByPlural, kinds } from './index.ts';
import { kindFields, type Field } from './kind-fields.ts';

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

/** All fields below a field, with their paths. */
function fieldsBelow(parent: Field, path: string): { path: string; description: string }[] {
  const inner = parent.type === 'list' ? `${path}[]` : parent.type === 'map' ? `${path}.*` : path;
  return [...parent.children].flatMap(([name, field]) => [
    { path: `${inner}.${name}`, description: field.description },
    ...fieldsBelow(field, `${inner}.${name}`),
  ]);
}

const fieldsOf = (kind: KindDefinition) => kindFields(kind).flatMap((root) => fieldsBelow(root, root.name));

test('there are 19 kinds, in dependency order, with names that do not collide', () => {
  expect(kinds).toHaveLength(19);
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
    const bare = fieldsOf(kind).filter(({ description }) => description === '');
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
    const known = fieldsOf(kind).map(({ path }) => path);
    const missing = [...kind.columns.map(({ path }) => path), ...kind.fieldSelectors].filter(
      (path) => !path.startsWith('metadata.') && !known.includes(path),
    );
    expect(missing).toEqual([]);
  });

  test('names its own parts by fields that exist, and next steps by kinds that exist', () => {
    const { list, map, fields = [] } = kind.localNames ?? {};
    const known = fieldsOf(kind).map(({ path }) => path);
    const paths = [...(list === undefined ? [] : [`spec.${list}`]), ...(map === undefined ? [] : [`spec.${map}`])];
    expect(paths.filter((path) => !known.includes(path))).toEqual([]);
    expect(fields.filter((name) => !known.some((path) => path.startsWith(`spec.${map}.`) && path.endsWith(`.${name}`)))).toEqual([]);
    const { of, maps = [] } = kind.partNames ?? {};
    const parts = [...(of === undefined ? [] : [of]), ...maps];
    expect(parts.map((path) => `spec.${path}`).filter((path) => !known.includes(path))).toEqual([]);
    const next = kind.nextStep && ('list' in kind.nextStep ? kind.nextStep.list : kind.nextStep.create);
    expect(next === undefined || kindByName(next) !== undefined).toBe(true);
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
