// Requests and replies through two tables of PostgreSQL (resources/sql/tool-queue.sql). The tables are the truth, notifications only shorten waits.
import pg from 'pg';
import { connectionError } from '../../egress/transport-errors.ts';
import { orAborted } from '../../egress/deadline.ts';
import { CallError } from '../../engine/ports.ts';
import { createSharedPool } from '../shared-pool.ts';
import { dialling, type DialRules } from './dial.ts';
import type { PostgresEndpoint } from './endpoint.ts';
import { databaseError } from './postgres-errors.ts';

/** Connections per endpoint and login: calls wait without a connection, so few are enough. */
const CONNECTIONS_MAX = 4;
const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_CONNECTION_MS = 30_000;
const POLL_MS = 1_000;
const WITHDRAW_TIMEOUT_MS = 2_000;

interface PostgresExchange {
  readonly endpoint: PostgresEndpoint;
  readonly login: { readonly user: string; readonly password: string };
  readonly ca: string | undefined;
  readonly requestId: string;
  /** JSON of the request. */
  readonly request: string;
  /** Milliseconds until the wait for the reply ends. */
  readonly waitMs: number;
  readonly replyMaxBytes: number;
  readonly signal: AbortSignal;
  /** Names the tool in errors. */
  readonly title: string;
}

export interface PostgresQueues {
  /** The reply's JSON, from now or from an earlier time that this request was sent. Rejects with CallError, or with the signal's reason. */
  exchange(exchange: PostgresExchange): Promise<string>;
  close(): Promise<void>;
}

/** `pollMs` is the poll interval for a reply without a notification. */
export function createPostgresQueues(rules: DialRules, pollMs = POLL_MS): PostgresQueues {
  const pool = createSharedPool<Database>((database) => database.close());
  return {
    exchange(exchange) {
      const { endpoint, login, ca, signal } = exchange;
      const key = JSON.stringify([endpoint.host, endpoint.port, endpoint.database, endpoint.tls, login, ca]);
      return pool.with(
        key,
        async () => new Database(await databaseConfig(rules, exchange), pollMs),
        async (database, drop) => {
          try {
            return await ask(database, exchange);
          } catch (error) {
            if (signal.aborted) throw signal.reason;
            const failure = databaseError(error, { ...exchange, permittedBy: rules.permittedBy });
            // A refused input leaves connections usable: with a new pool for each, senders would exceed CONNECTIONS_MAX.
            if (!(error instanceof CallError) && failure.code !== 'invalid_input') drop();
            throw failure;
          }
        },
      );
    },
    close: () => pool.close(),
  };
}

async function ask(database: Database, exchange: PostgresExchange): Promise<string> {
  const { signal } = exchange;
  try {
    await orAborted(database.submit(exchange), signal);
    for (;;) {
      const due = database.replyDue(exchange.requestId, signal);
      const reply = await orAborted(database.reply(exchange), signal);
      if (reply !== undefined) return reply;
      await orAborted(due, signal);
    }
  } catch (error) {
    // On a timeout the request stays: the next attempt continues to wait for it.
    if (signal.aborted && signal.reason instanceof CallError && signal.reason.code === 'canceled') await database.withdraw(exchange);
    throw error;
  }
}

async function databaseConfig(rules: DialRules, { endpoint, login, ca, signal }: PostgresExchange): Promise<pg.ClientConfig> {
  const { host, port, database, tls } = endpoint;
  const { address, tls: settings } = await dialling(rules, { host, port, tls, ca, signal });
  return {
    host: address,
    port,
    database,
    user: login.user,
    password: login.password,
    ssl: settings ?? false,
    application_name: 'agent-orchestration-service',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
  };
}

/** One login of one database. */
class Database {
  readonly #config: pg.ClientConfig;
  readonly #pool: pg.Pool;
  readonly #waiters = new Map<string, Set<() => void>>();
  readonly #pollMs: number;
  #listener: Promise<pg.Client> | undefined;

  constructor(config: pg.ClientConfig, pollMs: number) {
    this.#pollMs = pollMs;
    this.#config = config;
    this.#pool = new pg.Pool({ ...config, max: CONNECTIONS_MAX, idleTimeoutMillis: IDLE_CONNECTION_MS, allowExitOnIdle: true });
    this.#pool.on('error', () => undefined);
  }

  /** Puts the request there, or finds it. A reply with "try again" is removed by the next attempt. */
  async submit({ endpoint, requestId, request, waitMs }: PostgresExchange): Promise<void> {
    await this.#pool.query(
      `INSERT INTO svc_tool_requests (queue, request_id, request, expires_at)
       VALUES ($1, $2, $3::jsonb, now() + $4 * interval '1 millisecond')
       ON CONFLICT (queue, request_id) DO UPDATE SET expires_at = excluded.expires_at`,
      [endpoint.queue, requestId, request, waitMs],
    );
    await this.#pool.query(
      `WITH spent AS (
         DELETE FROM svc_tool_replies
         WHERE queue = $1 AND request_id = $2 AND reply->>'status' = 'error' AND reply->'error'->>'retryable' = 'true'
         AND ($3::jsonb->>'attempt')::int > 1
         RETURNING request_id)
       UPDATE svc_tool_requests SET request = $3::jsonb, taken_at = NULL, taken_by = NULL
       WHERE queue = $1 AND request_id = $2 AND EXISTS (SELECT FROM spent)`,
      [endpoint.queue, requestId, request],
    );
  }

  async reply({ endpoint, requestId, replyMaxBytes, title }: PostgresExchange): Promise<string | undefined> {
    const { rows } = await this.#pool.query<{ reply: string | null }>(
      `SELECT CASE WHEN octet_length(reply::text) <= $3 THEN reply::text END AS reply
       FROM svc_tool_replies WHERE queue = $1 AND request_id = $2`,
      [endpoint.queue, requestId, replyMaxBytes],
    );
    const [row] = rows;
    if (!row) return undefined;
    if (row.reply !== null) return row.reply;
    const message = `${title} replied with more than ${replyMaxBytes} bytes`;
    throw new CallError('malformed_response', message, { retryable: false, reason: 'response_too_large' });
  }

  /** Withdraws a request that nobody has begun to work on; what cannot be withdrawn expires. */
  async withdraw({ endpoint, requestId }: PostgresExchange): Promise<void> {
    const query = {
      text: 'DELETE FROM svc_tool_requests WHERE queue = $1 AND request_id = $2 AND taken_at IS NULL',
      values: [endpoint.queue, requestId],
      query_timeout: WITHDRAW_TIMEOUT_MS,
    };
    await this.#pool.query(query).catch(() => undefined);
  }

  /** Resolves when there may be a reply: at a notification, or when the next poll is due. */
  replyDue(requestId: string, signal: AbortSignal): Promise<void> {
    this.#listen();
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(requestId) ?? new Set();
      this.#waiters.set(requestId, waiters);
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        waiters.delete(done);
        if (waiters.size === 0) this.#waiters.delete(requestId);
        resolve();
      };
      const timer = setTimeout(done, this.#pollMs);
      signal.addEventListener('abort', done, { once: true });
      waiters.add(done);
    });
  }

  async close(): Promise<void> {
    const listener = this.#listener;
    this.#listener = undefined;
    await listener?.then((client) => client.end()).catch(() => undefined);
    await this.#pool.end().catch(() => undefined);
  }

  /** Without it replies are found by looking, so its failures are nobody's. */
  #listen(): void {
    this.#listener ??= this.#openListener().catch((error: unknown) => {
      this.#listener = undefined;
      throw error;
    });
    this.#listener.catch(() => undefined);
  }

  #wake(requestId: string): void {
    [...(this.#waiters.get(requestId) ?? [])].forEach((wake) => wake());
  }

  async #openListener(): Promise<pg.Client> {
    const client = new pg.Client(this.#config);
    client.on('error', () => (this.#listener = undefined));
    client.on('end', () => (this.#listener = undefined));
    client.on('notification', ({ payload }) => this.#wake(payload ?? ''));
    try {
      await client.connect();
      await client.query('LISTEN svc_tool_replies');
      // Replies that came before it was listening caused no notification.
      [...this.#waiters.keys()].forEach((requestId) => this.#wake(requestId));
    } catch (error) {
      await client.end().catch(() => undefined);
      throw connectionError(error, { target: 'the database', permittedBy: '' });
    }
    return client;
  }
}
