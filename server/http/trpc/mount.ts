// The console's procedures on the server's listener: batched HTTP under /trpc, subscriptions on one WebSocket per tab. Translates; decides nothing.
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { BATCH_CALLS_MAX } from '@svc/shared/api/batch';
import { ERROR_TABLE, ServiceError } from '@svc/shared/errors';
import type { TRPCError } from '@trpc/server';
import { nodeHTTPRequestHandler } from '@trpc/server/adapters/node-http';
import { applyWSSHandler } from '@trpc/server/adapters/ws';
import { WebSocketServer, type WebSocket } from 'ws';
import { readBody, type BodyLimits } from '../body/read-body.ts';
import type { CallerGate } from '../gate/caller.ts';
import { decodeUtf8, refuseOversize } from '../../manifest/parse.ts';
import { setSecurityHeaders } from '../gate/security-headers.ts';
import type { RequestContext } from '../../registry/registry.ts';
import type { HttpServices } from '../services.ts';
import type { ConsoleServices, TrpcContext } from './context.ts';
import { socketStreams } from './socket-streams.ts';
import { appRouter } from './router.ts';
import { trpcError } from './trpc.ts';

export const TRPC_PATH = '/trpc';

/** Of a message from the browser: subscriptions are small. */
const SOCKET_MESSAGE_MAX_BYTES = 64 * 1024;
const PING_MS = 15_000;
const PONG_WAIT_MS = 10_000;
/** How often a socket's caller is looked at again, and its backlog. */
const CHECK_MS = 10_000;
/** Unsent bytes of a socket whose browser has stopped reading. */
const BUFFERED_MAX_BYTES = 4 * 1024 * 1024;

/** Application close codes, which the console tells apart. */
export const CLOSE_UNAUTHORIZED = 4401;
const CLOSE_GOING_AWAY = 1001;
const CLOSE_TRY_LATER = 1013;

export interface TrpcMountOptions {
  /** Told of every call and socket that was refused for who asked. */
  readonly onRefused: HttpServices['onRefused'];
  readonly clientAddress: (request: IncomingMessage) => string;
  readonly services: ConsoleServices;
  readonly limits: BodyLimits;
  /** Checks where the request comes from and who sends it. Rejects with ServiceError. */
  readonly identify: CallerGate['identify'];
  /** Takes a place under the caps of open streams; returns what gives it back. Throws `rate_limited` or `unavailable`. */
  readonly admit: (request: IncomingMessage) => () => void;
}

export interface TrpcMount {
  /** Answers a request under `/trpc/`. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Takes over an upgrade of `/trpc`. Never rejects. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
  /** Closes every socket; their browsers come back to whichever server answers. */
  close(): void;
}

/** As it stands: a name that needs decoding is none of ours. */
const procedurePath = (url: string): string => url.slice(TRPC_PATH.length + 1).split('?')[0] ?? '';

function refuseUpgrade(socket: Duplex, error: unknown): void {
  const known = error instanceof ServiceError ? error : new ServiceError('internal', 'The server failed on this request');
  const body = JSON.stringify(known.toBody());
  const { httpStatus } = known;
  const head = [
    `HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${[...head, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`);
}

interface Failure {
  readonly error: TRPCError;
  readonly req: IncomingMessage;
  readonly path?: string | undefined;
  readonly ctx?: TrpcContext | undefined;
}

/** Tells the log of every failure, and the audit of those whom the gate or a role kept out. */
function failureReporter(options: TrpcMountOptions): (failure: Failure) => void {
  const { log } = options.services;
  return ({ error, req, path, ctx }) => {
    const { cause } = error;
    const where = { procedure: path, requestId: ctx?.caller.requestId };
    if (cause instanceof ServiceError) log[ERROR_TABLE[cause.code].logLevel]({ ...where, code: cause.code }, 'call refused');
    else if (error.code === 'INTERNAL_SERVER_ERROR') log.error({ ...where, err: error }, 'call failed');
    else log.debug({ ...where, code: error.code }, 'call refused');
    noteRefusal(options, cause, { request: req, path: `${TRPC_PATH}/${path ?? ''}`, ...(ctx && { caller: ctx.caller }) });
  };
}

interface Refused {
  readonly request: IncomingMessage;
  readonly path: string;
  readonly caller?: RequestContext;
}

function noteRefusal({ onRefused, clientAddress }: TrpcMountOptions, error: unknown, { request, path, caller }: Refused): void {
  if (!(error instanceof ServiceError) || (error.code !== 'unauthorized' && error.code !== 'forbidden')) return;
  onRefused({
    code: error.code,
    method: request.method ?? 'GET',
    path,
    clientAddress: clientAddress(request),
    requestId: caller?.requestId ?? randomUUID(),
    ...(caller && { identity: caller.identity }),
  });
}

/** The context of a batch. What goes wrong is tRPC's to answer with, headers included: such as the one that removes a cookie that no longer counts. */
async function contextOf(
  { services, identify }: TrpcMountOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<TrpcContext> {
  const identity = await identify(request, { response }).catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
    for (const [name, value] of Object.entries(error.headers ?? {})) response.appendHeader(name, value);
    throw trpcError(error);
  });
  return { services, caller: { identity, requestId: randomUUID() } };
}

interface Prepared {
  readonly context: TrpcContext;
  /** Measured before tRPC parses it. */
  readonly body: string;
}

async function prepare(options: TrpcMountOptions, request: IncomingMessage, response: ServerResponse): Promise<Prepared> {
  const context = await contextOf(options, request, response);
  if (request.method !== 'POST') return { context, body: '' };
  try {
    const body = decodeUtf8(await readBody(request, options.limits));
    refuseOversize(body);
    return { context, body };
  } catch (error) {
    throw error instanceof ServiceError ? trpcError(error) : error;
  }
}

/** A revoked token ends the socket, and so does a browser that has stopped reading. */
function supervise(identify: TrpcMountOptions['identify'], request: IncomingMessage, socket: WebSocket): void {
  const timer = setInterval(() => {
    if (socket.bufferedAmount > BUFFERED_MAX_BYTES) socket.close(CLOSE_TRY_LATER, 'slow_consumer');
    identify(request, { websocket: true }).catch((error: unknown) => {
      if (error instanceof ServiceError && error.code !== 'unavailable') socket.close(CLOSE_UNAUTHORIZED, 'unauthorized');
    });
  }, CHECK_MS);
  timer.unref();
  socket.once('close', () => clearInterval(timer));
}

export function createTrpcMount(options: TrpcMountOptions): TrpcMount {
  const { services, identify, admit } = options;
  const onError = failureReporter(options);
  const callers = new WeakMap<IncomingMessage, TrpcContext>();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: SOCKET_MESSAGE_MAX_BYTES, perMessageDeflate: false });
  applyWSSHandler({
    wss: sockets,
    router: appRouter,
    createContext: ({ req }) => {
      const known = callers.get(req);
      if (!known) throw trpcError(new ServiceError('unauthorized', 'The connection has no caller'));
      return known;
    },
    onError,
    keepAlive: { enabled: true, pingMs: PING_MS, pongWaitMs: PONG_WAIT_MS },
  });

  return {
    async handle(request, response) {
      setSecurityHeaders(response);
      // What goes wrong here is tRPC's to answer with, in its own form.
      const prepared = prepare(options, request, response);
      const body = await prepared.then((ready) => ready.body).catch(() => '');
      await nodeHTTPRequestHandler({
        router: appRouter,
        req: Object.assign(request, { body }),
        res: response,
        path: procedurePath(request.url ?? ''),
        createContext: () => prepared.then(({ context }) => context),
        maxBatchSize: BATCH_CALLS_MAX,
        onError,
      });
    },
    async upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy());
      try {
        const identity = await identify(request, { websocket: true });
        socket.once('close', admit(request));
        const caller = { identity, requestId: randomUUID() };
        sockets.handleUpgrade(request, socket, head, (accepted) => {
          callers.set(request, { services, caller, streams: socketStreams(accepted) });
          supervise(identify, request, accepted);
          sockets.emit('connection', accepted, request);
        });
      } catch (error) {
        noteRefusal(options, error, { request, path: TRPC_PATH });
        refuseUpgrade(socket, error);
      }
    },
    close() {
      for (const socket of sockets.clients) socket.close(CLOSE_GOING_AWAY, 'server_shutting_down');
      sockets.close();
    },
  };
}
