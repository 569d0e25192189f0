// Content of the index of references: every reference a spec can hold is one its schema declares, and only those without an index of their own have rows.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { checkSpec } from '@svc/shared/kinds/check';
import { kindByName, kinds } from '@svc/shared/kinds';
import { makeObject } from '../testing/store-conformance/fixture.ts';
import { INDEXED_FIELDS } from '../store/terms.ts';
import { allReferencesOf, indexedKinds, referencesOf, refFieldsOf, sortValuesOf } from './reference-index.ts';

const FIXTURES = join(import.meta.dirname, '../../shared/kinds');

function validSpecs(kind: string): Record<string, unknown>[] {
  const folder = kind.replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
  const directory = join(FIXTURES, folder, 'fixtures/valid');
  return readdirSync(directory).map((file) => {
    const { resource } = parse(readFileSync(join(directory, file), 'utf8')) as { resource: { spec: unknown } };
    const context = { namespace: 'default', name: 'example' };
    return checkSpec(kindByName(kind)!, resource.spec ?? {}, { context, unknownFields: 'drop' }).spec as Record<string, unknown>;
  });
}

describe.each(kinds.map((definition) => [definition.kind, definition] as const))('%s', (kind, definition) => {
  it('refers only from fields that its schema marks, to the kind they are marked with', () => {
    const declared = refFieldsOf(definition).map((field) => `${field.path} → ${field.kind}`);
    for (const spec of validSpecs(kind)) {
      const references = allReferencesOf(makeObject({ kind, name: 'example', spec }));
      for (const reference of references) expect(declared).toContain(`${reference.path.replaceAll(/\[\d+\]/g, '')} → ${reference.kind}`);
    }
  });
});

it('holds no references of Tasks, whose system has an index of its own, but their sort values', () => {
  expect(referencesOf(makeObject({ spec: { system: 'team-a/pipeline' } }))).toEqual([]);
  expect(sortValuesOf(makeObject())).toEqual({});
  expect(sortValuesOf(makeObject({ kind: 'SealedSecret' }))).toBeUndefined();
  expect(indexedKinds()).toContain('Task');
  expect(indexedKinds()).toEqual(
    expect.arrayContaining(['Agent', 'AgentSystem', 'Tool', 'ToolPermission', 'ModelEndpoint', 'TaskWebhook']),
  );
});

it('holds the columns of other kinds as sort values', () => {
  const agent = makeObject({ kind: 'Agent', spec: { model_ref: 'GPT', tools: ['mail', 'wiki'] } });
  expect(sortValuesOf(agent)).toMatchObject({ 'spec.model_ref': '1gpt', 'spec.tools': '1mail, wiki', 'spec.memory.ref': '0' });
});

it('has each field that lists are sorted by as an index', () => {
  for (const { sorts } of kinds) for (const path of Object.values(sorts.fields)) expect(INDEXED_FIELDS).toContain(path);
});

it('holds the references of definitions, by the object they mean', () => {
  const agent = makeObject({ kind: 'Agent', namespace: 'team-a', spec: { model_ref: 'shared/gpt', tools: ['mail'] } });
  expect(referencesOf(agent)).toEqual([
    { kind: 'ModelEndpoint', namespace: 'shared', name: 'gpt', path: 'spec.model_ref' },
    { kind: 'Tool', namespace: 'team-a', name: 'mail', path: 'spec.tools[0]' },
  ]);
});
