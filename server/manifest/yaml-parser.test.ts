import { ServiceError } from '@svc/shared/errors';
import { afterAll, expect, test } from 'vitest';
import { loopDelay, RESPONSIVE_MS } from '../testing/loop-delay.ts';
import { createYamlParser } from './yaml-parser.ts';

const yaml = createYamlParser();
afterAll(() => yaml.close());

test('small and large texts give the same documents', async () => {
  const small = 'a: 1\n---\nb: [x, null, 1.5, true]\n';
  expect(await yaml.parse(small)).toEqual([{ a: 1 }, { b: ['x', null, 1.5, true] }]);
  expect(await yaml.parse(`${small}${'# remark\n'.repeat(2_000)}`)).toEqual([{ a: 1 }, { b: ['x', null, 1.5, true] }]);
});

const bomb = [
  'a0: &a0 [x, x, x, x, x, x, x, x, x, x]',
  ...[1, 2, 3, 4, 5].map((n) => `a${n}: &a${n} [${`*a${n - 1}, `.repeat(9)}*a${n - 1}]`),
];

test.each([
  ['200,000 tokens', 'k: v\n'.repeat(60_000).replaceAll('k', () => `k${Math.random()}`), 'invalid'],
  ['2,000,000 brackets', '['.repeat(2_000_000), 'invalid'],
  ['aliases that expand', bomb.join('\n'), 'invalid'],
  ['a flow of empty lists', `[${'[],'.repeat(45_000)}[]]`, undefined],
  ['one document for each line', '--- a\n'.repeat(30_000), undefined],
])('%s leave the event loop free', async (_what, text, code) => {
  const { value, longestMs } = await loopDelay(() =>
    yaml.parse(text).then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
  expect(longestMs).toBeLessThan(RESPONSIVE_MS);
  if (code) expect(value).toBeInstanceOf(ServiceError);
  expect((value as ServiceError | undefined)?.code).toBe(code);
});

test('errors of large and small texts are the same', async () => {
  const fault = 'a: 1\na: 2\n';
  const [small, large] = await Promise.all(
    [fault, `${'# remark\n'.repeat(2_000)}${fault}`].map((text) => yaml.parse(text).catch((error: unknown) => error)),
  );
  expect(large).toEqual(small);
});
