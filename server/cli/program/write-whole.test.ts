// Files of commands: replaced as a whole.
import { lstat, mkdtemp, open, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { writeWhole } from './write-whole.ts';

async function setup(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-whole-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

it('keeps the former file until the new one is complete', async () => {
  const directory = await setup();
  const path = join(directory, 'all.yaml');
  await writeFile(path, 'former', { mode: 0o640 });
  const former = await open(path);
  onTestFinished(() => former.close());
  await writeWhole(path, 'new text', 0o600);
  expect([await former.readFile('utf8'), await readFile(path, 'utf8')]).toEqual(['former', 'new text']);
  expect((await stat(path)).mode & 0o777).toBe(0o640);
  expect(await readdir(directory)).toEqual(['all.yaml']);
});

it('writes through a link, and makes a new file with its mode', async () => {
  const directory = await setup();
  const [path, link] = [join(directory, 'today.yaml'), join(directory, 'latest.yaml')];
  await writeWhole(path, 'one', 0o600);
  await symlink('today.yaml', link);
  await writeWhole(link, 'two');
  expect([await readFile(path, 'utf8'), (await lstat(link)).isSymbolicLink()]).toEqual(['two', true]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it('rejects with the error of the system for an absent folder', async () => {
  const path = join(await setup(), 'absent', 'all.yaml');
  await expect(writeWhole(path, 'text')).rejects.toMatchObject({ code: 'ENOENT' });
});
