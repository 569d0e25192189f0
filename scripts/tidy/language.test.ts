// Language rule: no comment or test title may break the rules of CONTRIBUTING.md.
import { describe, expect, test } from 'vitest';
import { allFindings, breaksRules, findingsIn } from './language.ts';

test('comments and test titles follow the language rules of CONTRIBUTING.md', () => {
  const findings = allFindings().map(({ path, line, text }) => `${path}:${line} ${text}`);
  expect(findings, 'reword these lines').toEqual([]);
  // Thousands of files are read.
}, 60_000);

describe('language rule', () => {
  test.each([
    'What is told of a worker',
    'whoever is overtaken has decided nothing',
    'of branches stand in their order',
    'the model is told how it chooses',
    'a chunk that did not come',
    'and calls a tool',
    'a name that is none of ours',
    'a Task in the hands of its owner',
    'a pool that is patient with its server',
    'Objects that were asked for',
    'a status that says so',
    'Items left for want of a slot',
  ])('rejects "%s"', (text) => {
    expect(breaksRules(text)).toBe(true);
  });

  test.each(['Held runs of a worker, oldest first', 'rejects an expired token with 401', 'Offers the routes of the agent'])(
    'accepts "%s"',
    (text) => {
      expect(breaksRules(text)).toBe(false);
    },
  );

  test('reads the first line of each comment, trailing comments and titles, and no code', () => {
    const source = [
      '// What this is.',
      '// that continues the sentence.',
      "const url = 'http://what.example'; // of no use",
      '/**',
      ' * Who asks.',
      ' */',
      "test('that is read', () => {});",
      "test.each([1])('of each', () => {});",
      "const title = 'what a string says';",
    ].join('\n');
    expect(findingsIn('shared/x.ts', source).map(({ line }) => line)).toEqual([1, 3, 5, 7, 8]);
  });
});
