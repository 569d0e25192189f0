// Files that a command writes for its user. A write that ends in the middle, by a full disk or a kill, leaves the former file.
import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';

/** Replaces a file as a whole; `mode` is that of a new one. Follows links, and writes to devices and pipes directly. Rejects with the error of the system. */
export async function writeWhole(path: string, text: string, mode = 0o666): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const former = await stat(target).catch(() => undefined);
  if (former && !former.isFile()) return writeFile(target, text);
  const draft = `${target}.${process.pid}.tmp`;
  try {
    await writeFile(draft, text, { mode: former ? former.mode & 0o777 : mode, flush: true });
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
