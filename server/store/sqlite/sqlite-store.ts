// The store over two open connections: reads on one, group commits on the other.
import { setImmediate } from 'node:timers/promises';
import { ServiceError } from '@svc/shared/errors';
import { LocalBroadcast } from '../local-broadcast.ts';
import { withOperations } from '../operations.ts';
import type { Broadcast, CommitNotice, IndexFunctions, Store, StoreReader, StoreTransaction } from '../store.ts';
import type { Connection } from './connection.ts';
import { createKnownVersions, type KnownVersions } from './known-versions.ts';
import { reads } from './reader.ts';
import { prepareTopics } from './statements/topics.ts';
import type { Topics } from './statements/topics.ts';
import { SqliteTransaction } from './transaction.ts';
import { GroupWriter } from './writer.ts';

export interface SqliteStoreParts {
  readonly writing: Connection;
  readonly reading: Connection;
  readonly nowMs: () => number;
  readonly index: IndexFunctions;
  readonly transactionTimeMaxMs: number;
  /** Called once, after both connections are closed. */
  readonly onClosed: () => void;
}

/** Rows deleted by one pruning transaction, so that pruning never holds up other writers for long. */
const PRUNE_ROWS = 1_000;

/** Moves the write-ahead log into the database file. Not left to close(), which skips it while statements wait to be collected as garbage. */
function foldLog(connection: Connection): void {
  try {
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // The log stays beside the file (a full disk, say) and is read at the next start: nothing is lost.
  }
}

export class SqliteStore extends withOperations<Topics, StoreReader>(reads) implements Store {
  readonly #parts: SqliteStoreParts;
  readonly #reading: Topics;
  readonly #topics: Topics;
  readonly #known: KnownVersions = createKnownVersions();
  readonly #writer: GroupWriter<SqliteTransaction>;
  readonly #listeners = new Set<(notice: CommitNotice) => void>();
  readonly #broadcasts = new LocalBroadcast();
  #closing: Promise<void> | undefined;

  constructor(parts: SqliteStoreParts) {
    super();
    this.#parts = parts;
    this.#reading = prepareTopics(parts.reading, { ...parts, known: this.#known, pause: () => setImmediate() });
    this.#topics = prepareTopics(parts.writing, parts);
    this.#writer = new GroupWriter({
      connection: parts.writing,
      openScope: () => new SqliteTransaction(this.#topics),
      onDurable: (scopes) => {
        if (scopes.some((scope) => scope.rewrote)) this.#known.clear();
        this.#notify(scopes);
      },
      transactionTimeMaxMs: parts.transactionTimeMaxMs,
    });
  }

  protected use(): Topics {
    if (this.#closing) throw new ServiceError('unavailable', 'the store is closed');
    return this.#reading;
  }

  transaction<T>(work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
    return this.#writer.run(work);
  }

  onCommit(listener: (notice: CommitNotice) => void): () => void {
    // Wrapped, so that a listener registered twice is called twice and removed once.
    const entry = (notice: CommitNotice) => listener(notice);
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  /** One process owns an embedded file: its own listeners are all there are. */
  broadcast(messages: readonly Broadcast[]): void {
    this.#broadcasts.deliver(messages);
  }

  onBroadcast(listener: (message: Broadcast) => void): () => void {
    return this.#broadcasts.on(listener);
  }

  async checkHealth(): Promise<void> {
    this.#writer.assertUsable();
    this.use().changes.head();
  }

  async pruneChanges(options: { keepNewest: number }): Promise<number> {
    let removed = 0;
    for (;;) {
      const step = await this.#writer.run(async () => {
        const { head, oldest } = this.#topics.changes.bounds();
        const before = Math.min(head - options.keepNewest + 1, oldest + PRUNE_ROWS);
        return before > oldest ? this.#topics.changes.deleteRange(oldest, before) : 0;
      });
      if (step === 0) return removed;
      removed += step;
    }
  }

  async pruneVersions(options: { replacedBefore: string }): Promise<number> {
    let removed = 0;
    for (;;) {
      const step = await this.#writer.run(async () => this.#topics.versions.prune(options.replacedBefore, PRUNE_ROWS));
      removed += step;
      if (step < PRUNE_ROWS) return removed;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeParts();
    return this.#closing;
  }

  async #closeParts(): Promise<void> {
    const { reading, writing } = this.#parts;
    await this.#writer.stop();
    reading.close();
    foldLog(writing);
    writing.close();
    this.#parts.onClosed();
  }

  /** A notice is a hint: when the head cannot be read, readers find the changes by polling. */
  #headOrZero(): number {
    try {
      return this.#topics.changes.head();
    } catch {
      return 0;
    }
  }

  #notify(scopes: readonly SqliteTransaction[]): void {
    if (this.#listeners.size === 0) return;
    const notice: CommitNotice = {
      head: this.#headOrZero(),
      queues: new Set(scopes.flatMap((scope) => [...scope.queues])),
      signalled: new Set(scopes.flatMap((scope) => [...scope.signalled])),
      journals: new Set(scopes.flatMap((scope) => [...scope.journals])),
      events: new Set(scopes.flatMap((scope) => [...scope.events])),
    };
    // A listener that throws is a programmer's error: it surfaces, but never in the middle of a commit.
    for (const listener of this.#listeners) queueMicrotask(() => listener(notice));
  }
}
