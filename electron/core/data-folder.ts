// All data in the data directory: replaced by a copy, or removed. Called while no server has it open; the old data is copied first. The directory
// itself and other files in it stay: it may be a mount, and holds the lock of its owner.
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { backUpData, copyData, DATABASE, dataIn, UNFINISHED } from './backup.ts';

/** Folders in the data directory, so that each move is a rename: data that comes, data that goes, and data that has gone as a whole. */
const ARRIVING = '.restoring';
const LEAVING = '.replacing';
const GONE = '.replaced';

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
  if (basename(path) !== DATABASE)
    throw new Error(`Choose the file ${DATABASE} of a copy: ${basename(path)} is not a database of a server`);
  if (chosen === resolve(dataDir) || `${chosen}${sep}`.startsWith(`${resolve(dataDir)}${sep}`))
    throw new Error('This is the data directory in use: choose a copy of it');
  if (chosen.endsWith(UNFINISHED))
    throw new Error('This copy is not complete, because the app ended while it was made: choose another one');
  return chosen;
}

/** Removes all data. Returns the copy made before; undefined when there was nothing. When it fails, everything is as before. */
export async function resetData({ dataDir, backups, label }: DataFolder): Promise<string | undefined> {
  const copy = await backUpData(dataDir, backups, `${label}-before-reset`);
  await replaceData(dataDir, undefined);
  return copy;
}

/** Replaces all data by a copy. When it fails, everything is as before. */
export async function restoreData({ dataDir, backups, label }: DataFolder, source: string): Promise<string | undefined> {
  await stat(join(source, DATABASE));
  // Read completely before anything is removed: a copy may be the oldest one, which the next copy replaces.
  const arriving = join(dataDir, ARRIVING);
  await rm(arriving, { recursive: true, force: true });
  await copyData(source, arriving);
  try {
    const before = await backUpData(dataDir, backups, `${label}-before-restore`);
    await replaceData(dataDir, arriving);
    return before;
  } finally {
    await rm(arriving, { recursive: true, force: true });
  }
}

async function replaceData(dataDir: string, arriving: string | undefined): Promise<void> {
  const [leaving, gone] = [join(dataDir, LEAVING), join(dataDir, GONE)];
  await rm(gone, { recursive: true, force: true });
  await mkdir(leaving, { recursive: true, mode: 0o700 });
  try {
    await moveData(dataDir, leaving);
    await rename(leaving, gone);
    if (arriving !== undefined)
      await moveData(arriving, dataDir).catch(async (error: unknown) => {
        await moveData(gone, dataDir);
        throw error;
      });
  } catch (error) {
    // Empty, unless the system refused to move data back.
    for (const folder of [leaving, gone]) await rmdir(folder).catch(() => undefined);
    throw error;
  }
  // The data is replaced now. A remainder that the system holds is removed by the next call.
  await rm(gone, { recursive: true, force: true }).catch(() => undefined);
}

/** Whether the app ended while it replaced the data. */
export const isInterrupted = (dataDir: string): boolean => [ARRIVING, LEAVING, GONE].some((name) => existsSync(join(dataDir, name)));

/** After such an end: the data is the new one where all of that of before had gone, else that of before. Called like the others. */
export async function recoverData(dataDir: string): Promise<void> {
  const [arriving, leaving, gone] = [join(dataDir, ARRIVING), join(dataDir, LEAVING), join(dataDir, GONE)];
  await moveData(leaving, dataDir);
  const has = (folder: string) => existsSync(join(folder, DATABASE));
  if (has(gone) && !has(dataDir)) await moveData(has(arriving) ? arriving : gone, dataDir);
  for (const folder of [arriving, leaving, gone]) await rm(folder, { recursive: true, force: true });
}

/** Moves all data or none. The database moves last: a folder that has it is complete. */
async function moveData(from: string, to: string): Promise<void> {
  const moved: string[] = [];
  try {
    const names = await dataIn(from);
    for (const name of names.sort((a, b) => Number(a === DATABASE) - Number(b === DATABASE))) {
      await rename(join(from, name), join(to, name));
      moved.push(name);
    }
  } catch (error) {
    for (const name of moved) await rename(join(to, name), join(from, name));
    throw error;
  }
}
