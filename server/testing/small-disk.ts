// A file system of a few bytes for tests of a full disk, mounted while a function uses it. Takes root on Linux.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';

export const canMount = process.getuid?.() === 0 && process.platform === 'linux';

/** `size` as mount takes it: `64k`. `skip` ends the test where this machine mounts nothing. */
export async function onSmallDisk(
  { path, size, skip }: { readonly path: string; readonly size: string; readonly skip: (note: string) => never },
  use: () => Promise<void>,
): Promise<void> {
  mkdirSync(path, { recursive: true });
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path]).status !== 0) skip('this machine mounts no file system');
  try {
    await use();
  } finally {
    // Lazily: a file may be open for a moment more.
    spawnSync('umount', ['-l', path]);
  }
}
