// The console's procedures on the server's listener: batched HTTP under /trpc, subscriptions on one WebSocket per tab. Translates; decides nothing.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BATCH_CALLS_MAX } from '@svc/shared/api/batch';
import { ServiceError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import { namespaceProblem } from '@svc/shared/resource';
import type { TRPCError } from '@trpc/server';
import { nodeHTTPRequestHandler } from '@trpc/server/adapters/node-http';
import { applyWSSHandler, type Encoder } from '@trpc/server/adapters/ws';
import { WebSocketServer, type WebSocket } from 'ws';
import { signInId } from '../../auth/sign-in-documents.ts';
import { ClientDisconnected, readBody, type BodyLimits } from '../body/read-body.ts';
import { headersOf } from '../error-reply.ts';
import type { CallerGate } from '../gate/caller.ts';
import { decodeUtf8, refuseOversize } from '../../manifest/parse.ts';
import { setSecurityHeaders } from '../gate/security-headers.ts';
import type { Identity } from '../../registry/registry.ts';
import type { RequestLimit } from '../gate/request-limit.ts';
import { REQUEST_ID_HEADER, requestIdOf } from '../request-id.ts';
import type { Outflow } from '../outflow/outflow.ts';
import type { HttpServices } from '../services.ts';
import type { StreamHub } from '../sse/stream-hub.ts';
import type { SocketPlace, SocketRoute } from '../upgrades.ts';
import type { ConsoleServices, TrpcContext } from './context.ts';
import { requestPace, socketPace, STREAMS_MAX, type RequestPace } from './call-pace.ts';
import { appRouter } from './router.ts';
import { trpcError } from './trpc.ts';

export const TRPC_PATH = '/trpc';
/** Subscriptions of the console: every one of them needs a reader. */
export const TRPC_SOCKET: SocketPlace = { path: TRPC_PATH, access: 'reader' };

/** Size limit of a message from the browser: subscriptions are small. */
const SOCKET_MESSAGE_MAX_BYTES = 64 * 1024;
const PING_MS = 15_000;
const PONG_WAIT_MS = 10_000;
export interface TrpcMountOptions {
  /** Receives every call that was refused for its caller. */
  readonly onRefused: HttpServices['onRefused'];
  readonly clientAddress: (request: IncomingMessage) => string;
  readonly services: ConsoleServices;
  readonly limits: BodyLimits;
  /** Checks where the request comes from and who sends it. Rejects with ServiceError. */
  readonly identify: CallerGate['identify'];
  readonly signInKeyOf: CallerGate['signInKeyOf'];
  readonly requestLimit: RequestLimit;
  readonly outflow: Outflow;
  readonly hub: Pick<StreamHub, 'whileOpen'>;
}

export interface TrpcMount {
  /** Answers a request under `/trpc/`. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Subscriptions, on one WebSocket per tab. */
  readonly socketRoute: SocketRoute;
}

/** Procedure name from the path, undecoded: no procedure has a name that needs decoding. */
const procedurePath = (url: string): string => url.slice(TRPC_PATH.length + 1).split('?')[0] ?? '';

interface Failure {
  readonly error: TRPCError;
  readonly req: IncomingMessage;
  readonly path?: string | undefined;
  readonly input?: unknown;
  readonly ctx?: TrpcContext | undefined;
  /** Absent for a WebSocket, whose context has it. */
  readonly requestId?: string;
}

/** Reports every failure to the log, and refusals by the gate or a role to the audit. */
function failureReporter(options: TrpcMountOptions): (failure: Failure) => void {
  const { log } = options.services;
  return ({ error, req, path, input, ctx, requestId = ctx?.caller.requestId ?? randomUUID() }) => {
    const { cause } = error;
    // A call that still waited when its connection ended.
    if (cause instanceof Error && cause.name === 'AbortError') return;
    const where = { procedure: path, requestId };
    if (cause instanceof ServiceError) log[cause.logLevel]({ ...where, code: cause.code }, 'call refused');
    else if (error.code === 'INTERNAL_SERVER_ERROR' && !isOfClient(cause)) log.error({ ...where, err: error }, 'call failed');
    else log.debug({ ...where, code: error.code }, 'call refused');
    noteRefusal(options, cause, {
      request: req,
      path: `${TRPC_PATH}/${path ?? ''}`,
      input,
      requestId,
      ...(ctx && { identity: ctx.caller.identity }),
    });
  };
}

/** A client that left, or a frame that breaks the protocol or a limit: the connection is closed. */
const isOfClient = (cause: unknown): boolean =>
  cause instanceof ClientDisconnected || (cause instanceof Error && 'code' in cause && String(cause.code).startsWith('WS_ERR_'));

interface RefusedUpgrade {
  readonly request: IncomingMessage;
  readonly path: string;
  readonly input: unknown;
  readonly requestId: string;
  readonly identity?: Identity;
}

/** The namespace that an input of a call names, itself or in one of its fields. */
function namespaceIn(input: unknown): { readonly namespace?: string } {
  if (!isObject(input)) return {};
  const named = [input, ...Object.values(input)].flatMap((part) => (isObject(part) ? [part['namespace']] : []));
  const namespace = named.find((each) => typeof each === 'string' && namespaceProblem(each) === undefined);
  return typeof namespace === 'string' ? { namespace } : {};
}

function noteRefusal(
  { onRefused, clientAddress }: TrpcMountOptions,
  error: unknown,
  { request, path, input, requestId, identity }: RefusedUpgrade,
): void {
  if (!(error instanceof ServiceError) || (error.code !== 'unauthorized' && error.code !== 'forbidden')) return;
  onRefused({
    code: error.code,
    reason: error.message,
    method: request.method ?? 'GET',
    path,
    ...namespaceIn(input),
    clientAddress: clientAddress(request),
    requestId,
    ...(identity && { identity }),
  });
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly pace: RequestPace;
  readonly requestId: string;
}

/** The context of a batch. What goes wrong is tRPC's to answer with, headers included: such as the one that removes a cookie that no longer counts. */
async function contextOf(
  { services, identify, signInKeyOf, requestLimit, clientAddress, hub }: TrpcMountOptions,
  { request, response, pace, requestId }: Exchange,
): Promise<TrpcContext> {
  const identity = await identify(request, { response }).catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
    for (const [name, value] of Object.entries(headersOf(error))) response.appendHeader(name, value);
    throw trpcError(error);
  });
  takePermits(requestLimit, { identity, address: clientAddress(request), calls: procedurePath(request.url ?? '').split(',').length });
  const key = signInKeyOf(request);
  const caller = { identity, requestId };
  return {
    services,
    caller,
    ...(key !== undefined && { signInId: signInId(key) }),
    calls: pace.calls,
    whileOpen: (wait) => hub.whileOpen(request, wait),
  };
}

interface PreparedCall {
  readonly context: TrpcContext;
  /** Measured before tRPC parses it. */
  readonly body: string;
}

async function prepare(options: TrpcMountOptions, exchange: Exchange): Promise<PreparedCall> {
  const { request } = exchange;
  const context = await contextOf(options, exchange);
  if (request.method !== 'POST') return { context, body: '' };
  try {
    const body = decodeUtf8(await readBody(request, options.limits));
    refuseOversize(body);
    return { context, body };
  } catch (error) {
    throw error instanceof ServiceError ? trpcError(error) : error;
  }
}

function takePermits(limit: RequestLimit, { identity, address, calls }: { identity: Identity; address: string; calls: number }): void {
  try {
    limit.take(identity, address, calls);
  } catch (error) {
    throw error instanceof ServiceError ? trpcError(error) : error;
  }
}

/** Encodes each text before it is sent: a text that waits in the connection is held twice, by V8 and by the write in progress. */
function sendBytes(socket: WebSocket): void {
  const send = socket.send.bind(socket);
  socket.send = (data: Parameters<WebSocket['send']>[0]) =>
    typeof data === 'string' ? send(Buffer.from(data), { binary: false }) : send(data);
}

/** The browser's client sends streams that begin together in one frame, and all of them after a lost connection. Without a limit, one frame could hold any number of calls. */
const fewMessages: Encoder = {
  encode: (data) => JSON.stringify(data),
  decode(data) {
    const message: unknown = JSON.parse(typeof data === 'string' ? data : new TextDecoder().decode(data));
    if (Array.isArray(message) && message.length > STREAMS_MAX) {
      throw new ServiceError('invalid', `A frame holds ${STREAMS_MAX} messages at most`);
    }
    return message;
  },
};

export function createTrpcMount(options: TrpcMountOptions): TrpcMount {
  const { services, outflow } = options;
  const reportFailure = failureReporter(options);
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
    onError: reportFailure,
    experimental_encoder: fewMessages,
    keepAlive: { enabled: true, pingMs: PING_MS, pongWaitMs: PONG_WAIT_MS },
  });

  return {
    async handle(request, response) {
      const requestId = requestIdOf(request);
      response.setHeader(REQUEST_ID_HEADER, requestId);
      setSecurityHeaders(response);
      const pace = requestPace(outflow);
      response.once('close', () => pace.end());
      // tRPC answers failures here in its own form.
      const prepared = prepare(options, { request, response, pace, requestId });
      const body = await prepared.then((ready) => ready.body).catch(() => '');
      await nodeHTTPRequestHandler({
        router: appRouter,
        req: Object.assign(request, { body }),
        res: response,
        path: procedurePath(request.url ?? ''),
        createContext: () => prepared.then(({ context }) => context),
        // The answers are known; they are written at the pace of the reader.
        responseMeta() {
          pace.end();
          return {};
        },
        maxBatchSize: BATCH_CALLS_MAX,
        onError: (failure) => reportFailure({ ...failure, requestId }),
      });
    },
    socketRoute: {
      ...TRPC_SOCKET,
      sockets,
      accept({ socket, connection, request, caller, takePermit }) {
        sendBytes(socket);
        const pace = socketPace({ socket, connection, outflow, takePermit });
        callers.set(request, { services, caller, ...pace, whileOpen: (wait) => options.hub.whileOpen(request, wait) });
        sockets.emit('connection', socket, request);
      },
    },
  };
}
