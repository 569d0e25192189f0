// Lets one process own a database file. The lock is the operating system's, so it ends with its owner, however that one died.
import { StartRefused } from '../../start-refused.ts';
import { openDatabase } from './driver.ts';
import { toOpeningError } from './failure.ts';

/** The file that carries the lock of the database at `path`. */
export function lockPath(path: string): string {
  return `${path}.lock`;
}

/** Takes the lock beside `path`; the returned function gives it back. Throws `unavailable` when another process holds it, or the disk refuses it. */
export function acquireOwnerLock(path: string): () => void {
  const db = openDatabase(lockPath(path));
  try {
    // An empty SQLite file held in an exclusive transaction: SQLite's own file locks work on every platform and have no stale state.
    db.exec('PRAGMA busy_timeout = 0');
    // Nothing is ever written to it, so it needs no journal file beside it.
    db.exec('PRAGMA journal_mode = OFF');
    db.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    db.close();
    const problem = toOpeningError(cause, lockPath(path));
    // A full or failing disk refuses the lock too.
    if (!(problem instanceof StartRefused) || problem.fatal !== 'LOCKED') throw problem;
    const message = `another server is using the database ${path}; stop it, or give this one a data directory of its own`;
    throw new StartRefused('LOCKED', message, { cause });
  }
  return () => {
    if (db.isOpen) db.close();
  };
}
