// Names of generated Tools from names that a server made up.
import { expect, test } from 'vitest';
import { generatedName } from './plan.ts';

test.each([
  ['read file', 's--read-file'],
  ['a_b.c', 's--a-b-c'],
  ['end--', 's--end'],
  ['--', undefined],
])('%j makes %s', (tool, name) => {
  expect(generatedName('s', tool)).toBe(name);
});

test('a long name of dashes takes no longer than others', () => {
  const began = process.cpuUsage();
  expect(generatedName('s', `${'-'.repeat(400_000)}a-`)).toMatch(/^s-+a$/);
  expect(process.cpuUsage(began).user / 1_000).toBeLessThan(10_000);
});
