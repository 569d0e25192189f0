// The data directory as a whole: replaced by a copy, or emptied. Called while no server has it open; what was there is copied first.
import { cp, mkdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { backUpData } from './backup.ts';

/** File that makes a directory one of a server. */
const DATABASE = 'svc.db';

export interface DataFolder {
  readonly dataDir: string;
  /** Directory of all copies. */
  readonly backups: string;
  /** Name of the next copy. */
  readonly label: string;
}

/** Directory of a chosen database file. Throws, with what to do, for any other file and for the data directory itself. */
export function copyOf(path: string, dataDir: string): string {
  const chosen = resolve(dirname(path));
  if (basename(path) !== DATABASE) throw new Error(`Choose the file ${DATABASE} of a copy: ${basename(path)} is no database of a server`);
  if (chosen === resolve(dataDir) || `${chosen}${sep}`.startsWith(`${resolve(dataDir)}${sep}`))
    throw new Error('This is the data directory in use: choose a copy of it');
  return chosen;
}

/** Removes everything in the data directory. Returns the copy made before; undefined when there was nothing. */
export async function resetData({ dataDir, backups, label }: DataFolder): Promise<string | undefined> {
  const copy = await backUpData(dataDir, backups, `${label}-before-reset`);
  await rm(dataDir, { recursive: true, force: true });
  return copy;
}

/** Replaces the data directory by a copy. When that fails, what was there is put in its place again. */
export async function restoreData({ dataDir, backups, label }: DataFolder, source: string): Promise<string | undefined> {
  await stat(join(source, DATABASE));
  // Read completely before anything is removed: a copy may be the oldest one, which the next copy replaces.
  const staged = `${dataDir}.restoring`;
  await rm(staged, { recursive: true, force: true });
  await mkdir(dirname(dataDir), { recursive: true });
  await cp(source, staged, { recursive: true });
  const before = await backUpData(dataDir, backups, `${label}-before-restore`);
  await rm(dataDir, { recursive: true, force: true });
  try {
    await rename(staged, dataDir);
  } catch (error) {
    await rm(dataDir, { recursive: true, force: true });
    if (before !== undefined) await cp(before, dataDir, { recursive: true });
    throw error;
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
  return before;
}
