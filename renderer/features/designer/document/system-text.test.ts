// The text of a copied system.
import { expect, test } from 'vitest';
import { onlyValueOf } from '../../../yaml/yaml-paths.ts';
import { duplicateText } from './system-text.ts';

const edges = [{ to: 'b', labels: { route: 'b' } }, { to: 'shared/c' }];
const desk = {
  kind: 'AgentSystem',
  metadata: { name: 'desk', namespace: 'team' },
  spec: { agents: ['a', 'b', 'shared/c'], graph: { a: { edges }, b: { next: 'shared/c', join: { mode: 'quorum' } } } },
} as unknown as Parameters<typeof duplicateText>[0];

const copied = (namespace: string) => onlyValueOf(duplicateText(desk, namespace))?.value;

test('a copy in the same namespace has the same spec', () =>
  expect(copied('team')).toMatchObject({ metadata: { name: 'desk-copy', namespace: 'team' }, spec: desk.spec }));

test('a copy in another namespace names the same agents', () =>
  expect(copied('prod')).toMatchObject({
    metadata: { name: 'desk-copy', namespace: 'prod' },
    spec: {
      agents: ['team/a', 'team/b', 'shared/c'],
      graph: {
        'team/a': { edges: [{ to: 'team/b', labels: { route: 'b' } }, { to: 'shared/c' }] },
        'team/b': { next: 'shared/c', join: { mode: 'quorum' } },
      },
    },
  }));
