// The text of a copied system.
import { expect, test } from 'vitest';
import { onlyValueOf } from '../../../yaml/yaml-paths.ts';
import { duplicateText } from './system-text.ts';

const edges = [{ to: 'b', labels: { route: 'b' } }, { to: 'shared/c' }];
const desk = {
  kind: 'AgentSystem',
  metadata: {
    name: 'desk',
    namespace: 'team',
    annotations: { 'svc.dev/ui-layout': '{"d":"TB","n":{"a":[10,20],"shared/c":[30,40]}}' },
  },
  spec: { agents: ['a', 'b', 'shared/c'], graph: { a: { edges }, b: { next: 'shared/c', join: { mode: 'quorum' } } } },
} as unknown as Parameters<typeof duplicateText>[0];

const copied = (namespace: string) => onlyValueOf(duplicateText(desk, namespace))?.value;

test('a copy in the same namespace has the same spec', () =>
  expect(copied('team')).toMatchObject({ metadata: { name: 'desk-copy', namespace: 'team' }, spec: desk.spec }));

test('a copy in another namespace names the same agents', () =>
  expect(copied('prod')).toMatchObject({
    metadata: {
      name: 'desk-copy',
      namespace: 'prod',
      annotations: { 'svc.dev/ui-layout': '{"d":"TB","n":{"team/a":[10,20],"shared/c":[30,40]}}' },
    },
    spec: {
      agents: ['team/a', 'team/b', 'shared/c'],
      graph: {
        'team/a': { edges: [{ to: 'team/b', labels: { route: 'b' } }, { to: 'shared/c' }] },
        'team/b': { next: 'shared/c', join: { mode: 'quorum' } },
      },
    },
  }));

test('a copy has a valid name, however long that of the original is', () => {
  const long = { ...desk, metadata: { ...desk.metadata, name: 'n'.repeat(253) } };
  const made = onlyValueOf(duplicateText(long, 'team'))?.value as { metadata: { name: string } };
  expect(made.metadata.name).toMatch(/^n{248}-copy$/);
});
