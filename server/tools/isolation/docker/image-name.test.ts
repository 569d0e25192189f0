import { expect, test } from 'vitest';
import { parseImageName } from './image-name.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

test.each([
  ['busybox', 'busybox:latest', 'docker.io', false],
  ['busybox:1.36', 'busybox:1.36', 'docker.io', false],
  ['team/tool', 'team/tool:latest', 'docker.io', false],
  ['docker.io/library/busybox', 'docker.io/library/busybox:latest', 'docker.io', false],
  ['ghcr.io/team/tool:v1', 'ghcr.io/team/tool:v1', 'ghcr.io', false],
  ['localhost/tool', 'localhost/tool:latest', 'localhost', false],
  ['127.0.0.1:5000/a/b', '127.0.0.1:5000/a/b:latest', '127.0.0.1:5000', false],
  [`busybox@${DIGEST}`, `busybox@${DIGEST}`, 'docker.io', false],
  [`r.example:1/b:2@${DIGEST}`, `r.example:1/b:2@${DIGEST}`, 'r.example:1', false],
  [DIGEST, DIGEST, 'docker.io', true],
])('%s is asked for as %s from %s', (image, reference, registry, isId) => {
  expect(parseImageName(image)).toEqual({ reference, registry, isId });
});

test.each([
  '',
  ' ',
  'UPPER',
  'a b',
  'a:',
  ':tag',
  'a@',
  'a@sha256:xyz',
  'a@b@c',
  '-a',
  'a//b',
  '../x',
  'a:t?x=1',
  'http://r.example/a',
  'a'.repeat(300),
])('%j is no image', (image) => {
  expect(parseImageName(image)).toBeUndefined();
});
