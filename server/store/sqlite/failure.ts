// Turns SQLite's result codes into the service's errors, so that nothing above this folder sees a driver error.
import type { FatalCode } from '@svc/shared/control';
import { ServiceError } from '@svc/shared/errors';
import { StartRefused } from '../../start-refused.ts';

/** Primary result codes, https://sqlite.org/rescode.html. */
const SQLITE = {
  PERM: 3,
  BUSY: 5,
  LOCKED: 6,
  NOMEM: 7,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  PROTOCOL: 15,
  TOOBIG: 18,
  CONSTRAINT: 19,
  NOTADB: 26,
} as const;

/** Extended codes of the constraints that a caller's data can run into; any other one is a programmer's error. */
const UNIQUENESS: ReadonlySet<number> = new Set([1555, 2067]);

const PRIMARY_CODE_MASK = 0xff;

/** The extended SQLite result code of a driver error; undefined for any other error. */
function extendedCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;
}

function primaryCode(error: unknown): number | undefined {
  const code = extendedCode(error);
  return code === undefined ? undefined : code & PRIMARY_CODE_MASK;
}

/** True when the engine refused a row because of a uniqueness or other constraint. */
export function isConstraintFailure(error: unknown): boolean {
  return primaryCode(error) === SQLITE.CONSTRAINT;
}

/** True for an error of this folder or of the file system whose cause is a full disk. */
export function isDiskFull(error: unknown): boolean {
  const { code, cause } = error as NodeJS.ErrnoException & { cause?: unknown };
  return code === 'ENOSPC' || primaryCode(cause) === SQLITE.FULL;
}

function describe(code: number, path: string): { code: 'unavailable' | 'too_large'; message: string } | undefined {
  switch (code) {
    case SQLITE.CORRUPT:
    case SQLITE.NOTADB:
      return { code: 'unavailable', message: damaged(path, undefined).message };
    case SQLITE.FULL:
      return { code: 'unavailable', message: `the disk that holds the database file ${path} is full; free some space and try again` };
    case SQLITE.IOERR:
      return { code: 'unavailable', message: `the database file ${path} cannot be read or written; check the disk that holds it` };
    case SQLITE.BUSY:
    case SQLITE.LOCKED:
      return { code: 'unavailable', message: `the database file ${path} is locked by another program; stop that program and try again` };
    case SQLITE.CANTOPEN:
    case SQLITE.PERM:
    case SQLITE.READONLY:
      return {
        code: 'unavailable',
        message: `the database file ${path} cannot be opened for writing; check that it is a file and its permissions`,
      };
    case SQLITE.NOMEM:
    case SQLITE.PROTOCOL:
      return { code: 'unavailable', message: `the database file ${path} cannot be used at the moment; try again` };
    case SQLITE.TOOBIG:
      return { code: 'too_large', message: 'the object is larger than the database can hold' };
    default:
      return undefined;
  }
}

/** The service's error for a driver error; any other error is returned as it is. */
export function toServiceError(error: unknown, path: string): unknown {
  if (UNIQUENESS.has(extendedCode(error) ?? 0)) {
    return new ServiceError('conflict', 'the write contradicts what is stored already', { cause: error });
  }
  const code = primaryCode(error);
  const known = code === undefined ? undefined : describe(code, path);
  return known ? new ServiceError(known.code, known.message, { cause: error }) : error;
}

export function damaged(path: string, cause: unknown): ServiceError {
  return new StartRefused('DAMAGED', `the database file ${path} is damaged or not a database; restore it from a backup or move it away`, {
    cause,
  });
}

const OPENING_FATALS: Readonly<Record<number, FatalCode>> = {
  [SQLITE.CORRUPT]: 'DAMAGED',
  [SQLITE.NOTADB]: 'DAMAGED',
  [SQLITE.FULL]: 'DISK_FULL',
  [SQLITE.IOERR]: 'IO_ERROR',
  [SQLITE.BUSY]: 'LOCKED',
  [SQLITE.LOCKED]: 'LOCKED',
  [SQLITE.CANTOPEN]: 'UNWRITABLE',
  [SQLITE.PERM]: 'UNWRITABLE',
  [SQLITE.READONLY]: 'UNWRITABLE',
};

/** The same for the first read of a file, before any other statement: every unknown error then means damage. */
export function toOpeningError(error: unknown, path: string): unknown {
  const translated = toServiceError(error, path);
  const code = primaryCode(error);
  if (translated === error) return code === undefined ? error : damaged(path, error);
  const fatal = code === undefined ? undefined : OPENING_FATALS[code];
  return fatal && translated instanceof ServiceError ? new StartRefused(fatal, translated.message, { cause: error }) : translated;
}
