// Copies of a server's data, made while no server has it open. The newest ones are kept.
import { cp, lstat, mkdir, readdir, realpath, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** File that makes a directory one of a server. */
export const DATABASE = 'svc.db';

/** Names of a server's data: the database with its companions, and Memories. Other files in the directory belong to somebody else. */
const DATA = /^(svc\.db([-.].+)?|memories)$/;
/** The lock of the owner, and its companions. */
const LOCK = `${DATABASE}.lock`;

const KEPT = 5;
/** Names of copies that the app made, by their time; nothing else in the folder is removed. */
const OWN_COPY = /^\d{4}-\d\d-\d\dT/;
/** End of the name of a copy that is being made. */
export const UNFINISHED = '.partial';

/** Names in the directory that belong to a server's data; none without the directory. */
export async function dataIn(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => DATA.test(name) && !name.startsWith(LOCK));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Throws for a link, device or socket: a copy holds the data itself, and names nothing outside of it. */
async function requirePlain(path: string): Promise<true> {
  const found = await lstat(path);
  if (found.isFile() || found.isDirectory()) return true;
  throw new Error(`${path} is a link, a device or a socket: only files and folders are copied`);
}

/** Copies a server's data into a new private directory; a link in the place of the database or of Memories counts as its target. A copy that fails leaves none. */
export async function copyData(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  try {
    for (const name of await dataIn(from))
      await cp(await realpath(join(from, name)), join(to, name), {
        recursive: true,
        errorOnExist: true,
        force: false,
        filter: requirePlain,
      });
  } catch (error) {
    await rm(to, { recursive: true, force: true });
    throw error;
  }
}

/** Returns the path of the copy; undefined when there is nothing to copy. */
export async function backUpData(dataDir: string, backups: string, label: string): Promise<string | undefined> {
  if ((await dataIn(dataDir)).length === 0) return undefined;
  const target = join(backups, label);
  await copyData(dataDir, `${target}${UNFINISHED}`);
  await rename(`${target}${UNFINISHED}`, target);
  await removeOld(backups);
  return target;
}

async function removeOld(backups: string): Promise<void> {
  const own = (await readdir(backups)).filter((name) => OWN_COPY.test(name)).sort();
  // A copy that the end of the app interrupted.
  const unfinished = own.filter((name) => name.endsWith(UNFINISHED));
  const old = own.filter((name) => !name.endsWith(UNFINISHED)).slice(0, -KEPT);
  for (const name of [...unfinished, ...old]) await rm(join(backups, name), { recursive: true, force: true });
}
