// One PostgreSQL transaction on one connection: begun by its first statement, ended once. Independent of any schema.
import { ServiceError } from '@svc/shared/errors';
import { TransactionEnd } from '../transaction-end.ts';
import type { Connection } from './connections.ts';
import { refusesOnly, unavailable } from './failure.ts';
import { statement } from './session.ts';
import type { Result, Session, SqlValue, Statement } from './session.ts';

const BEGIN = statement('BEGIN');
const COMMIT = statement('COMMIT');
const ROLLBACK = statement('ROLLBACK');

export class TransactionSession implements Session {
  readonly #connection: Connection;
  readonly #place: string;
  /** Statements whose answer has not come. */
  #underWay = 0;
  /** Those of them that nobody waits for before the end. */
  #unwatched = 0;
  readonly #ahead: Promise<unknown>[] = [];
  #begun = false;
  #writes = 0;
  #committing = false;
  #answeredAt = performance.now();
  readonly #end = new TransactionEnd();
  /** The first error of a statement: the server refuses everything after it until the end. */
  #failure: { readonly reason: unknown } | undefined;

  constructor(connection: Connection, place: string) {
    this.#connection = connection;
    this.#place = place;
  }

  /** Time of the last answer, or of the begin, of performance.now(). */
  get answeredAt(): number {
    return this.#answeredAt;
  }

  /** True when somebody waits for the answer to a statement. */
  get waiting(): boolean {
    return this.#underWay > this.#unwatched;
  }

  /** Number of statements that may have written something. */
  get writes(): number {
    return this.#writes;
  }

  /** True while it takes statements. */
  get usable(): boolean {
    return !this.#end.reached && !this.#failure;
  }

  /** True once the commit was sent. */
  get committing(): boolean {
    return this.#committing;
  }

  async run<Row>(sql: Statement, values: readonly SqlValue[] = []): Promise<Result<Row>> {
    this.#refuse();
    if (!sql.text.startsWith('SELECT ')) this.#writes += 1;
    if (!this.#begun) {
      this.#begun = true;
      // Not waited for: it travels with the first statement. Without it nothing more is sent, as each statement would be its own transaction.
      this.#connection.run(BEGIN).catch((reason: unknown) => (this.#failure ??= { reason }));
    }
    return this.#send<Row>(sql, values);
  }

  /** A read without locks. It does not begin the transaction: one that finds nothing to do has then nothing to commit. */
  async look<Row>(sql: Statement, values: readonly SqlValue[]): Promise<Result<Row>> {
    this.#refuse();
    return this.#send<Row>(sql, values);
  }

  async #send<Row>(sql: Statement, values: readonly SqlValue[]): Promise<Result<Row>> {
    this.#underWay += 1;
    try {
      const result = await this.#connection.run<Row>(sql, values);
      this.#answeredAt = performance.now();
      this.#refuseAfterFailure();
      return result;
    } catch (reason) {
      // Statements sent behind a failed one are refused for its sake only: the cause is the failure of that one.
      this.#failure ??= { reason };
      throw this.#failure.reason;
    } finally {
      this.#underWay -= 1;
    }
  }

  #refuse(): void {
    this.#refuseAfterFailure();
    this.#end.throwIfReached();
  }

  /**
   * Leaves the answer to a statement that was sent for the end of the transaction. For what cannot be refused, as this transaction has locked its rows,
   * and for what the server itself refuses with an error: nothing behind that one is carried out, the commit included.
   */
  leave(sent: Promise<unknown>): void {
    this.#unwatched += 1;
    this.#ahead.push(sent.finally(() => (this.#unwatched -= 1)));
    this.#ahead.at(-1)?.catch(() => undefined);
  }

  #refuseAfterFailure(): void {
    if (this.#failure) throw this.#failure.reason;
  }

  /** Takes no more statements: they fail with `reason`. */
  end(reason?: unknown): void {
    this.#end.reach(reason);
  }

  /** Sends `last` (a statement of this session) and the commit together. Throws what failed, or `unavailable` when the outcome was lost on the way. */
  async commit<T>(last?: () => Promise<T>): Promise<T | undefined> {
    this.#refuseAfterFailure();
    const lastAnswer = last?.();
    this.end();
    if (!this.#begun) return undefined;
    this.#committing = true;
    const [written, committed] = await Promise.allSettled([lastAnswer, this.#connection.run(COMMIT)]);
    if (committed.status === 'rejected') throw this.#commitFailure(committed.reason);
    // Their answers came before that of the commit.
    await Promise.allSettled(this.#ahead);
    this.#refuseAfterFailure();
    if (written.status === 'rejected') throw written.reason;
    if (committed.value.command !== 'COMMIT') throw unavailable(`${this.#place} rolled back what was to be committed; try again`);
    await Promise.all(this.#ahead);
    return written.value;
  }

  #commitFailure(reason: unknown): unknown {
    if (reason instanceof ServiceError && refusesOnly(reason.cause)) return reason;
    return unavailable(`the connection to ${this.#place} was lost during a commit; whether it was written is not known`, reason);
  }

  /** Undoes everything because of `reason`. Returns false when the connection can no longer tell. */
  async rollBack(reason: unknown): Promise<boolean> {
    this.end(reason);
    if (!this.#begun) return true;
    try {
      await this.#connection.run(ROLLBACK);
      return true;
    } catch {
      return false;
    }
  }
}

/** Use of a session by one of the works that share it. It ends with that work, while the session continues. */
export class SessionUse implements Session {
  readonly #session: TransactionSession;
  readonly #end = new TransactionEnd();

  constructor(session: TransactionSession) {
    this.#session = session;
  }

  async run<Row>(sql: Statement, values: readonly SqlValue[] = []): Promise<Result<Row>> {
    this.#end.throwIfReached();
    return this.#session.run<Row>(sql, values);
  }

  async look<Row>(sql: Statement, values: readonly SqlValue[]): Promise<Result<Row>> {
    this.#end.throwIfReached();
    return this.#session.look<Row>(sql, values);
  }

  leave(sent: Promise<unknown>): void {
    this.#session.leave(sent);
  }

  end(reason?: unknown): void {
    this.#end.reach(reason);
  }
}
