// The reference pages on disk: which differ from what they should be, and writing them.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { Pages } from './reference.ts';

async function pagesOnDisk(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(directory.length + 1)
        .split(sep)
        .join('/'),
    );
}

async function textOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Names of pages that are missing, outdated, or no longer made from anything; sorted. */
export async function stalePages(directory: string, pages: Pages): Promise<string[]> {
  const outdated = await Promise.all(
    [...pages].map(async ([name, text]) => ((await textOf(join(directory, name))) === text ? [] : [name])),
  );
  const leftOver = (await pagesOnDisk(directory)).filter((name) => !pages.has(name));
  return [...outdated.flat(), ...leftOver].sort();
}

/** Brings the directory in line with the pages; answers the names it changed. */
export async function writePages(directory: string, pages: Pages): Promise<string[]> {
  const stale = await stalePages(directory, pages);
  for (const name of stale) {
    const file = join(directory, name);
    const text = pages.get(name);
    if (text === undefined) await rm(file);
    else {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  }
  return stale;
}
