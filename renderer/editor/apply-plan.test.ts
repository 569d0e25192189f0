import type { Resource } from '@svc/shared/resource';
import { expect, test } from 'vitest';
import { adjustments, planWrite, sameForEditing } from './apply-plan.ts';
import { editable, inOrderOf, objectYaml, objectsYaml, readObject, splitDocuments } from '../yaml/serialise.ts';

function resource(
  change: { kind?: string; spec?: Record<string, unknown>; labels?: Record<string, string>; version?: string } = {},
): Resource {
  const { kind = 'Agent', spec = { model_ref: 'm' }, labels = {}, version = '7' } = change;
  return {
    apiVersion: 'svc.dev/v1',
    kind,
    metadata: {
      ...{ name: 'x', namespace: 'team', uid: 'u', resourceVersion: version, generation: 2, labels, annotations: {} },
      ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
    },
    spec,
    status: { phase: 'Ready' },
  };
}

test('an object is edited without server fields, in a fixed order', () => {
  expect(objectYaml(resource({ labels: { a: '1' } }))).toBe(
    'apiVersion: svc.dev/v1\nkind: Agent\nmetadata:\n  name: x\n  namespace: team\n  labels:\n    a: "1"\nspec:\n  model_ref: m\n',
  );
});

test('a Secret shows which keys are set, without values to write back', () => {
  const text = objectYaml(resource({ kind: 'Secret', spec: { data: { token: '***' } } }));
  expect(text).toContain('# Set now: "token"');
  expect(text.replace(/^#.*$/gm, '')).not.toContain('***');
  expect(readObject(text)).toMatchObject({ body: { spec: { stringData: {} } } });
});

test('several objects form one text, and are read back separately', () => {
  const text = objectsYaml([resource(), resource({ kind: 'Tool', spec: { type: 'http' } })]);
  expect(splitDocuments(text).map(({ value }) => value?.kind)).toEqual(['Agent', 'Tool']);
  expect(readObject(text)).toMatchObject({ errors: [{ message: expect.stringContaining('One document is expected') }] });
});

test('an unreadable document does not stop the others, and reports its place', () => {
  const found = splitDocuments('a: 1\n---\nb: [\n---\n- no\n---\nc: 3\n');
  expect(found.map(({ value, errors, line }) => [value, errors.length, line])).toEqual([
    [{ a: 1 }, 0, 1],
    [undefined, expect.any(Number), 2],
    [undefined, 1, 4],
    [{ c: 3 }, 0, 6],
  ]);
});

const target = { kind: 'Agent', namespace: 'team', name: 'x' };

test('a change replaces the version that it is based on', () => {
  const current = resource();
  expect(planWrite(objectYaml(current), target, current)).toEqual({
    call: { kind: 'Agent', namespace: 'team', name: 'x', mode: 'replace', resourceVersion: '7', uid: 'u', body: editable(current) },
  });
});

test('a new object is created in the namespace that its text names', () => {
  const plan = planWrite('kind: Agent\nmetadata: {name: n, namespace: other}\nspec: {}\n', { kind: 'Agent', namespace: 'team' }, undefined);
  expect(plan).toMatchObject({ call: { mode: 'create', namespace: 'other' } });
});

test('a Secret is patched: hidden values stay, removed labels are removed', () => {
  const current = resource({ kind: 'Secret', spec: { data: { a: '***' } }, labels: { old: '1', kept: '2' } });
  const text = 'kind: Secret\nmetadata: {name: x, labels: {kept: "2"}}\nspec: {stringData: {b: new}}\n';
  expect(planWrite(text, { ...target, kind: 'Secret' }, current)).toMatchObject({
    call: { mode: 'patch', body: { metadata: { labels: { kept: '2', old: null } }, spec: { stringData: { b: 'new' } } } },
  });
});

test.each(['data', 'stringData'])('*** is never written back, from %s neither', (map) => {
  const current = resource({ kind: 'Secret', spec: { data: {} } });
  const plan = planWrite(
    `kind: Secret\nmetadata: {name: x}\nspec:\n  ${map}:\n    "tls.crt": "***"\n`,
    { ...target, kind: 'Secret' },
    current,
  );
  expect(plan).toMatchObject({ errors: [{ path: `spec.${map}["tls.crt"]` }] });
});

test('adjustments of the server to a spec are listed field by field', () => {
  const call = { kind: 'Agent', namespace: 'team', mode: 'create', body: { spec: { model_ref: ' m ', roles: [] } } } as const;
  expect(adjustments(call, resource({ spec: { model_ref: 'm', limits: { max_steps: 10 } } }))).toEqual([
    { path: 'spec.model_ref', written: ' m ', stored: 'm', what: 'changed' },
    { path: 'spec.roles', written: [], stored: undefined, what: 'left out' },
    { path: 'spec.limits', written: undefined, stored: { max_steps: 10 }, what: 'added' },
  ]);
});

test('a status write alone is not a change for an editor', () => {
  expect(sameForEditing(resource(), resource({ version: '9' }))).toBe(true);
  expect(sameForEditing(resource(), resource({ spec: { model_ref: 'n' } }))).toBe(false);
});

test('a value takes the order of keys of an earlier one', () => {
  const earlier = { mode: 'all', rules: [{ verdict: 'deny', class: 'write' }], gone: 1 };
  const value = { added: 1, rules: [{ class: 'write', verdict: 'allow' }, { class: 'read' }], mode: 'all' };
  const ordered = inOrderOf(value, earlier);
  expect(JSON.stringify(ordered)).toBe('{"mode":"all","rules":[{"verdict":"allow","class":"write"},{"class":"read"}],"added":1}');
});
