// Temporary files of a test run: in memory where the system offers that. Tests make thousands of small databases and files, and a fifth of
// their processor time went into the disk. What they hold is real: the same programs and calls, on another file system.
import { accessSync, constants, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** Linux's file system in memory. */
const SHARED_MEMORY = '/dev/shm';
const PREFIX = 'svc-tests-';
/** Containers often have 64 MB of it; the tests of packages and images need much more. */
const FREE_MIN_BYTES = 4 * 1024 ** 3;

function hasRoom(): boolean {
  try {
    accessSync(SHARED_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return bavail * bsize >= FREE_MIN_BYTES;
  } catch {
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Removes what runs that were killed left in memory. */
function removeAbandoned(): void {
  for (const name of readdirSync(SHARED_MEMORY)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length)) : Number.NaN;
    if (Number.isInteger(pid) && !isRunning(pid)) rmSync(join(SHARED_MEMORY, name), { recursive: true, force: true });
  }
}

/**
 * Gives this process and those it starts a folder in memory for temporary files, which is removed when this process ends. A folder that the
 * environment names (`TMPDIR`) stays; without enough memory for files, the system's folder does.
 */
export function useMemoryFolder(): void {
  if (process.env['TMPDIR'] !== undefined || !hasRoom()) return;
  removeAbandoned();
  const folder = join(SHARED_MEMORY, `${PREFIX}${process.pid}`);
  // Database servers of the tests run as another user, who passes through it.
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  process.env['TMPDIR'] = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}
