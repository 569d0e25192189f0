// The pages as a whole: deterministic, complete, and whole tables whatever the descriptions say.
import { posix } from 'node:path';
import { kinds } from '@svc/shared/kinds';
import { expect, test } from 'vitest';
import { COMMANDS } from '../cli/program/command-list.ts';
import { describeRoutes } from '../http/route-table.ts';
import { anchor } from './markdown.ts';
import { referencePages } from './reference.ts';

const pages = await referencePages();

const headings = (text: string) => [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchor(heading));

test('reference pages are the same each time they are generated', async () => {
  expect([...(await referencePages())]).toEqual([...pages]);
});

test('each kind has a page', () => {
  expect([...pages.keys()].filter((name) => name.startsWith('kinds/')).sort()).toEqual(
    ['kinds/README.md', ...kinds.map(({ plural }) => `kinds/${plural}.md`)].sort(),
  );
});

test('each route is listed in api.md, by itself or among those of every kind', () => {
  const api = headings(pages.get('api.md') ?? '');
  const plurals = new Set(kinds.map(({ plural }) => plural));
  const missing = describeRoutes().filter(({ method, path }) => {
    const general = path.replace(/^\/v1\/([^/]+)/, (all, plural: string) => (plurals.has(plural) ? '/v1/{kind}' : all));
    return ![path, general].some((each) => api.includes(anchor(`${method} ${each}`)));
  });
  expect(missing).toEqual([]);
});

test('each shown command of svcctl has a section', () => {
  const sections = headings(pages.get('svcctl.md') ?? '');
  expect(COMMANDS.filter(({ name, hidden }) => !hidden && !sections.includes(anchor(name)))).toEqual([]);
});

test('every row of a table has as many cells as its header', () => {
  const cells = (line: string) => line.split(/(?<!\\)\|/).length;
  for (const [name, text] of pages) {
    const tables = text.split('\n\n').filter((block) => block.startsWith('|'));
    for (const lines of tables.map((block) => block.trimEnd().split('\n'))) {
      expect(new Set(lines.map(cells)).size, `${name}: ${lines[0]}`).toBe(1);
    }
  }
});

test('links between pages lead to pages', () => {
  const known = new Set(pages.keys());
  const broken = [...pages].flatMap(([name, text]) =>
    [...text.matchAll(/\]\((?!https?:|\.\.)([^)#]+\.md)/g)]
      .map(([, target = '']) => posix.join(posix.dirname(name), target))
      .filter((target) => !known.has(target)),
  );
  expect(broken).toEqual([]);
});

test('no value is shown as an object', () => {
  for (const [name, text] of pages) expect(text, name).not.toContain('[object Object]');
});
