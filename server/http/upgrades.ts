// WebSocket upgrades by route: the one place that checks an upgrade and admits it, supervises open sockets, and closes them. Independent of messages.
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ServiceError } from '@svc/shared/errors';
import type { WebSocket, WebSocketServer } from 'ws';
import { requireRole } from '../registry/authorise.ts';
import type { Identity, RequestContext } from '../registry/registry.ts';
import { headersOf } from './error-reply.ts';
import type { CallerGate } from './gate/caller.ts';
import type { RequestLimit } from './gate/request-limit.ts';
import type { Revocations } from './gate/revocations.ts';
import { cut } from './outflow/cut.ts';
import type { Access } from './route.ts';
import type { HttpServices } from './services.ts';

/** Interval at which the caller of an open socket is checked again; a revocation triggers a check at once. */
const CHECK_MS = 10_000;
/** Time for the other side to answer a close before the connection is cut. */
const CLOSE_WAIT_MS = 2_000;

/** Application close codes, for which the console has separate handling. */
const CLOSE_GOING_AWAY = 1001;
const UNAUTHORIZED = { code: 4401, reason: 'unauthorized' };
/** The client connects again, with its new role. */
const CHANGED = { code: CLOSE_GOING_AWAY, reason: 'role_changed' };

type OnEnded = (close: { readonly code: number; readonly reason: string }) => void;

export interface SocketPlace {
  /** Exact, without parameters. */
  readonly path: string;
  /** Least role of the caller. */
  readonly access: Exclude<Access, 'public' | 'a2a'>;
}

/** An admitted socket. */
export interface OpenedSocket {
  readonly socket: WebSocket;
  /** Connection below the socket. */
  readonly connection: Duplex;
  readonly request: IncomingMessage;
  readonly caller: RequestContext;
  /** Counts one request of the caller. Throws `rate_limited`. */
  readonly takePermit: () => void;
  /** Calls `onEnded` when the caller no longer counts or has another role, even after the socket's close, until the returned function is called. */
  readonly follow: (onEnded: OnEnded) => () => void;
}

export interface SocketRoute extends SocketPlace {
  /** In mode `noServer`, with the limits of this route. It completes the handshake. */
  readonly sockets: WebSocketServer;
  /** Takes an admitted socket over. Must not throw. */
  readonly accept: (opened: OpenedSocket) => void;
}

export interface UpgradesOptions {
  readonly routes: readonly SocketRoute[];
  readonly gate: Pick<CallerGate, 'identify'>;
  /** Takes a place under the caps of open streams; returns the function that releases it. Throws `rate_limited` or `unavailable`. */
  readonly hold: (address: string) => () => void;
  readonly clientAddress: (request: IncomingMessage) => string;
  readonly requestLimit: RequestLimit;
  readonly revocations: Pick<Revocations, 'follow'>;
  readonly onRefused: HttpServices['onRefused'];
}

export const pathOf = ({ url = '/' }: Pick<IncomingMessage, 'url'>): string => url.split('?', 1)[0] ?? '/';

/** Answer to a plain request for a path that takes WebSockets only (RFC 9110 section 15.5.22). */
export function upgradeRequired(path: string) {
  const problem = new ServiceError('invalid', `${path} accepts only WebSocket connections`);
  return { type: 'json', status: 426, body: problem.toBody(), headers: { Upgrade: 'websocket', Connection: 'Upgrade' } } as const;
}

/** Closes a socket whose other side may not answer. */
function closeSoon(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  setTimeout(() => socket.terminate(), CLOSE_WAIT_MS).unref();
}

/** Answers a request that is refused outside of the routes, and closes its connection, even when the client keeps its half open. */
export function refuseConnection(connection: Duplex, error: unknown): void {
  // Node has removed its listeners, and a reset without a listener would end the process.
  connection.on('error', () => connection.destroy());
  const known = error instanceof ServiceError ? error : new ServiceError('internal', 'The server failed on this request');
  const body = JSON.stringify(known.toBody());
  const { httpStatus } = known;
  const head = [
    `HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    ...Object.entries({ ...headersOf(known), Connection: 'close' }).map(([name, value]) => `${name}: ${value}`),
  ];
  // Keeps reading: the close of a connection with unread bytes resets it, and the answer may be lost.
  connection.resume().end(`${head.join('\r\n')}\r\n\r\n${body}`);
  setTimeout(() => connection.destroy(), CLOSE_WAIT_MS).unref();
}

export class Upgrades {
  readonly #options: UpgradesOptions;
  readonly #routes = new Map<string, SocketRoute>();

  constructor(options: UpgradesOptions) {
    this.#options = options;
    for (const route of options.routes) {
      if (this.#routes.has(route.path)) throw new Error(`two socket routes for ${route.path}`);
      this.#routes.set(route.path, route);
    }
  }

  /** Whether a path takes WebSockets. */
  has(path: string): boolean {
    return this.#routes.has(path);
  }

  /** Accepts or answers an upgrade. Never rejects. */
  async handle(request: IncomingMessage, connection: Duplex, head: Buffer): Promise<void> {
    connection.on('error', () => connection.destroy());
    let caller: RequestContext | undefined;
    try {
      const route = this.#find(request);
      const identity = await this.#options.gate.identify(request, { websocket: true });
      caller = { identity, requestId: randomUUID() };
      requireRole(caller, route.access, `a WebSocket at ${route.path}`);
      this.#open(route, { request, connection, caller }, head);
    } catch (error) {
      this.#noteRefusal(request, error, caller?.identity);
      refuseConnection(connection, error);
    }
  }

  /** Closes every socket; clients reconnect to another server. */
  close(): void {
    for (const { sockets } of this.#routes.values()) {
      for (const socket of sockets.clients) closeSoon(socket, CLOSE_GOING_AWAY, 'server_shutting_down');
      sockets.close();
    }
  }

  #find(request: IncomingMessage): SocketRoute {
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      throw new ServiceError('invalid', 'This server upgrades to WebSocket only; send the request without the Upgrade header');
    }
    const route = this.#routes.get(pathOf(request));
    if (route === undefined) throw new ServiceError('not_found', 'No WebSocket is served at this path');
    return route;
  }

  #open(route: SocketRoute, opened: Omit<OpenedSocket, 'socket' | 'takePermit' | 'follow'>, head: Buffer): void {
    const { clientAddress, requestLimit, hold } = this.#options;
    const { request, connection, caller } = opened;
    // A closed connection would hold its place forever.
    if (connection.destroyed) return;
    const address = clientAddress(request);
    const takePermit = () => requestLimit.take(caller.identity, address);
    takePermit();
    connection.once('close', hold(address));
    route.sockets.handleUpgrade(request, connection, head, (socket) => {
      // For everyone who ends this socket, such as tRPC where a ping has no answer.
      const terminate = socket.terminate.bind(socket);
      socket.terminate = () => {
        cut(request.socket);
        terminate();
      };
      const follow: OpenedSocket['follow'] = (onEnded) => this.#follow(route, { request, caller }, onEnded);
      socket.once(
        'close',
        follow(({ code, reason }) => closeSoon(socket, code, reason)),
      );
      route.accept({ ...opened, socket, takePermit, follow });
    });
  }

  /** Reports the end of a caller: a revoked token, the end of a sign-in, another role. What is open was admitted with the role of that time. */
  #follow({ path, access }: SocketPlace, { request, caller }: Pick<OpenedSocket, 'request' | 'caller'>, onEnded: OnEnded): () => void {
    const { gate, revocations } = this.#options;
    const check = () => {
      gate
        .identify(request, { websocket: true })
        .then((identity) => {
          requireRole({ identity, requestId: randomUUID() }, access, `a WebSocket at ${path}`);
          if (identity.role !== caller.identity.role) onEnded(CHANGED);
        })
        .catch((error: unknown) => {
          if (error instanceof ServiceError && error.code !== 'unavailable') onEnded(UNAUTHORIZED);
        });
    };
    const timer = setInterval(check, CHECK_MS);
    timer.unref();
    const unfollow = revocations.follow(check);
    return () => {
      clearInterval(timer);
      unfollow();
    };
  }

  #noteRefusal(request: IncomingMessage, error: unknown, identity: Identity | undefined): void {
    if (!(error instanceof ServiceError) || (error.code !== 'unauthorized' && error.code !== 'forbidden')) return;
    this.#options.onRefused({
      code: error.code,
      reason: error.message,
      method: request.method ?? 'GET',
      path: pathOf(request),
      clientAddress: this.#options.clientAddress(request),
      requestId: randomUUID(),
      ...(identity && { identity }),
    });
  }
}
