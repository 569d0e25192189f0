// Group commit: logical transactions run one after the other inside one durable commit that they share. One that fails is undone alone.
import { setImmediate } from 'node:timers';
import { ServiceError } from '@svc/shared/errors';
import { within } from '../../clock.ts';
import type { Connection } from './connection.ts';

/** Most logical transactions of one commit. */
const BATCH_TRANSACTIONS_MAX = 512;
/** Longest time that one commit is held open for others to join. */
const BATCH_TIME_MS = 24;
/** After a batch of this time the rest of the process has a turn ahead of its commit. */
const SLOW_BATCH_MS = 100;
/**
 * Turns of the event loop without a transaction after which the commit is made. What is in flight, such as the step of a run that a commit has
 * released, takes a few; where nothing is, they pass at once.
 */
const IDLE_TURNS = 3;

/** Parts of a logical transaction that the writer needs. */
export interface Scope {
  /** No call on the scope may touch the database afterwards. */
  end(reason?: unknown): void;
}

export interface WriterOptions<S extends Scope> {
  readonly connection: Connection;
  readonly openScope: () => S;
  /** Called after a durable commit, before the callers continue, with the scopes that took part in it. Must not throw. */
  readonly onDurable: (scopes: readonly S[]) => void;
  /** A logical transaction that takes longer is rolled back: it waits for something that is not the store, or for itself. */
  readonly transactionTimeMaxMs: number;
}

interface Job<S> {
  readonly work: (scope: S) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

type Outcome = { readonly kept: true; readonly value: unknown } | { readonly kept: false; readonly reason: unknown };

/** A job that ran. Its caller learns the outcome with the batch: a refusal may rest on a neighbour's write that is not durable yet. */
type FinishedJob<S> = Outcome & { readonly job: Job<S>; readonly scope: S };

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function controlStatements(connection: Connection) {
  return {
    savepoint: connection.prepare('SAVEPOINT work'),
    release: connection.prepare('RELEASE work'),
    rollbackToSavepoint: connection.prepare('ROLLBACK TO work'),
    commit: connection.prepare('COMMIT'),
  };
}

export class GroupWriter<S extends Scope> {
  readonly #options: WriterOptions<S>;
  readonly #connection: Connection;
  readonly #control: ReturnType<typeof controlStatements>;
  readonly #queue: Job<S>[] = [];
  #running: Promise<void> | undefined;
  #stopped = false;
  #broken: ServiceError | undefined;

  constructor(options: WriterOptions<S>) {
    this.#options = options;
    this.#connection = options.connection;
    this.#control = controlStatements(options.connection);
  }

  /** Queues `work`; resolves once its writes are durable. Rejects with the error of `work`, after undoing only its writes. */
  run<T>(work: (scope: S) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.assertUsable();
      this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
      // Not started from within this call: a transaction begun inside another must find the writer running.
      this.#running ??= Promise.resolve().then(() => this.#drain());
    });
  }

  /** Throws `unavailable` when the writer can write no more. */
  assertUsable(): void {
    if (this.#broken) throw this.#broken;
    if (this.#stopped) throw new ServiceError('unavailable', 'the store is closed');
  }

  /** Takes no more transactions and resolves when those it has are durable or rejected. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#runBatch();
      // Without a pause a steady stream of transactions would keep the rest of the process waiting.
      await nextTurn();
    }
    this.#running = undefined;
  }

  async #runBatch(): Promise<void> {
    const finished: FinishedJob<S>[] = [];
    const began = performance.now();
    try {
      this.#connection.begin();
    } catch (error) {
      for (const job of this.#queue.splice(0)) job.reject(error);
      return;
    }
    this.#connection.writes.start();
    try {
      await this.#fill(finished);
      // Writes of large values take their time twice: now, and in the commit.
      if (performance.now() > began + SLOW_BATCH_MS) await nextTurn();
      this.#control.commit.run();
    } catch (error) {
      this.#rollBack();
      for (const { job } of finished) job.reject(error);
      return;
    } finally {
      this.#connection.writes.stop();
    }
    const kept = finished.filter((done) => done.kept).map(({ scope }) => scope);
    if (kept.length > 0) this.#options.onDurable(kept);
    for (const done of finished) {
      if (done.kept) done.job.resolve(done.value);
      else done.job.reject(done.reason);
    }
  }

  /** Runs waiting jobs until none comes for some turns of the event loop, or a limit is reached. Throws when the whole batch is lost. */
  async #fill(finished: FinishedJob<S>[]): Promise<void> {
    const deadline = performance.now() + BATCH_TIME_MS;
    for (let count = 0; count < BATCH_TRANSACTIONS_MAX && performance.now() < deadline; count += 1) {
      for (let turn = 0; turn < IDLE_TURNS && this.#queue.length === 0 && performance.now() < deadline; turn += 1) await nextTurn();
      const job = this.#queue.shift();
      if (!job) return;
      const scope = this.#options.openScope();
      try {
        finished.push({ job, scope, ...(await this.#runUndoable(job, scope)) });
      } catch (lost) {
        job.reject(lost);
        throw lost;
      }
    }
  }

  /** Once a batch had to be repeated, and while it is too large for that, its jobs run in savepoints: failures that follow cost no more than themselves. */
  #runUndoable(job: Job<S>, scope: S): Promise<Outcome> {
    const before = this.#connection.writes.count;
    return before === undefined ? this.#runInSavepoint(job, scope) : this.#runRepeatable(job, scope, before);
  }

  async #runRepeatable(job: Job<S>, scope: S, before: number): Promise<Outcome> {
    try {
      return { kept: true, value: await this.#perform(job, scope) };
    } catch (reason) {
      if (this.#connection.writes.count !== before || !this.#connection.inTransaction()) this.#repeat(before);
      return { kept: false, reason };
    }
  }

  /** Rolls the open transaction back and repeats its first `count` writes. Throws when SQLite has rolled it back by itself. */
  #repeat(count: number): void {
    const { writes } = this.#connection;
    this.#connection.exec('ROLLBACK');
    this.#connection.begin();
    writes.repeat(count);
  }

  async #runInSavepoint(job: Job<S>, scope: S): Promise<Outcome> {
    this.#control.savepoint.run();
    try {
      const value = await this.#perform(job, scope);
      this.#control.release.run();
      return { kept: true, value };
    } catch (reason) {
      // These throw when SQLite has rolled back more than the savepoint.
      this.#control.rollbackToSavepoint.run();
      this.#control.release.run();
      return { kept: false, reason };
    }
  }

  async #perform(job: Job<S>, scope: S): Promise<unknown> {
    const { transactionTimeMaxMs } = this.#options;
    const late = () =>
      new ServiceError('internal', `a store transaction took longer than ${transactionTimeMaxMs / 1000} s and was rolled back`);
    try {
      return await within(transactionTimeMaxMs, job.work(scope), late);
    } catch (reason) {
      scope.end(reason);
      throw reason;
    } finally {
      scope.end();
    }
  }

  #rollBack(): void {
    try {
      this.#connection.rollBack();
    } catch (cause) {
      const sentence = `the store at ${this.#connection.path} can neither commit nor roll back; restart the server`;
      this.#broken = new ServiceError('unavailable', sentence, { cause });
    }
  }
}
