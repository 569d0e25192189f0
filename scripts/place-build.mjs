// Moves a finished build to its place, while servers may start from there and other builds may be moved there: names of files other than the
// entries depend on their contents, so old and new ones stand beside each other, and entries are moved when all that they name is there.
// Files of earlier builds stay for an hour, for programs that load them later.
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

const KEPT_MS = 3_600_000;

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));

/**
 * Returns the files of the build. The folder `built` must be on the same file system.
 * @param {string} built
 * @param {string} target
 * @param {string[]} entries
 */
export function placeBuild(built, target, entries) {
  const last = new Set(entries.map((entry) => join(entry)));
  const files = filesIn(built).sort((a, b) => Number(last.has(a)) - Number(last.has(b)));
  const now = Date.now() / 1000;
  for (const file of files) {
    utimesSync(join(built, file), now, now);
    mkdirSync(dirname(join(target, file)), { recursive: true });
    renameSync(join(built, file), join(target, file));
  }
  const current = new Set(files.map((file) => join(target, file)));
  // A target may hold other things than builds: only folders that this build fills are searched.
  const folders = new Set(files.filter((file) => file.includes(sep)).map((file) => file.split(sep)[0] ?? ''));
  for (const folder of folders) removeOld(join(target, folder), current);
  return files.map((file) => file.split(sep).join('/'));
}

function removeOld(folder, current) {
  for (const file of filesIn(folder).map((name) => join(folder, name))) {
    const { mtimeMs = Infinity } = statSync(file, { throwIfNoEntry: false }) ?? {};
    if (!current.has(file) && mtimeMs < Date.now() - KEPT_MS) rmSync(file, { force: true });
  }
}
