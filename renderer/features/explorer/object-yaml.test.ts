// The text of a new object that is based on another.
import type { Resource } from '@svc/shared/resource';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { copyYaml } from './object-yaml.ts';

const resource = (kind: string, spec: object) =>
  ({ kind, metadata: { name: 'it', namespace: 'team', labels: {}, annotations: {}, resourceVersion: '7' }, spec }) as unknown as Resource;

test('a copy of a Secret contains no values: each key has a placeholder', async () => {
  const text = await copyYaml(resource('Secret', { data: { value: '***', other: '***' } }), 'home');
  expect(parse(text)).toEqual({
    apiVersion: 'svc.dev/v1',
    kind: 'Secret',
    metadata: { name: 'it-copy', namespace: 'home' },
    spec: { stringData: { value: '', other: '' } },
  });
  expect(text).not.toContain('keep their value');
});

test('a copy of any other kind has its content', async () => {
  expect(parse(await copyYaml(resource('Tool', { type: 'http' }), 'home'))).toMatchObject({
    metadata: { name: 'it-copy' },
    spec: { type: 'http' },
  });
});
