// Turns what the driver and the server say into the service's errors, so that nothing above this folder sees either. Messages name the place, never the password.
import { ServiceError } from '@svc/shared/errors';
import pg from 'pg';
import { WriteRace } from '../write-race.ts';
import type { Target } from './target.ts';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const RACES: ReadonlySet<string> = new Set(['40001', '40P01', '55P03']);
const UNSTORABLE_TEXT: ReadonlySet<string> = new Set(['22021', '22P05']);
const UNSTORABLE_NUMBER: ReadonlySet<string> = new Set(['22003', '22P02']);
/** Classes of transient errors: connection, resources, operator, system. */
const PASSING_CLASSES: ReadonlySet<string> = new Set(['08', '53', '57', '58']);
const UNIQUE_VIOLATION = '23505';
/** Violated only after a read found no object. */
const OBJECT_KEY = 'objects_by_name';
const TOO_LARGE = '54000';
const READ_ONLY = '25006';
const IDLE_TOO_LONG = '25P03';
const MISSING_TABLES: ReadonlySet<string> = new Set(['42P01', '3F000', '42501', '42703']);
const DAMAGE: ReadonlySet<string> = new Set(['XX001', 'XX002']);

/** The server's answer to a statement, as against a connection that broke. */
export function isAnswer(error: unknown): error is pg.DatabaseError & { readonly code: string } {
  return error instanceof pg.DatabaseError && error.code !== undefined;
}

/** True when the server refused the statement and keeps the connection: the refused statement had no effect. */
export function refusesOnly(error: unknown): boolean {
  return isAnswer(error) && error.severity === 'ERROR';
}

export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return isAnswer(error) && error.code === UNIQUE_VIOLATION && error.constraint === constraint;
}

/** True for an error of `toServiceError` by which the session takes no writes. */
export function refusedAsReadOnly(error: unknown): boolean {
  return error instanceof ServiceError && isAnswer(error.cause) && error.cause.code === READ_ONLY;
}

export function unavailable(sentence: string, cause?: unknown): ServiceError {
  return new ServiceError('unavailable', sentence, cause === undefined ? {} : { cause });
}

function passing(code: string, place: string): string {
  switch (code) {
    case '53100':
      return `the disk of ${place} is full; free some space and try again`;
    case '53300':
      return `${place} has no free connections; raise its max_connections or start fewer servers`;
    case '57014':
      return `${place} did not answer in time; try again`;
    case '57P03':
      return `${place} is starting up or shutting down; try again`;
    default:
      return `${place} cannot be used at the moment; try again`;
  }
}

function answered(code: string, place: string): ServiceError | undefined {
  if (PASSING_CLASSES.has(code.slice(0, 2))) return unavailable(passing(code, place));
  if (code === READ_ONLY)
    return unavailable(`${place} is read-only, as a standby is; set the database URL to the primary server, or make the database writable`);
  if (code === IDLE_TOO_LONG) return unavailable(`${place} has ended a transaction that stood still; try again`);
  if (MISSING_TABLES.has(code)) return unavailable(`the tables in ${place} are missing, changed or not permitted to this user`);
  if (DAMAGE.has(code)) return unavailable(`${place} reports damaged data; restore it from a backup`);
  if (UNSTORABLE_TEXT.has(code)) return new ServiceError('invalid', 'a text holds a character that the database cannot store');
  if (UNSTORABLE_NUMBER.has(code)) return new ServiceError('invalid', 'a number is out of range or not whole');
  if (code === TOO_LARGE) return new ServiceError('too_large', 'a value is larger than the database can hold or index');
  if (code === UNIQUE_VIOLATION) return new ServiceError('conflict', 'the write contradicts what is stored already');
  return undefined;
}

/** The service's error for whatever a statement was rejected with; a programmer's error is returned as it is. What the server says never means that a run is broken. */
export function toServiceError(error: unknown, place: string): unknown {
  if (error instanceof ServiceError || error instanceof TypeError || error instanceof RangeError) return error;
  if (!isAnswer(error)) return unavailable(`the connection to ${place} was lost; try again`, error);
  if (RACES.has(error.code) || isUniqueViolation(error, OBJECT_KEY)) return new WriteRace(error);
  const known = answered(error.code, place) ?? new ServiceError('internal', `${place} refused a statement (${error.code})`);
  return new ServiceError(known.code, known.message, { cause: error });
}

function refused(code: string, target: Target): string {
  switch (code) {
    case '28P01':
      return `${target.place} refuses the password of user ${target.user}`;
    case '28000':
      return `${target.place} refuses user ${target.user}; check the user${target.tls === 'off' ? ', whether it requires TLS (sslmode=require)' : ''} and its pg_hba.conf`;
    case '3D000':
      return `${target.place} does not exist; create the database, or correct the database URL`;
    default:
      return answered(code, target.place)?.message ?? passing(code, target.place);
  }
}

function unreached(error: unknown, target: Target): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOENT':
      return `${target.place} cannot be reached: nothing listens there; check the database URL and that the server runs`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host name of ${target.place} cannot be resolved`;
    case '':
      return codeless(target);
    default:
      return target.tls === 'off'
        ? `${target.place} cannot be reached (${code})`
        : `${target.place} cannot be reached with TLS (${code}); check its certificate, or the sslmode of the database URL`;
  }
}

/** The driver gives no code for what it finds out by itself. */
function codeless(target: Target): string {
  if (target.tls !== 'off')
    return `${target.place} did not agree to a TLS connection in time; check that it offers TLS, or use sslmode=disable`;
  const password = target.hasPassword ? '' : ', or requires a password, which the database URL lacks';
  return `${target.place} did not answer in time${password}`;
}

/** The error of a connection that could not be made: always `unavailable`, or the ServiceError it already is. */
export function toConnectError(error: unknown, target: Target): ServiceError {
  if (error instanceof ServiceError) return error;
  const sentence = isAnswer(error) ? refused(error.code, target) : unreached(error, target);
  return unavailable(sentence, error);
}
