// Pages on disk: what counts as stale, and that writing leaves exactly the pages.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stalePages, writePages } from './page-files.ts';

async function setup(files: Readonly<Record<string, string>>) {
  const directory = await mkdtemp(join(tmpdir(), 'pages-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await mkdir(join(directory, 'kinds'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  return directory;
}

const pages = new Map([
  ['api.md', 'api\n'],
  ['kinds/tasks.md', 'tasks\n'],
  ['svcd.md', 'svcd\n'],
]);

test('missing, outdated and left-over pages are stale', async () => {
  const directory = await setup({ 'api.md': 'api\n', 'kinds/tasks.md': 'old\n', 'kinds/gone.md': 'gone\n' });
  expect(await stalePages(directory, pages)).toEqual(['kinds/gone.md', 'kinds/tasks.md', 'svcd.md']);
});

test('without the directory every page is stale', async () => {
  const directory = await setup({});
  expect(await stalePages(join(directory, 'none'), pages)).toEqual([...pages.keys()].sort());
});

test('writing brings the directory in line, and a second time changes nothing', async () => {
  const directory = await setup({ 'kinds/gone.md': 'gone\n', 'kinds/tasks.md': 'old\n' });
  expect(await writePages(directory, pages)).toEqual(['api.md', 'kinds/gone.md', 'kinds/tasks.md', 'svcd.md']);
  expect(await readFile(join(directory, 'kinds/tasks.md'), 'utf8')).toBe('tasks\n');
  expect(await stalePages(directory, pages)).toEqual([]);
  expect(await writePages(directory, pages)).toEqual([]);
});
