// Group commit: logical transactions run one after the other, each in a savepoint of its own, inside one durable commit that they share.
import { clearTimeout, setImmediate, setTimeout } from 'node:timers';
import { ServiceError } from '@svc/shared/errors';
import type { Connection } from './connection.ts';

/** Most logical transactions of one commit. */
const BATCH_TRANSACTIONS_MAX = 512;
/** Longest time one commit is held open for others to join. */
const BATCH_TIME_MAX_MS = 2;

/** What the writer needs to know of a logical transaction. */
export interface Scope {
  /** No call on the scope may touch the database afterwards. */
  end(): void;
}

export interface WriterOptions<S extends Scope> {
  readonly connection: Connection;
  readonly openScope: () => S;
  /** Called after a durable commit, before the callers go on, with the scopes that took part in it. Must not throw. */
  readonly onDurable: (scopes: readonly S[]) => void;
  /** A logical transaction that takes longer is rolled back: it waits for something that is not the store, or for itself. */
  readonly transactionTimeMaxMs: number;
}

export interface Writer<S extends Scope> {
  run<T>(work: (scope: S) => Promise<T>): Promise<T>;
  /** Throws `unavailable` when the writer can write no more. */
  assertUsable(): void;
  /** Takes no more transactions and resolves when those it has are durable or rejected. */
  stop(): Promise<void>;
}

interface Job<S> {
  readonly work: (scope: S) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** A job that ran. Its caller learns the outcome with the batch: a refusal may rest on a neighbour's write that is not durable yet. */
type Finished<S> = { readonly job: Job<S>; readonly scope: S } & (
  { readonly kept: true; readonly value: unknown } | { readonly kept: false; readonly reason: unknown }
);

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export function createWriter<S extends Scope>(options: WriterOptions<S>): Writer<S> {
  const { connection } = options;
  const statements = {
    savepoint: connection.prepare('SAVEPOINT work'),
    release: connection.prepare('RELEASE work'),
    rollbackToSavepoint: connection.prepare('ROLLBACK TO work'),
    commit: connection.prepare('COMMIT'),
  };
  const queue: Job<S>[] = [];
  let running: Promise<void> | undefined;
  let stopped = false;
  let broken: ServiceError | undefined;

  const assertUsable = (): void => {
    if (broken) throw broken;
    if (stopped) throw new ServiceError('unavailable', 'the store is closed');
  };

  const perform = async (job: Job<S>, scope: S): Promise<unknown> => {
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const seconds = options.transactionTimeMaxMs / 1000;
        reject(new ServiceError('internal', `a store transaction took longer than ${seconds} s and was rolled back`));
      }, options.transactionTimeMaxMs);
    });
    try {
      return await Promise.race([job.work(scope), expired]);
    } finally {
      clearTimeout(timer);
      scope.end();
    }
  };

  const undo = (job: Job<S>, reason: unknown): void => {
    try {
      statements.rollbackToSavepoint.run();
      statements.release.run();
    } catch (lost) {
      job.reject(reason);
      throw lost;
    }
  };

  /** Runs one job in its savepoint. Throws only when the whole batch is lost. */
  const runJob = async (job: Job<S>): Promise<Finished<S>> => {
    const scope = options.openScope();
    statements.savepoint.run();
    try {
      const value = await perform(job, scope);
      statements.release.run();
      return { job, scope, kept: true, value };
    } catch (reason) {
      undo(job, reason);
      return { job, scope, kept: false, reason };
    }
  };

  /** Runs waiting jobs until none comes within a turn of the event loop, or a limit is reached. */
  const fillBatch = async (finished: Finished<S>[]): Promise<void> => {
    const deadline = performance.now() + BATCH_TIME_MAX_MS;
    for (let count = 0; count < BATCH_TRANSACTIONS_MAX && performance.now() < deadline; count += 1) {
      if (queue.length === 0) await nextTurn();
      const job = queue.shift();
      if (!job) return;
      finished.push(await runJob(job));
    }
  };

  const rollBack = (): void => {
    if (!connection.inTransaction()) return;
    try {
      connection.exec('ROLLBACK');
    } catch (cause) {
      broken = new ServiceError('unavailable', `the store at ${connection.path} can neither commit nor roll back; restart the server`, {
        cause,
      });
    }
  };

  const runBatch = async (): Promise<void> => {
    const finished: Finished<S>[] = [];
    try {
      connection.begin();
    } catch (error) {
      for (const job of queue.splice(0)) job.reject(error);
      return;
    }
    try {
      await fillBatch(finished);
      statements.commit.run();
    } catch (error) {
      rollBack();
      for (const { job } of finished) job.reject(error);
      return;
    }
    const kept = finished.filter((done) => done.kept).map(({ scope }) => scope);
    if (kept.length > 0) options.onDurable(kept);
    for (const done of finished) {
      if (done.kept) done.job.resolve(done.value);
      else done.job.reject(done.reason);
    }
  };

  const drain = async (): Promise<void> => {
    while (queue.length > 0) {
      await runBatch();
      // Without a pause a steady stream of transactions would keep the rest of the process waiting.
      await nextTurn();
    }
    running = undefined;
  };

  return {
    assertUsable,
    run<T>(work: (scope: S) => Promise<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        assertUsable();
        queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
        // Not started from within this call: a transaction begun inside another must find the writer running.
        running ??= Promise.resolve().then(drain);
      });
    },
    async stop() {
      stopped = true;
      await running;
    },
  };
}
