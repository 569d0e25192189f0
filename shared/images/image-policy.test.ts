import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ANY_NAMED_IMAGE, imagePatternProblem, imageRefusal, isListedRegistry, type ImagePolicy } from './image-policy.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const byDefault = { patterns: [ANY_NAMED_IMAGE], digestsRequired: false };
const only = (...patterns: string[]) => ({ patterns, digestsRequired: false });
const reasonOf = (image: string, policy: ImagePolicy = byDefault) => imageRefusal(image, policy)?.reason;

describe('the default ceiling', () => {
  test.each(['busybox', 'sec-probe:1', 'team/tool:2', 'docker.io/library/busybox', 'ghcr.io/a/b@' + DIGEST, 'r.example:5000/x', DIGEST])(
    'permits %s',
    (image) => expect(imageRefusal(image, byDefault)).toBeUndefined(),
  );

  test.each([
    '127.0.0.1:19999/meta/data:v1',
    '127.1:5000/x',
    '127.1/x',
    '0x7f.1:5000/x',
    '0x7f.0.0.1/x',
    '0X7F.1:80/x',
    '0177.0.0.1/x',
    '2130706433:5000/x',
    '10.0.0.7/x',
    '169.254.169.254/latest',
    '8.8.8.8/x',
    '[::1]:5000/x',
    '[::ffff:127.0.0.1]/x',
    'localhost/x',
    'localhost:5000/x',
    'LOCALHOST:5000/x',
    'LocalHost:5000/x',
    'a.localhost/x',
    'A.LocalHost:5000/x',
    'registry:5000/x',
    'Registry/x',
    'r.example.1/x',
    'r.0x7f/x',
  ])('refuses %s', (image) => {
    expect(imageRefusal(image, byDefault)).toMatchObject({
      reason: 'image_not_allowed',
      problem: expect.stringContaining('--allowed-images'),
    });
  });

  test.each([
    'localhost./x',
    '127.0.0.1./x',
    'LOCALHOST/X',
    'http://127.0.0.1/x',
    'user@127.0.0.1/x',
    '',
    'a b',
    '127.0.0.1:/x',
    '127。0。0。1/x',
  ])('refuses %j as no image', (image) => expect(reasonOf(image)).toBe('image_invalid'));

  test('refuses every IPv4 address, with any port and path', () => {
    fc.assert(
      fc.property(fc.ipV4Extended(), fc.option(fc.integer({ min: 1, max: 65535 })), (address, port) => {
        const image = `${address}${port === null ? '' : `:${port}`}/a/b:1`;
        // A number without a dot or a port is a folder of the default registry.
        fc.pre(/[.:]/.test(image.split('/')[0] ?? ''));
        expect(reasonOf(image)).toBeDefined();
      }),
    );
  });
});

describe('patterns', () => {
  test.each([
    ['registry.example/team/*', 'registry.example/team/a/b:1', true],
    ['registry.example/team/*', 'REGISTRY.example/team/a', true],
    ['registry.example/team/*', 'registry.example/teams/a', false],
    ['registry.example/team/*', 'registry.example/team', false],
    ['registry.example/team/*', 'registry.example:5000/team/a', false],
    ['registry.example/team/*', 'other.example/team/a', false],
    ['registry.example/team/*', 'team/a', false],
    ['registry.example/*', 'registry.example/a', true],
    ['docker.io/*', 'busybox', true],
    ['docker.io/*', 'index.docker.io/a/b', true],
    ['library/*', 'busybox:1', true],
    ['acme/*', 'docker.io/acme/x', true],
    ['acme/*', 'acme.example/x', false],
    ['busybox', 'docker.io/library/busybox:1.36', true],
    ['busybox', 'acme/busybox', false],
    ['busybox:1.36', 'busybox:1.37', false],
    ['busybox:1.36', 'busybox:1.36', true],
    ['busybox:latest', 'busybox', true],
    ['busybox:latest', 'busybox:1', false],
    [`busybox@${DIGEST}`, `busybox:9@${DIGEST}`, true],
    [`busybox@${DIGEST}`, 'busybox:9', false],
    ['127.0.0.1:5000/*', '127.0.0.1:5000/a', true],
    ['127.0.0.1:5000/*', '127.0.0.1:5001/a', false],
    ['127.0.0.1:5000/*', '127.1:5000/a', false],
    ['registry:5000/*', 'registry:5000/a', true],
    ['acme/*', DIGEST, false],
    [DIGEST, 'a'.repeat(64), true],
  ])('%s against %s: %s', (pattern, image, permitted) => {
    expect(imagePatternProblem(pattern)).toBeUndefined();
    expect(imageRefusal(image, only(pattern)) === undefined).toBe(permitted);
  });

  test.each(['', '**', '*/*', 'registry.*/x', 'r.example/a*', 'r.example/*/x', '/*', 'http://r.example/*', 'UPPER'])(
    '%j is refused',
    (pattern) => {
      expect(imagePatternProblem(pattern)).toContain('must be');
      expect(reasonOf('busybox', only(pattern))).toBe('image_not_allowed');
    },
  );
});

test('a demand for digests refuses tags and keeps ids', () => {
  const policy = { ...byDefault, digestsRequired: true };
  expect(reasonOf('busybox:1', policy)).toBe('image_without_digest');
  expect(reasonOf(`busybox:1@${DIGEST}`, policy)).toBeUndefined();
  expect(reasonOf(DIGEST, policy)).toBeUndefined();
});

test('a registry is listed when a pattern names it', () => {
  expect(isListedRegistry('docker.io', byDefault)).toBe(true);
  expect(isListedRegistry('r.example', byDefault)).toBe(false);
  expect(isListedRegistry('r.example', only('*', 'r.example/team/*'))).toBe(true);
});
