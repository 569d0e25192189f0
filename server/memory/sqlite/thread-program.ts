// Program of each thread that holds databases of Memories (checks/thread.mjs loads it): one request at a time, so that no search or commit holds the event loop.
import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { collectHeap } from '../../quiet-collection.ts';
import { DatabaseProblem } from './database-problem.ts';
import { EntryDatabase } from './entry-database.ts';
import { IN_THREAD, THREADS, type DatabaseAddress, type Job, type Result } from './requests.ts';

/** Files kept open; databases without a file stay until they are erased. */
const OPEN_FILES_MAX = 32;
const FILE_BYTES_MAX = 16 * 1024 * 1024 * 1024;
const IN_THREAD_BYTES_MAX = 128 * 1024 * 1024;
/** Memory of the databases of this thread beside the caches of the driver. */
const HELD_BYTES_MAX = (256 * 1024 * 1024) / THREADS;

/** In the order of their last use. */
const databases = new Map<DatabaseAddress, EntryDatabase>();

const isFile = (address: DatabaseAddress): boolean => !address.startsWith(IN_THREAD);

function databaseOf(address: DatabaseAddress): EntryDatabase {
  const known = databases.get(address);
  databases.delete(address);
  const database = known ?? open(address);
  databases.set(address, database);
  return database;
}

function open(address: DatabaseAddress): EntryDatabase {
  if (!isFile(address)) return new EntryDatabase({ path: ':memory:', bytesMax: IN_THREAD_BYTES_MAX });
  const files = [...databases.keys()].filter(isFile);
  if (files.length >= OPEN_FILES_MAX && files[0] !== undefined) close(files[0]);
  mkdirSync(dirname(address), { recursive: true, mode: 0o700 });
  return new EntryDatabase({ path: address, bytesMax: FILE_BYTES_MAX });
}

function close(address: DatabaseAddress): undefined {
  const database = databases.get(address);
  database?.close();
  databases.delete(address);
  if (database) collectSoon();
  return undefined;
}

/** Most closed databases that keep their files and caches. */
const CLOSED_MAX = 8;
const COLLECT_AFTER_MS = 1_000;

let closed = 0;
let collection: NodeJS.Timeout | undefined;

/** The driver has no call that ends a statement, and SQLite keeps a closed database open until its last statement is collected. */
function collectSoon(): void {
  closed += 1;
  if (closed > 1 && closed !== CLOSED_MAX) return;
  clearTimeout(collection);
  collection = setTimeout(collect, closed === CLOSED_MAX ? 0 : COLLECT_AFTER_MS);
}

function collect(): void {
  closed = 0;
  // A runtime without an inspector collects them with the rest of its garbage.
  collectHeap().catch(() => undefined);
}

function erase(address: DatabaseAddress): undefined {
  close(address);
  if (isFile(address)) for (const suffix of ['', '-wal', '-shm']) rmSync(`${address}${suffix}`, { force: true });
  return undefined;
}

function perform({ database, op, request }: Job): unknown {
  if (op === 'close') return close(database);
  if (op === 'erase') return erase(database);
  const target = databaseOf(database);
  const result: unknown = (target[op] as (request: unknown) => unknown).call(target, request);
  if (op === 'search') releaseOthers(target);
  return result;
}

/** Makes room for what a search read: the least recently used databases give theirs back first. */
function releaseOthers(kept: EntryDatabase): void {
  let held = [...databases.values()].reduce((sum, { heldBytes }) => sum + heldBytes, 0);
  for (const database of databases.values()) {
    if (held <= HELD_BYTES_MAX) return;
    if (database === kept) continue;
    held -= database.heldBytes;
    database.release();
  }
}

export function answer(job: Job): Result {
  try {
    return { ok: true, answer: perform(job) } as Result;
  } catch (error) {
    if (error instanceof DatabaseProblem) return { ok: false, code: error.code, message: error.message };
    return { ok: false, ...engineProblem(error, job.database) };
  }
}

export function end(): void {
  for (const address of databases.keys()) close(address);
}

/** Failures of SQLite by its result code, whose low byte is the class. One code stands for the size limit and for a full disk. */
function engineProblem(error: unknown, address: DatabaseAddress): Pick<Extract<Result, { ok: false }>, 'code' | 'message'> {
  const { errcode, sqliteCode, message } = error as { errcode?: number; sqliteCode?: number; message?: string };
  const code = (errcode ?? sqliteCode ?? 0) & 0xff;
  const atLimit = code === 13 && (!isFile(address) || databases.get(address)?.isNearLimit);
  if (atLimit) return { code: 'full', message: 'has reached its size limit' };
  if (code === 13) return { code: 'disk_full', message: 'cannot be written: the disk that holds it is full' };
  return { code: 'unusable', message: `cannot be read or written: ${message ?? 'unknown problem'}` };
}
