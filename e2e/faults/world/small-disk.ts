// A file system of a few megabytes that can be filled up, mounted as root and removed with its scenario.
import { execFile, execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Missing } from '../scenario.ts';
import { atExit } from './cleanup.ts';

const run = promisify(execFile);
const BLOCK_BYTES = 64 * 1024;

export interface SmallDisk {
  readonly path: string;
  /** Fills all the space that is left. */
  fill(): void;
  free(): void;
  remove(): Promise<void>;
}

export async function mountSmallDisk(sizeMb: number): Promise<SmallDisk> {
  const path = mkdtempSync(join(tmpdir(), 'svc-faults-disk-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m`, 'svc-faults', path]);
  } catch (error) {
    rmdirSync(path);
    throw error;
  }
  const filler = join(path, 'filler');
  const forget = atExit(() => execFileSync('umount', ['-l', path]));
  return {
    path,
    fill: () => fillUp(filler),
    free: () => rmSync(filler, { force: true }),
    async remove() {
      // Lazily: a process that has just ended may hold it for a moment more.
      await run('umount', ['-l', path]);
      forget();
      rmdirSync(path);
    },
  };
}

/** Writes ever smaller blocks until not one byte fits. */
function fillUp(file: string): void {
  const descriptor = openSync(file, 'a');
  try {
    for (let size = BLOCK_BYTES; size >= 1;) {
      try {
        writeSync(descriptor, Buffer.alloc(size));
      } catch {
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

export async function mountMissing(): Promise<Missing | undefined> {
  try {
    await (await mountSmallDisk(1)).remove();
    return undefined;
  } catch {
    return { reason: 'this user may not mount a small file system (it takes root)', excused: true };
  }
}
