// Stages of a request: identity → gate → route → authentication → role → handler → answer. Errors of every step end in the one mapper.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '@svc/shared/errors';
import { namespaceProblem } from '@svc/shared/resource';
import { NOBODY, requireAgentCaller, requireRole, requireSystemAccess, UnlistedSystem } from '../registry/authorise.ts';
import type { Identity } from '../registry/registry.ts';
import type { Logger } from '../log/log.ts';
import { checkParameters, unknownParameters } from './check-parameters.ts';
import { ClientDisconnected } from './body/read-body.ts';
import { errorReply } from './error-reply.ts';
import { fittingWarnings } from './rest/write-headers.ts';
import { corsHeaders, isAllowedOrigin, preflightHeaders, type BrowserPolicy } from './gate/origin.ts';
import type { RequestLimit } from './gate/request-limit.ts';
import { setSecurityHeaders } from './gate/security-headers.ts';
import type { HttpMetrics } from './http-metrics.ts';
import { endTogether } from './outflow/end-together.ts';
import { writeInPieces } from './outflow/write.ts';
import { RequestCall, type CallParts } from './request-call.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts';
import type { Call, ErrorShape, Reply, Route } from './route.ts';
import type { Match, Router } from './router.ts';
import type { HttpServices } from './services.ts';
import { EVENT_STREAM_TYPE } from './sse/event-stream.ts';
import type { Console } from './ui/console.ts';
import { upgradeRequired } from './upgrades.ts';

export interface DispatchContext extends CallParts {
  readonly router: Router;
  /** Path of the host before those of the API; empty for none. */
  readonly basePath: string;
  /** Undefined: no console is served. */
  readonly console: Console | undefined;
  readonly log: Logger;
  readonly metrics: HttpMetrics;
  readonly policy: BrowserPolicy;
  readonly requestLimit: RequestLimit;
  readonly isClosing: () => boolean;
  /** Whether a path serves WebSockets only. */
  readonly takesSockets: (path: string) => boolean;
  /** Shape of errors of a path that no route serves; undefined: that of this API. */
  readonly errorShapeOf: (path: string) => ErrorShape | undefined;
  readonly onRefused: HttpServices['onRefused'];
  readonly authorizer: HttpServices['authorizer'];
}

interface Target {
  readonly path: string;
  readonly search: string;
}

/** A request in progress, with the parts that every answer to it carries. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly target: Target;
  readonly requestId: string;
  readonly began: number;
  /** Known once it was authenticated. */
  identity?: Identity;
}

interface Caller {
  readonly match: Match;
  readonly identity: Identity;
}

/** Larger bodies are written in pieces. */
const PIECES_FROM = 256 * 1024;
/** Maximum length of a path in messages and logs, in characters. */
const PATH_SHOWN_MAX = 200;
/** Status in the metrics of a client that left before its answer, as nginx has it. */
const CLIENT_LEFT = 499;

/** Origin form, or the absolute form that proxies send; anything else has no path. */
function targetOf(url: string): Target {
  const origin = /^https?:\/\/[^/?#]*/i.exec(url)?.[0] ?? '';
  const rest = url.slice(origin.length);
  const mark = rest.indexOf('?');
  return mark < 0 ? { path: rest, search: '' } : { path: rest.slice(0, mark), search: rest.slice(mark + 1) };
}

function isMatch(found: ReturnType<Router['find']>): found is Match {
  return found !== undefined && 'route' in found;
}

function newCall(context: DispatchContext, { request, response, target, requestId }: Exchange, caller: Caller): Call {
  return new RequestCall(context, {
    request,
    response,
    search: target.search,
    match: caller.match,
    context: { identity: caller.identity, requestId },
  });
}

/** A call of a system. A sign-in is ignored: a request with only its cookie counts as one without a token. */
async function callSystem(context: DispatchContext, exchange: Exchange, match: Match): Promise<Reply> {
  const { route } = match;
  const identity = await context.gate.tryToken(exchange.request);
  if (identity) exchange.identity = identity;
  const call = newCall(context, exchange, { match, identity: identity ?? NOBODY });
  context.requestLimit.take(identity ?? NOBODY, call.clientAddress);
  if (route.systemOf === undefined) throw new Error(`${route.path} has access a2a and names no system`);
  const system = await route.systemOf(call);
  try {
    if (system) requireSystemAccess(identity, system);
    else requireAgentCaller(identity);
  } catch (error) {
    if (!(error instanceof UnlistedSystem) || route.handleUnlisted === undefined) throw error;
    reportRefusal(context, exchange, error);
    return handled({ ...route, handle: route.handleUnlisted }, call);
  }
  return handled(route, call);
}

/** Resources whose services have no caller; the other services query the authorizer themselves, for each object. */
const ASKED_HERE: ReadonlySet<string> = new Set(['decisions', 'authorize', 'sealing-key', 'capabilities']);

async function requireAuthorized({ authorizer }: DispatchContext, { method, path }: Route, identity: Identity): Promise<void> {
  const resource = path.split('/')[2] ?? '';
  if (authorizer && ASKED_HERE.has(resource)) await authorizer.require(identity, { method, resource, namespace: '', name: '' });
}

async function callRoute(context: DispatchContext, exchange: Exchange, match: Match): Promise<Reply> {
  const { route } = match;
  if (route.access === 'a2a') return callSystem(context, exchange, match);
  if (route.access === 'public') {
    const call = newCall(context, exchange, { match, identity: NOBODY });
    if (route.isLimited) context.requestLimit.take(NOBODY, call.clientAddress);
    return handled(route, call);
  }
  if (route.attempts) {
    context.gate.admitAttempt(exchange.request);
    route.attempts.take(context.clientAddress(exchange.request));
  }
  const identity = await context.gate.authenticate(exchange.request, { response: exchange.response });
  exchange.identity = identity;
  const call = newCall(context, exchange, { match, identity });
  context.requestLimit.take(identity, call.clientAddress);
  requireRole(call.context, route.access, `${route.method} ${route.path}`);
  await requireAuthorized(context, route, identity);
  if (route.method !== 'GET' || route.inPortions) return handled(route, call);
  const work = () => handled(route, call);
  return route.asks ? context.outflow.fromOther(route.asks(call), work) : context.outflow.answers.run(work);
}

/** The handler's answer to a call whose parameters are of their declared types. */
async function handled(route: Route, call: Call): Promise<Reply> {
  checkParameters(route, call);
  call.warn(unknownParameters(route, call));
  return route.handle(call);
}

async function answer(context: DispatchContext, exchange: Exchange, found: ReturnType<Router['find']>): Promise<Reply> {
  const { method, target, request } = exchange;
  context.gate.admit(request);
  if (isMatch(found)) return callRoute(context, exchange, found);
  if (context.takesSockets(target.path)) return upgradeRequired(target.path);
  if (found === undefined) {
    const description = `${context.basePath}/openapi.json`;
    const message = `There is nothing at ${target.path.slice(0, PATH_SHOWN_MAX)}; GET ${description} lists every path`;
    // By this header clients distinguish an unknown path from an absent object (RFC 8631).
    throw new ServiceError('not_found', message, { headers: { Link: `<${description}>; rel="service-desc"` } });
  }
  const allow = found.allow.join(', ');
  if (method !== 'OPTIONS')
    throw new ServiceError('method_not_allowed', `${method} is not allowed here; allowed are ${allow}`, { headers: { Allow: allow } });
  const origin = request.headers.origin;
  const preflight = origin !== undefined && isAllowedOrigin(context.policy, origin);
  const headers = { Allow: allow, ...(preflight && { 'Access-Control-Allow-Methods': allow, ...preflightHeaders(request.headers) }) };
  return { type: 'text', status: 204, contentType: 'text/plain', text: '', headers };
}

/** Time after which a caller is authenticated again. */
const RECHECK_MS = 1_000;

/** A function that rejects with `unauthorized` when the caller counts no longer, if the last check was some time ago. */
function recheck({ gate }: DispatchContext, { request, identity, began }: Exchange): () => Promise<void> {
  let checkedAt = began;
  return async () => {
    if (identity === undefined || performance.now() - checkedAt < RECHECK_MS) return;
    await gate.authenticate(request);
    checkedAt = performance.now();
  };
}

async function drop(reply: Reply, error: unknown): Promise<never> {
  if (reply.type === 'stream') await reply.drop?.();
  throw error;
}

const DONE = Promise.resolve();

type Whole = Exclude<Reply, { type: 'stream' }>;

function contentOf(reply: Whole): { readonly body: string | Buffer; readonly type: string } {
  if (reply.type === 'json') return { body: JSON.stringify(reply.body), type: 'application/json' };
  return { body: reply.type === 'bytes' ? reply.bytes : reply.text, type: reply.contentType };
}

/** Not async, as `write`: a suspended function would keep the reply, the object and its text, while the client does not read. */
function send({ response }: Exchange, reply: Whole): Promise<void> {
  const { body, type } = contentOf(reply);
  const bytes = Buffer.byteLength(body);
  const length = reply.status === 204 ? {} : { 'Content-Type': type, 'Content-Length': bytes };
  // Merges the headers by which every answer varies with those of this one.
  const vary = reply.headers?.['Vary'] === undefined ? undefined : response.getHeader('Vary');
  const warnings = fittingWarnings([response.getHeader('Warning') ?? [], reply.headers?.['Warning'] ?? []].flat().map(String));
  response.writeHead(reply.status, {
    ...length,
    ...reply.headers,
    ...(warnings.length > 0 && { Warning: [...warnings] }),
    ...(vary !== undefined && { Vary: `${String(vary)}, ${String(reply.headers?.['Vary'])}` }),
  });
  if (body.length > PIECES_FROM) return writeInPieces(response, Buffer.from(body)).then(() => void response.end());
  // A text of as many bytes as characters is ASCII, and is copied as it is.
  endTogether(response, body, bytes === body.length ? 'latin1' : 'utf8');
  return DONE;
}

function write(context: DispatchContext, exchange: Exchange, reply: Reply): Promise<void> {
  if (context.isClosing()) exchange.response.setHeader('Connection', 'close');
  if (reply.type !== 'stream') return send(exchange, reply);
  if (exchange.method !== 'HEAD') return reply.write(exchange.response, recheck(context, exchange));
  exchange.response.writeHead(200, { 'Content-Type': reply.contentType }).end();
  return Promise.resolve(reply.drop?.());
}

/** Reports to the audit a request that was refused because of its caller. */
function reportRefusal(context: DispatchContext, { request, method, target, requestId, identity }: Exchange, error: unknown): void {
  if (!(error instanceof ServiceError) || (error.code !== 'unauthorized' && error.code !== 'forbidden')) return;
  const { code, message: reason } = error;
  const path = target.path.slice(0, PATH_SHOWN_MAX);
  const namespace = new URLSearchParams(target.search).get('namespace');
  const named = namespace !== null && namespaceProblem(namespace) === undefined ? { namespace } : {};
  const clientAddress = context.clientAddress(request);
  context.onRefused({ code, reason, method, path, ...named, clientAddress, requestId, ...(identity && { identity }) });
}

function fail(
  context: DispatchContext,
  exchange: Exchange,
  { error, route }: { error: unknown; route: Route | undefined },
): Reply | undefined {
  const { request, response, method, target, requestId } = exchange;
  reportRefusal(context, exchange, error);
  if (error instanceof ClientDisconnected || response.destroyed) {
    request.destroy();
    return undefined;
  }
  const shape = route ? route.errorShape : context.errorShapeOf(target.path);
  const reply = errorReply(error, context.log, {
    requestId,
    method,
    path: target.path.slice(0, PATH_SHOWN_MAX),
    form: shape && { shape, request },
  });
  if (!response.headersSent) return reply;
  // A status was sent already: cutting the connection is the one way left to say that the answer is not whole.
  response.destroy();
  return undefined;
}

function prepare(context: DispatchContext, exchange: Exchange): void {
  const { response, request, requestId } = exchange;
  response.setHeader(REQUEST_ID_HEADER, requestId);
  setSecurityHeaders(response);
  const cors = corsHeaders(context.policy, request.headers.origin);
  for (const name in cors) response.setHeader(name, cors[name] ?? '');
}

/** Handles one request to the end. Never rejects. */
export async function dispatch(context: DispatchContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const began = performance.now();
  const method = request.method ?? 'GET';
  const exchange: Exchange = { request, response, method, target: targetOf(request.url ?? '/'), requestId: requestIdOf(request), began };
  prepare(context, exchange);
  let route: Route | undefined;
  let streamed = false;
  try {
    const { path } = exchange.target;
    const found = context.router.find(method, path) ?? context.console?.find({ method, path, accept: request.headers.accept });
    route = isMatch(found) ? found.route : undefined;
    await answer(context, exchange, found).then(async (reply) => {
      if (route?.mayWait) await recheck(context, exchange)().catch((error: unknown) => drop(reply, error));
      streamed = reply.type === 'stream' && reply.contentType === EVENT_STREAM_TYPE;
      return write(context, exchange, reply);
    });
  } catch (error) {
    const reply = fail(context, exchange, { error, route });
    if (reply !== undefined) {
      // A stream that was refused is a request like others.
      streamed = false;
      await write(context, exchange, reply);
    }
  }
  if (streamed) return;
  const status = response.headersSent ? response.statusCode : CLIENT_LEFT;
  context.metrics.observe({ method, route: route?.path ?? 'none', status }, (performance.now() - began) / 1000);
}
