import fc from 'fast-check';
import { expect, test } from 'vitest';
import { imageReferenceProblem, parseImageReference } from './image-reference.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const SHA512 = `sha512:${'b'.repeat(128)}`;

test.each([
  ['busybox', 'busybox:latest', 'docker.io', 'library/busybox', 'latest', undefined],
  ['busybox:1.36', 'busybox:1.36', 'docker.io', 'library/busybox', '1.36', undefined],
  ['team/tool', 'team/tool:latest', 'docker.io', 'team/tool', 'latest', undefined],
  ['docker.io/library/busybox', 'docker.io/library/busybox:latest', 'docker.io', 'library/busybox', 'latest', undefined],
  ['index.docker.io/busybox:1', 'index.docker.io/busybox:1', 'docker.io', 'library/busybox', '1', undefined],
  ['ghcr.io/team/tool:v1', 'ghcr.io/team/tool:v1', 'ghcr.io', 'team/tool', 'v1', undefined],
  ['GHCR.io/team/tool:v1', 'GHCR.io/team/tool:v1', 'ghcr.io', 'team/tool', 'v1', undefined],
  ['Registry/tool', 'Registry/tool:latest', 'registry', 'tool', 'latest', undefined],
  ['localhost/tool', 'localhost/tool:latest', 'localhost', 'tool', 'latest', undefined],
  ['127.0.0.1:5000/a/b', '127.0.0.1:5000/a/b:latest', '127.0.0.1:5000', 'a/b', 'latest', undefined],
  ['[::1]:5000/a', '[::1]:5000/a:latest', '[::1]:5000', 'a', 'latest', undefined],
  ['r:5/a.b__c-d--e_f', 'r:5/a.b__c-d--e_f:latest', 'r:5', 'a.b__c-d--e_f', 'latest', undefined],
  [`busybox@${DIGEST}`, `busybox@${DIGEST}`, 'docker.io', 'library/busybox', undefined, DIGEST],
  [`r.example:1/b:2@${DIGEST}`, `r.example:1/b:2@${DIGEST}`, 'r.example:1', 'b', '2', DIGEST],
  [`r.example/b@${SHA512}`, `r.example/b@${SHA512}`, 'r.example', 'b', undefined, SHA512],
])('reference %s is sent as %s to registry %s', (text, reference, registry, repository, tag, digest) => {
  expect(parseImageReference(text)).toEqual({
    reference,
    registry,
    repository,
    ...(tag !== undefined && { tag }),
    ...(digest !== undefined && { digest }),
    isId: false,
  });
  expect(imageReferenceProblem(text)).toBeUndefined();
});

test.each([DIGEST, 'a'.repeat(64)])('image id %s is recognised', (id) => {
  expect(parseImageReference(id)).toEqual({ reference: id, registry: 'docker.io', repository: '', isId: true });
});

test.each([
  ['', 'path'],
  [' ', 'path'],
  ['UPPER', 'path'],
  ['a b', 'path'],
  ['team/Tool', 'path'],
  ['a//b', 'path'],
  ['../x', 'registry'],
  ['-a', 'path'],
  ['a___b', 'path'],
  ['a..b/c', 'registry'],
  ['a/b..c', 'path'],
  ['http://r.example/a', 'registry'],
  ['r.example/', 'path'],
  ['user@r.example/a', 'digest'],
  ['r.example:99999/a', 'registry'],
  ['r_x.example/a', 'registry'],
  ['-r.example/a', 'registry'],
  ['[zz]:1/a', 'registry'],
  ['a:', 'tag'],
  ['a:.t', 'tag'],
  ['a:t?x=1', 'tag'],
  [`a:${'t'.repeat(129)}`, 'tag'],
  [':tag', 'path'],
  ['a@', 'digest'],
  ['a@sha256:xyz', 'digest'],
  ['a@b@c', 'digest'],
  [`a@sha256:${'A'.repeat(64)}`, 'digest'],
  [`a@sha256:${'a'.repeat(63)}`, 'digest'],
  [`a@md5:${'a'.repeat(32)}`, 'digest'],
  [`@${DIGEST}`, 'path'],
  ['a\0b', 'path'],
  ['a\n', 'path'],
  ['a:1\n', 'tag'],
  ['a\u202eb', 'path'],
  ['--privileged', 'path'],
  ['a'.repeat(300), '255'],
  ['a'.repeat(3_000_000), 'at most'],
])('text %j is refused for its %s', (text, part) => {
  expect(parseImageReference(text)).toBeUndefined();
  expect(imageReferenceProblem(text)).toContain(part);
});

test('accepted references hold only characters that references are made of', () => {
  const character = fc.constantFrom(...'aZ0._-:/@[]\0 \n%?#\u202e\ud800');
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 40 }), (text) => {
      const image = parseImageReference(text);
      if (image !== undefined) expect(image.reference).toMatch(/^[A-Za-z0-9._:/@[\]-]+$/);
    }),
  );
});
