// Ratchet of the language rules: the number of comments and test titles that break them may only shrink, per top folder.
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { allFindings, breaksRules, committedCounts, countPerFolder, COUNTS_FILE, findingsIn, SLACK, topFolder } from './language.ts';
import { root } from './tree.ts';

const findings = allFindings();
const counts = countPerFolder(findings);
const committed = committedCounts();
const folders = [...new Set([...Object.keys(counts), ...Object.keys(committed)])];

const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

/** Text of the lines that were added since the counts were last committed; undefined without that history. */
function addedLines(): Set<string> | undefined {
  try {
    const base = git('log', '-1', '--format=%H', '--', COUNTS_FILE).trim();
    if (base === '') return undefined;
    const added = git('diff', '-U0', base).split('\n');
    return new Set(added.filter((line) => line.startsWith('+')).map((line) => line.slice(1).trim()));
  } catch {
    return undefined;
  }
}

function newFindings(folder: string): string[] {
  const added = addedLines();
  return findings
    .filter(({ path }) => topFolder(path) === folder)
    .filter(({ text }) => added === undefined || [...added].some((line) => line.includes(text)))
    .map(({ path, line, text }) => `${path}:${line} ${text}`);
}

describe('language of comments and test titles', () => {
  test('does not gain a comment or title that breaks the rules of CONTRIBUTING.md', () => {
    const grown = folders.filter((folder) => (counts[folder] ?? 0) > (committed[folder] ?? 0));
    expect(grown.flatMap(newFindings), 'reword these lines').toEqual([]);
    expect(grown, 'folders with more findings than language-counts.json allows').toEqual([]);
  });

  test('keeps the committed counts close to the real ones', () => {
    const loose = folders.filter((folder) => (committed[folder] ?? 0) > (counts[folder] ?? 0) + SLACK);
    expect(loose, 'lower the counts with: npm run language').toEqual([]);
  });
});

describe('language rule', () => {
  test.each([
    'What is told of a worker',
    'whoever is overtaken has decided nothing',
    'of branches stand in their order',
    'the model is told how it chooses',
    'a chunk that did not come',
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

  test('reports more paraphrases in the console', () => {
    const source = '// Objects that were asked for.';
    expect([findingsIn('renderer/x.ts', source), findingsIn('server/x.ts', source)].map(({ length }) => length)).toEqual([1, 0]);
  });
});
