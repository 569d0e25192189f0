// Requests over NATS with a reply inbox. The only file that imports @nats-io.
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type * as Nats from '@nats-io/transport-node';
import { connectionError } from '../../egress/transport-errors.ts';
import { orAborted } from '../../egress/deadline.ts';
import { CallError } from '../../engine/ports.ts';
import { createSharedPool } from '../shared-pool.ts';
import { dialling, type DialRules } from './dial.ts';
import type { Login, NatsEndpoint } from './endpoint.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const PING_INTERVAL_MS = 20_000;
/** Bytes that a server may send beyond the messages that were read: an unfinished message, and lines of the protocol. The library keeps all that follows a line it cannot read. */
const UNREAD_MAX_BYTES = 8 * 1024 * 1024;
/** The same while connecting: the library reads all of it again with each piece. */
const GREETING_MAX_BYTES = 256 * 1024;
/** Allowance for subject and headers of a message, which the library does not count. */
const MESSAGE_HEAD_BYTES = 4_096;
const UNREAD_CHECK_MS = 100;
/** Status of a message that a server sends in place of a reply when nobody subscribes. Source: NATS, "Request-Reply". */
const NO_RESPONDERS = 503;

interface NatsExchange {
  readonly endpoint: NatsEndpoint;
  readonly login: Login;
  readonly ca: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON of the request. */
  readonly request: string;
  readonly replyMaxBytes: number;
  readonly signal: AbortSignal;
  /** Names the tool in errors. */
  readonly title: string;
}

export interface NatsQueues {
  /** The reply's text. Rejects with CallError, or with the signal's reason. */
  exchange(exchange: NatsExchange): Promise<string>;
  close(): Promise<void>;
}

interface NatsSession {
  readonly nats: typeof Nats;
  readonly connection: Nats.NatsConnection;
  /** Called with subjects that the server does not let this login publish to. */
  readonly forbidden: Set<(subject: string) => void>;
  readonly guard: Guard;
}

/** The library opens the socket itself and leaves it open where connecting fails; this is how the socket is found. */
const dialled = new AsyncLocalStorage<(socket: Socket) => void>();
subscribe('net.client.socket', (message) => dialled.getStore()?.((message as { readonly socket: Socket }).socket));

/** Ends a connection whose server sends without end. */
class Guard {
  exceeded = false;
  connection: Nats.NatsConnection | undefined;
  #socket: Socket | undefined;
  readonly #timer = setInterval(() => this.#check(), UNREAD_CHECK_MS).unref();

  watch<T>(connect: () => Promise<T>): Promise<T> {
    return dialled.run((socket) => (this.#socket = socket), connect);
  }

  get hasRead(): boolean {
    return (this.#socket?.bytesRead ?? 0) > 0;
  }

  /** Without an error, for which the library does not always listen. */
  end(): void {
    clearInterval(this.#timer);
    this.#socket?.destroy();
  }

  #check(): void {
    const { inBytes, inMsgs } = this.connection?.stats() ?? { inBytes: 0, inMsgs: 0 };
    const unread = (this.#socket?.bytesRead ?? 0) - inBytes - inMsgs * MESSAGE_HEAD_BYTES;
    if (unread <= (this.connection ? UNREAD_MAX_BYTES : GREETING_MAX_BYTES)) return;
    this.exceeded = true;
    this.end();
  }
}

export function createNatsQueues(rules: DialRules): NatsQueues {
  const pool = createSharedPool<NatsSession>(
    ({ connection, guard }) =>
      connection
        .close()
        .catch(() => undefined)
        .finally(() => guard.end()),
    ({ connection }) => !connection.isClosed(),
  );
  return {
    exchange(exchange) {
      const { endpoint, login, ca, signal } = exchange;
      const key = JSON.stringify([endpoint.host, endpoint.port, endpoint.tls, login ?? null, ca ?? null]);
      return pool.with(
        key,
        () => connect(rules, exchange),
        async (connected, drop) => {
          try {
            return await orAborted(request(connected, exchange), signal);
          } catch (error) {
            if (connected.connection.isClosed()) drop();
            throw error;
          }
        },
      );
    },
    close: () => pool.close(),
  };
}

async function connect(rules: DialRules, { endpoint, login, ca, signal, title }: NatsExchange): Promise<NatsSession> {
  const { host, port, tls } = endpoint;
  const { address, tls: settings } = await dialling(rules, { host, port, tls, ca, signal });
  const nats = await import('@nats-io/transport-node');
  const guard = new Guard();
  const options: Nats.NodeConnectionOptions = {
    servers: [address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`],
    // One address was checked: no other name, and nothing that the server recommends.
    resolve: false,
    ignoreClusterUpdates: true,
    reconnect: false,
    maxReconnectAttempts: 0,
    timeout: CONNECT_TIMEOUT_MS,
    pingInterval: PING_INTERVAL_MS,
    noAsyncTraces: true,
    name: 'agent-orchestration-service',
    tls: settings ?? null,
    ...(login && 'token' in login && { token: login.token }),
    ...(login && 'user' in login && { user: login.user, pass: login.password }),
  };
  const connecting = guard.watch(() => nats.connect(options));
  try {
    const connection = await orAborted(connecting, signal);
    guard.connection = connection;
    const connected = { nats, connection, guard, forbidden: new Set<(subject: string) => void>() };
    void watch(connected);
    return connected;
  } catch (error) {
    guard.end();
    connecting.then((late) => late.close()).catch(() => undefined);
    if (signal.aborted) throw signal.reason;
    if (guard.exceeded) throw tooMuch(title);
    throw natsError(error, {
      ...{ nats, title, target: `${host}:${port}`, permittedBy: rules.permittedBy },
      isPlain: settings === undefined,
      hasGreeted: guard.hasRead,
    });
  }
}

/** Ends with the connection. */
async function watch({ nats, connection, forbidden }: NatsSession): Promise<void> {
  for await (const status of connection.status()) {
    const error = status.type === 'error' ? status.error : undefined;
    if (!(error instanceof nats.PermissionViolationError) || error.operation !== 'publish') continue;
    for (const onForbidden of [...forbidden]) onForbidden(error.subject);
  }
}

function request({ nats, connection, forbidden, guard }: NatsSession, exchange: NatsExchange): Promise<string> {
  const { endpoint, headers, request: text, signal, title } = exchange;
  return new Promise((resolve, reject) => {
    const inbox = nats.createInbox();
    const settle = (act: () => void) => {
      subscription.unsubscribe();
      forbidden.delete(onForbidden);
      signal.removeEventListener('abort', onAbort);
      act();
    };
    const onAbort = () => settle(() => reject(signal.reason as Error));
    const onForbidden = (subject: string) => {
      if (subject === endpoint.subject) settle(() => reject(forbiddenError(title)));
    };
    const subscription = connection.subscribe(inbox, {
      max: 1,
      callback: (error, message) => settle(() => (error ? reject(forbiddenError(title)) : answer(message, exchange, { resolve, reject }))),
    });
    subscription.closed.then(() => settle(() => reject(guard.exceeded ? tooMuch(title) : lost(title)))).catch(() => undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    forbidden.add(onForbidden);
    const meta = nats.headers();
    for (const [name, value] of Object.entries(headers)) meta.set(name, value);
    try {
      connection.publish(endpoint.subject, text, { reply: inbox, headers: meta });
    } catch (error) {
      const tooLarge = error instanceof nats.InvalidArgumentError;
      settle(() => reject(tooLarge ? requestTooLarge(title) : lost(title)));
    }
  });
}

interface Settle {
  readonly resolve: (text: string) => void;
  readonly reject: (error: CallError) => void;
}

function answer(message: Nats.Msg, { endpoint, replyMaxBytes, title }: NatsExchange, { resolve, reject }: Settle): void {
  if (message.data.length === 0 && message.headers?.code === NO_RESPONDERS) {
    const text = `${title}: nobody answers on the subject ${endpoint.subject}; start the tool, or correct spec.endpoint`;
    return reject(new CallError('execution_failed', text, { retryable: true, reason: 'no_responders' }));
  }
  if (message.data.length > replyMaxBytes) {
    const text = `${title} replied with more than ${replyMaxBytes} bytes`;
    return reject(new CallError('malformed_response', text, { retryable: false, reason: 'response_too_large' }));
  }
  resolve(Buffer.from(message.data).toString('utf8'));
}

interface ConnectProblem {
  readonly nats: typeof Nats;
  readonly title: string;
  readonly target: string;
  /** Without TLS. */
  readonly isPlain: boolean;
  /** The server has sent something. */
  readonly hasGreeted: boolean;
  readonly permittedBy: string;
}

const NO_TLS = { retryable: false, reason: 'tls_failed' } as const;

/** The library wraps some of the system's errors in its own, which carry no code. */
function natsError(error: unknown, { nats, title, target, isPlain, hasGreeted, permittedBy }: ConnectProblem): CallError {
  if (error instanceof nats.AuthorizationError || error instanceof nats.UserAuthenticationExpiredError) {
    return new CallError('auth_invalid', `${title}: its NATS server refused the login`, { retryable: false, reason: 'nats_authorization' });
  }
  if (error instanceof nats.TimeoutError) {
    return new CallError('timeout', `${target} did not answer as a NATS server in time`, { retryable: true, reason: 'connect_timeout' });
  }
  const wrapped = error instanceof Error && !('code' in error) && error.cause !== undefined ? error.cause : error;
  if (wrapped instanceof nats.ConnectionError && !hasGreeted) return lost(title);
  if (wrapped instanceof nats.ConnectionError && !isPlain) {
    return new CallError('execution_failed', `${target} does not offer TLS; use nats:// in spec.endpoint`, NO_TLS);
  }
  // The library reads the TLS options of a connection that has none.
  if (isPlain && wrapped instanceof TypeError) {
    return new CallError('execution_failed', `${target} requires TLS; use tls:// in spec.endpoint`, NO_TLS);
  }
  // Errors of the first line that the server sends.
  if (wrapped instanceof SyntaxError || (wrapped instanceof Error && wrapped.constructor === Error && !('code' in wrapped))) {
    const message = `${target} does not answer as a NATS server; correct spec.endpoint`;
    return new CallError('malformed_response', message, { retryable: true, reason: 'malformed_greeting' });
  }
  return connectionError(wrapped, { target, permittedBy });
}

function forbiddenError(title: string): CallError {
  const message = `${title}: its NATS server does not let this login publish to the subject or receive replies`;
  return new CallError('auth_forbidden', message, { retryable: false, reason: 'nats_permission' });
}

function requestTooLarge(title: string): CallError {
  const message = `${title}: the request is larger than its NATS server allows`;
  return new CallError('invalid_input', message, { retryable: false, reason: 'request_too_large' });
}

function tooMuch(title: string): CallError {
  const message = `${title}: its NATS server sent more than a reply may have`;
  return new CallError('malformed_response', message, { retryable: false, reason: 'response_too_large' });
}

function lost(title: string): CallError {
  const message = `${title}: its NATS server closed the connection before the reply came`;
  return new CallError('execution_failed', message, { retryable: true, reason: 'connection_reset' });
}
