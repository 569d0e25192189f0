// Connection pool: bounded in size and waiting time, with backoff while the server is unavailable. Independent of any schema.
import { setImmediate } from 'node:timers/promises';
import { backoffMs, type BackoffRule } from '@svc/shared/backoff';
import type { ServiceError } from '@svc/shared/errors';
import pg from 'pg';
import { assertBindable } from '../bound-text.ts';
import { boundValue } from './array-literal.ts';
import { clientConfig, SESSION_SETTINGS } from './client-config.ts';
import { refusedAsReadOnly, toConnectError, toServiceError, unavailable } from './failure.ts';
import type { Result, Session, SqlValue, Statement } from './session.ts';
import { createSlots } from './slots.ts';
import type { Target } from './target.ts';

export interface ConnectionsOptions {
  readonly target: Target;
  readonly applicationName: string;
  /** At least 2: reads keep places of their own, so that a transaction may wait for one. */
  readonly max: number;
}

/** A connection reserved for one caller. Its statements are sent at once, in order, without waiting for each other's answers. */
export interface Connection extends Session {
  /** Returns the connection to the pool. A connection in an unknown state is closed instead. */
  release(inDoubt?: boolean): void;
}

const WAIT_MAX_MS = 10_000;
const IDLE_MAX_MS = 60_000;
const RETRY: BackoffRule = { backoffMs: 100, maxBackoffMs: 2_000, jitter: 'none' };
const waitAfter = (failures: number): number => backoffMs(RETRY, { failures, random: 0 });
const READS_SHARE = 4;
const CLOSE_MAX_MS = 1_000;
const REPLACE_PAUSE_MS = 1_000;

function ignore(): void {
  // The statement in flight is rejected with the same error, and an idle connection is replaced by the next.
}

/** Waits for connections to close, and cuts off those whose server does not answer. */
export async function closeWithin(closing: Promise<void>, clients: () => readonly pg.Client[]): Promise<void> {
  const timer = setTimeout(() => {
    for (const client of clients()) client.connection.stream.destroy();
  }, CLOSE_MAX_MS);
  await closing.catch(ignore);
  clearTimeout(timer);
}

/** The pool waits for what this returns before it hands out the connection, though its declaration does not state this. */
function prepare(client: pg.ClientBase): unknown {
  client.on('error', ignore);
  return client.query(SESSION_SETTINGS);
}

/** Runs one statement on a client, its errors translated. Throws `invalid` for a text that cannot be bound as it is. */
async function runOn<Row>(
  client: pg.ClientBase,
  statement: Statement,
  { values, place }: { values: readonly SqlValue[]; place: string },
): Promise<Result<Row>> {
  assertBindable(values);
  try {
    // Statements of one turn leave in one piece.
    const { stream } = (client as pg.Client).connection;
    stream.cork();
    process.nextTick(() => stream.uncork());
    const { rows, rowCount, command } = await client.query({ name: statement.name, text: statement.text, values: values.map(boundValue) });
    return { rows: rows as Row[], count: rowCount ?? 0, command };
  } catch (error) {
    throw toServiceError(error, place);
  }
}

export class Connections {
  readonly #pool: pg.Pool;
  /** With the time (performance.now) at which each was opened. */
  readonly #clients = new Map<pg.PoolClient, number>();
  readonly #target: Target;
  readonly #all;
  readonly #transactions;
  /**
   * When a session was refused a write because it is read-only. A session keeps the mode that it began with when the database takes writes again, so
   * those opened before are replaced before their next use.
   */
  #readOnlyAt = -Infinity;
  /** Why the last attempt to connect failed, and when (performance.now) the next one may be made. */
  #failure: { readonly error: ServiceError; readonly failures: number; retryAt: number } | undefined;

  constructor({ target, applicationName, max }: ConnectionsOptions) {
    this.#target = target;
    this.#all = createSlots(max, WAIT_MAX_MS);
    this.#transactions = createSlots(Math.max(1, max - Math.ceil(max / READS_SHARE)), WAIT_MAX_MS);
    this.#pool = new pg.Pool({
      ...clientConfig(target, applicationName),
      max,
      idleTimeoutMillis: IDLE_MAX_MS,
      onConnect: prepare,
    });
    this.#pool.on('error', ignore);
    this.#pool.on('connect', (client) => this.#clients.set(client, performance.now()));
    this.#pool.on('remove', (client) => this.#clients.delete(client));
  }

  /** A connection for reads outside transactions. Throws `unavailable`. */
  async forReads(): Promise<Connection> {
    await this.#place(this.#all);
    return this.#connect(() => this.#all.give());
  }

  /** A connection for one transaction. Some are never given to transactions, so that reads made while one waits get through. Throws `unavailable`. */
  async forTransaction(): Promise<Connection> {
    await this.#place(this.#transactions);
    try {
      await this.#place(this.#all);
    } catch (error) {
      this.#transactions.give();
      throw error;
    }
    return this.#connect(() => {
      this.#all.give();
      this.#transactions.give();
    });
  }

  /** Closes all connections. Nothing may be in flight. */
  async end(): Promise<void> {
    await closeWithin(this.#pool.end(), () => [...this.#clients.keys()]);
  }

  async #place(slots: ReturnType<typeof createSlots>): Promise<void> {
    if (await slots.take()) return;
    throw unavailable(`all connections to ${this.#target.place} were busy for ${WAIT_MAX_MS / 1000} s; try again`);
  }

  async #connect(giveBack: () => void): Promise<Connection> {
    try {
      const client = await this.#checkOut();
      const { place } = this.#target;
      let isReadOnly = false;
      const onReadOnly = () => {
        isReadOnly = true;
        // Once in a while: a database that stays read-only must not replace all sessions at each write.
        if (performance.now() - this.#readOnlyAt > REPLACE_PAUSE_MS) this.#readOnlyAt = performance.now();
      };
      return {
        async run(statement, values = []) {
          try {
            return await runOn(client, statement, { values, place });
          } catch (error) {
            if (refusedAsReadOnly(error)) onReadOnly();
            throw error;
          }
        },
        release: (inDoubt = false) => {
          client.release(inDoubt || isReadOnly);
          giveBack();
        },
      };
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /** While the server is unavailable, one attempt at a time is made, with growing pauses; all other callers fail at once. */
  async #checkOut(): Promise<pg.PoolClient> {
    const failed = this.#failure;
    if (failed && this.#pool.idleCount === 0) {
      if (performance.now() < failed.retryAt) {
        // A turn of the event loop, so that a caller who tries again and again cannot keep the connection from being made.
        await setImmediate();
        throw failed.error;
      }
      failed.retryAt = performance.now() + RETRY.maxBackoffMs + waitAfter(failed.failures);
    }
    try {
      let client = await this.#pool.connect();
      while ((this.#clients.get(client) ?? 0) <= this.#readOnlyAt) {
        client.release(true);
        client = await this.#pool.connect();
      }
      this.#failure = undefined;
      return client;
    } catch (cause) {
      const error = toConnectError(cause, this.#target);
      const failures = (failed?.failures ?? 0) + 1;
      this.#failure = { error, failures, retryAt: performance.now() + waitAfter(failures) };
      throw error;
    }
  }
}
