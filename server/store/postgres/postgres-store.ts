// The shared store over a pool: reads on any free connection, each transaction on one of its own.
import { isUnavailable, ServiceError } from '@svc/shared/errors';
import { within } from '../../clock.ts';
import { LocalBroadcast } from '../local-broadcast.ts';
import type { Broadcast, CommitNotice, Store, StoreTransaction, TextIndex, TransactionOptions } from '../store.ts';
import type { TermsOf } from '../terms.ts';
import type { Announcer, AnnouncerOptions } from './announcer.ts';
import type { Connections } from './connections.ts';
import { unavailable } from './failure.ts';
import { PostgresReader } from './reader.ts';
import { statement } from './session.ts';
import type { Result, Session, SqlValue, Statement } from './session.ts';
import { SharedCommits, type Outcome, type Work } from './shared-commits.ts';
import { changeBounds, removeChanges } from './statements/changes.ts';
import { pruneVersions } from './statements/versions.ts';
import { TransactionSession } from './transaction-session.ts';
import { commitAll, PostgresTransaction } from './transaction.ts';

export interface PostgresStoreParts {
  readonly connections: Connections;
  /** Made with what the store does on a notice of another process. */
  readonly announcer: (listeners: Pick<AnnouncerOptions, 'onNotice' | 'onBroadcast' | 'onHead' | 'onResume'>) => Announcer;
  readonly place: string;
  readonly nowMs: () => number;
  readonly termsOf: TermsOf;
  readonly texts: TextIndex | undefined;
  readonly transactionTimeMaxMs: number;
}

/** Rows deleted by one pruning transaction, so that pruning never holds up other writers for long. */
const PRUNE_ROWS = 1_000;
const HEALTH_TIME_MAX_MS = 2_000;
const NO_NAMES = { queues: new Set<string>(), signalled: new Set<string>(), journals: new Set<string>(), events: new Set<string>() };
/** Locks nothing, and is refused where no write is taken. */
const takesWrites = statement('SELECT FROM change_head WHERE false FOR KEY SHARE');

function closed(): ServiceError {
  return unavailable('the store is closed');
}

export class PostgresStore extends PostgresReader implements Store {
  readonly #parts: PostgresStoreParts;
  readonly #announcer: Announcer;
  readonly #listeners = new Set<(notice: CommitNotice) => void>();
  readonly #queues = new Set<string>();
  readonly #anywhere: Session = { run: (sql, values) => this.#runAnywhere(sql, values ?? []) };
  readonly #broadcasts = new LocalBroadcast();
  readonly #shared = new SharedCommits<StoreTransaction>(
    (works) => this.#together(works, { shared: true }),
    (work) => this.#alone(work),
  );
  #head = 0;
  #underWay = 0;
  #onIdle: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: PostgresStoreParts) {
    super();
    this.#parts = parts;
    this.#announcer = parts.announcer({
      onNotice: (notice) => this.#notify(notice),
      onBroadcast: (message) => this.#broadcasts.deliver([message]),
      onHead: (head) => head > this.#head && this.#notify({ ...NO_NAMES, head }),
      // Every known queue is examined again.
      onResume: (head) => this.#notify({ ...NO_NAMES, head, queues: new Set(this.#queues) }),
    });
  }

  /** Starts to receive notices of other processes. */
  async start(): Promise<void> {
    await this.#announcer.start();
  }

  protected override use(): Session {
    return this.#anywhere;
  }

  async #runAnywhere<Row>(sql: Statement, values: readonly SqlValue[]): Promise<Result<Row>> {
    return this.#during(async () => {
      const connection = await this.#parts.connections.forReads();
      try {
        return await connection.run<Row>(sql, values);
      } finally {
        connection.release();
      }
    });
  }

  async transaction<T>(work: (tx: StoreTransaction) => Promise<T>, { repeatable = false }: TransactionOptions = {}): Promise<T> {
    if (this.#closing) throw closed();
    return this.#during(() => (repeatable ? this.#shared.run(work) : this.#alone(work)));
  }

  async #alone<T>(work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
    let value: T | undefined;
    await this.#together([async (tx) => (value = await work(tx))], { shared: false });
    return value as T;
  }

  /** Runs `works` one after the other in one database transaction; see RunTogether. */
  async #together(
    works: readonly Work<StoreTransaction>[],
    { shared }: { readonly shared: boolean },
  ): Promise<readonly Outcome[] | undefined> {
    const connection = await this.#parts.connections.forTransaction();
    const session = new TransactionSession(connection, this.#parts.place);
    const kept: PostgresTransaction[] = [];
    const outcomes: Outcome[] = [];
    let inDoubt = true;
    try {
      for (const work of works) {
        const tx = new PostgresTransaction(session, { ...this.#parts, shared });
        const outcome = await this.#outcomeOf(() => work(tx), session);
        // A branch of it that is still running must not write beside a neighbour.
        tx.end(outcome.kept ? undefined : outcome.reason);
        if (outcome.kept) kept.push(tx);
        else if (works.length === 1) throw outcome.reason;
        outcomes.push(outcome);
      }
      const head = await commitAll(session, kept);
      inDoubt = false;
      for (const tx of kept) this.#committed(tx, head);
      return outcomes;
    } catch (error) {
      inDoubt = session.waiting || !(await session.rollBack(error));
      if (works.length > 1 && !(session.committing && isUnavailable(error))) return undefined;
      throw error;
    } finally {
      connection.release(inDoubt);
    }
  }

  /** Throws the error of `work` after it has written, since the whole database transaction has to be undone then. */
  async #outcomeOf(work: () => Promise<unknown>, session: TransactionSession): Promise<Outcome> {
    const { writes } = session;
    try {
      return { kept: true, value: await within(this.#parts.transactionTimeMaxMs, work(), () => this.#expire(session)) };
    } catch (reason) {
      // Without a write there is nothing to undo. The caller learns it with the commit: it may rest on a neighbour's write.
      if (session.writes > writes || !session.usable) throw reason;
      return { kept: false, reason };
    }
  }

  /** Ends the session of a transaction that takes too long. Returns the reason, which the work left behind receives too. */
  #expire(session: TransactionSession): Error {
    const reason = this.#lateness(session);
    session.end(reason);
    return reason;
  }

  #lateness(session: TransactionSession): Error {
    const { transactionTimeMaxMs, place } = this.#parts;
    const limit = `${transactionTimeMaxMs / 1000} s`;
    const isSilent = performance.now() - session.answeredAt > transactionTimeMaxMs / 2;
    if (!session.waiting) return new ServiceError('internal', `a store transaction took longer than ${limit} and was rolled back`);
    return unavailable(
      isSilent
        ? `${place} did not answer within ${limit}; try again`
        : `a transaction at ${place} took longer than ${limit}, although it answers; send less at once, such as fewer documents of an apply`,
    );
  }

  onCommit(listener: (notice: CommitNotice) => void): () => void {
    // Wrapped, so that a listener registered twice is called twice and removed once.
    const entry = (notice: CommitNotice) => listener(notice);
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  broadcast(messages: readonly Broadcast[]): void {
    this.#broadcasts.deliver(messages);
    this.#announcer.broadcast(messages);
  }

  onBroadcast(listener: (message: Broadcast) => void): () => void {
    return this.#broadcasts.on(listener);
  }

  async checkHealth(): Promise<void> {
    const late = () => unavailable(`${this.#parts.place} did not answer in time`);
    await within(HEALTH_TIME_MAX_MS, this.#anywhere.run(takesWrites), late);
  }

  async pruneChanges(options: { keepNewest: number }): Promise<number> {
    let removed = 0;
    for (;;) {
      const { head, oldest } = await changeBounds(this.#anywhere);
      const before = Math.min(head - options.keepNewest + 1, oldest + PRUNE_ROWS);
      if (before <= oldest) return removed;
      removed += await removeChanges(this.#anywhere, oldest, before);
    }
  }

  async pruneVersions(options: { replacedBefore: string }): Promise<number> {
    let removed = 0;
    for (;;) {
      const step = await pruneVersions(this.#anywhere, options.replacedBefore, PRUNE_ROWS);
      removed += step;
      if (step < PRUNE_ROWS) return removed;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeParts();
    return this.#closing;
  }

  async #closeParts(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await this.#announcer.stop();
    await this.#parts.connections.end();
  }

  /** Counts what is in flight: closing waits for it, and for the reads it makes on the way. */
  async #during<T>(action: () => Promise<T>): Promise<T> {
    if (this.#closing && this.#underWay === 0) throw closed();
    this.#underWay += 1;
    try {
      return await action();
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#onIdle?.();
    }
  }

  #committed(tx: PostgresTransaction, head: number): void {
    const { queues, signalled, journals, events } = tx;
    if (head + queues.size + signalled.size + journals.size + events.size === 0) return;
    this.#head = Math.max(this.#head, head);
    const notice: CommitNotice = { head: this.#head, queues, signalled, journals, events };
    this.#notify(notice);
    this.#announcer.announce({ ...notice, head });
  }

  /** A listener that throws is a programmer's error: it surfaces, but never in the middle of a commit. */
  #notify(notice: CommitNotice): void {
    this.#head = Math.max(this.#head, notice.head);
    for (const queue of notice.queues) this.#queues.add(queue);
    const commit = { ...notice, head: this.#head };
    for (const listener of this.#listeners) queueMicrotask(() => listener(commit));
  }
}
