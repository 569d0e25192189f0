// Templates are generated from the kinds, so each must contain the fields that its kind requires.
import { kinds } from '@svc/shared/kinds';
import { checkSpec } from '@svc/shared/kinds/check';
import { kindFields } from '@svc/shared/kinds/kind-fields';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parsePath } from '@svc/shared/path-text';
import { requiredPaths, fullTemplate, minimalTemplate } from './template-text.ts';

const valueAt = (body: object, path: string) =>
  parsePath(path).reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], body);

describe.each(kinds.map((kind) => [kind.kind, kind] as const))('template of %s', (_name, kind) => {
  const [spec] = kindFields(kind);
  const faultsOf = (text: string) => {
    const body = parse(text) as { spec: Record<string, unknown> | null };
    return checkSpec(kind, body.spec ?? {}, { context: { namespace: 'n', name: 'mine' }, unknownFields: 'reject' }).errors;
  };
  const plain = { kind: kind.kind, name: 'mine', spec: spec };
  const options = { ...plain, extraPaths: requiredPaths(plain, faultsOf) };

  test.each([
    ['minimal', minimalTemplate(options)],
    ['full', fullTemplate(options)],
  ])('the %s one is YAML of the kind, whose only errors are values to fill in', (_which, text) => {
    const body = parse(text) as { kind: string };
    expect(body.kind).toBe(kind.kind);
    for (const { path, message } of faultsOf(text)) {
      expect(message).not.toMatch(/not a known field|must be an? (object|array|list|string|number|boolean)/);
      expect([path, valueAt(body, path)]).not.toEqual([path, undefined]);
    }
  });

  test('every field is in the complete one, and all of it is YAML when nothing is commented out', () => {
    const text = fullTemplate(options);
    for (const name of options.spec.children.keys()) expect(text).toMatch(new RegExp(`^  (# )?${name}:`, 'm'));
  });
});

test('given references are filled in', () => {
  const agent = kinds.find(({ kind }) => kind === 'Agent');
  const [spec] = agent ? kindFields(agent) : [];
  if (!spec) throw new Error('there are Agents');
  const text = minimalTemplate({ kind: 'Agent', name: 'mine', spec: spec, references: { ModelEndpoint: 'gpt' } });
  expect(text).toContain('model_ref: gpt');
});
