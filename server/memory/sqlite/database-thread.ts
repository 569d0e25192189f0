// The threads of the databases of Memories, as the rest of the server uses them. Each is started with its first request.
import { invariant, ServiceError } from '@svc/shared/errors';
import { createThreadPool } from '../../checks/thread-pool.ts';
import { CallError } from '../../engine/ports.ts';
import { threadModule } from '../../installation.ts';
import { WRONG_DIMENSIONS_REMEDY } from '../backend.ts';
import {
  THREADS,
  type Answers,
  type DatabaseAddress,
  type Job,
  type Operation,
  type ProblemCode,
  type RequestOf,
  type Result,
} from './requests.ts';

/** A commit on a slow disk, or a search over millions of entries. */
const DEADLINE_MS = 30_000;
const WAITING_MAX = 10_000;
const HEAP_MAX_MB = 256;

export interface DatabaseThread {
  /** `what` names the Memory in errors. Rejects with CallError. */
  run<Op extends Operation>(
    place: { readonly database: DatabaseAddress; readonly what: string },
    op: Op,
    request: RequestOf<Op>,
  ): Promise<Answers[Op]>;
  /** Idempotent. */
  close(): Promise<void>;
}

export function createDatabaseThread(): DatabaseThread {
  // A database has one connection, so its requests are always of the same thread. A slow one delays databases of its thread only.
  const pools = Array.from({ length: THREADS }, () =>
    createThreadPool<Job, Result>({
      title: 'memories',
      program: threadModule('memory/sqlite/thread-program'),
      threadsMax: 1,
      deadlineMs: DEADLINE_MS,
      waitingMax: WAITING_MAX,
      heapMaxMb: HEAP_MAX_MB,
      isNative: true,
    }),
  );
  let closed = false;
  return {
    async run<Op extends Operation>({ database, what }: { database: DatabaseAddress; what: string }, op: Op, request: RequestOf<Op>) {
      if (closed) throw unavailable(what, 'is closed: the server is shutting down');
      const pool = pools[threadOf(database)];
      invariant(pool, 'each database has a thread');
      const result = (await pool.run({ database, op, request }).catch((error: unknown) => {
        throw unavailable(
          what,
          `did not answer: ${error instanceof ServiceError || error instanceof Error ? error.message : 'unknown problem'}`,
          error,
        );
      })) as Result<Op>;
      if (result.ok) return result.answer;
      throw problemOf(what, result);
    },
    async close() {
      closed = true;
      await Promise.all(pools.map((pool) => pool.close()));
    },
  };
}

const threadOf = (database: DatabaseAddress): number =>
  [...database].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 65_536, 0) % THREADS;

const REMEDY: Readonly<Record<ProblemCode, string>> = {
  wrong_dimensions: `; ${WRONG_DIMENSIONS_REMEDY}`,
  full: '; delete entries',
  disk_full: '; free some space and try again',
  unusable: '',
};

function problemOf(what: string, { code, message }: { readonly code: ProblemCode; readonly message: string }): CallError {
  return new CallError('execution_failed', `${what} ${message}${REMEDY[code]}`, {
    retryable: code === 'unusable' || code === 'disk_full',
    reason: `memory_${code}`,
  });
}

const unavailable = (what: string, problem: string, cause?: unknown): CallError =>
  new CallError('execution_failed', `${what} ${problem}`, { retryable: true, reason: 'memory_unavailable', cause });
