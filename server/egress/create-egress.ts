// The one guard of outbound HTTP: checks the URL at call time and the address at dial time, on every hop of a redirect.
import { Agent, type Dispatcher } from 'undici';
import { CallError } from '../engine/ports.ts';
import { orAborted } from './deadline.ts';
import type { Egress, EgressRequest, EgressResponse } from './egress.ts';
import { guardedConnector, systemResolve, type Resolve } from './guarded-connector.ts';
import { overheadLimit } from './overhead-limit.ts';
import { nextHop, urlProblem, withoutOwn, type Hop } from './redirects.ts';
import { transportError } from './transport-errors.ts';

const REDIRECTS_MAX = 5;
const CONNECT_TIMEOUT_MS = 10_000;
const CONNECTIONS_PER_ORIGIN_MAX = 256;
const LEAVES_ORIGIN = 'it redirects to another origin, and the request holds a secret that must not go there';

export interface EgressOptions {
  /** How names are resolved; the operating system's way unless a test says otherwise. */
  readonly resolve?: Resolve;
  /** Proxy of a request, whose address is then not checked at dial; undefined: none. For svcctl. */
  readonly proxyOf?: (hop: Hop) => Dispatcher | undefined;
}

export function createEgress({ resolve = systemResolve, proxyOf }: EgressOptions = {}): Egress {
  // One pool per trust level: a pooled socket is not checked again, so it must never serve a stricter caller.
  const agents = { open: openAgent(true, resolve), strict: openAgent(false, resolve) };
  let closing: Promise<void> | undefined;
  return {
    async send(request) {
      const direct = request.allowPrivate ? agents.open : agents.strict;
      let hop = firstHop(request);
      for (let redirects = 0; ; redirects += 1) {
        const response = await dispatch(proxyOf?.(hop) ?? direct, { hop, request });
        const next = nextHop(hop, response.status, response.headers['location']);
        if (next.kind === 'none' || request.followRedirects === false) return response;
        if (request.followRedirects === 'with-body' && next.kind === 'hop' && next.hop.body !== hop.body) return response;
        response.discard();
        if (next.kind === 'refused') throw refused(hop.url, next.why);
        if (request.followRedirects === 'same-origin' && next.hop.url.origin !== hop.url.origin) throw refused(hop.url, LEAVES_ORIGIN);
        if (redirects === REDIRECTS_MAX) throw tooManyRedirects(hop.url);
        hop = next.hop;
      }
    },
    close() {
      closing ??= Promise.all([agents.open.destroy(), agents.strict.destroy()]).then(() => undefined);
      return closing;
    },
  };
}

function openAgent(allowPrivate: boolean, resolve: Resolve): Dispatcher.ComposedDispatcher {
  const agent = new Agent({
    connect: guardedConnector({ allowPrivate, resolve, connectTimeoutMs: CONNECT_TIMEOUT_MS }),
    connections: CONNECTIONS_PER_ORIGIN_MAX,
    // The caller's deadline ends slow answers; a second clock here would only contradict it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return agent.compose(overheadLimit);
}

function firstHop({ method, url: text, headers, credentials, body }: EgressRequest): Hop {
  if (!URL.canParse(text)) {
    throw new CallError('egress_blocked', 'blocked connection: the URL cannot be parsed', { retryable: false, reason: 'invalid_url' });
  }
  const url = new URL(text);
  const problem = urlProblem(url);
  if (problem !== undefined) throw refused(url, problem);
  return { method, url, headers: withoutOwn(headers), credentials: withoutOwn(credentials ?? {}), body };
}

async function dispatch(agent: Dispatcher, { hop, request }: { hop: Hop; request: EgressRequest }): Promise<EgressResponse> {
  const { signal, permittedBy } = request;
  signal.throwIfAborted();
  try {
    const pending = agent.request({
      origin: hop.url.origin,
      path: hop.url.pathname + hop.url.search,
      method: hop.method,
      headers: { 'accept-encoding': 'identity', ...hop.headers, ...hop.credentials },
      ...(hop.body !== undefined && { body: hop.body }),
      signal,
    });
    // undici does not see an abort while it dials; nobody should wait for that.
    const answer = await orAborted(pending, signal).catch((error: unknown) => {
      pending.then((late) => late.body.on('error', ignore).destroy(), ignore);
      throw error;
    });
    return toResponse(answer, (error) => wrap(error, { url: hop.url, permittedBy, signal }));
  } catch (error) {
    throw wrap(error, { url: hop.url, permittedBy, signal });
  }
}

const ignore = () => undefined;

function toResponse({ statusCode, headers, body }: Dispatcher.ResponseData, wrapError: (error: unknown) => unknown): EgressResponse {
  const flat = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]);
  return {
    status: statusCode,
    headers: Object.fromEntries(flat) as Record<string, string>,
    body: wrapping(body, wrapError),
    discard: () => void body.on('error', ignore).destroy(),
  };
}

async function* wrapping(body: AsyncIterable<Uint8Array>, wrapError: (error: unknown) => unknown): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw wrapError(error);
  }
}

function wrap(error: unknown, context: { url: URL; permittedBy: string; signal: AbortSignal }): unknown {
  return context.signal.aborted ? context.signal.reason : transportError(error, context);
}

function refused(url: URL, why: string): CallError {
  return new CallError('egress_blocked', `blocked connection to ${url.protocol}//${url.host}: ${why}`, {
    retryable: false,
    reason: 'url_refused',
  });
}

function tooManyRedirects(url: URL): CallError {
  return new CallError('execution_failed', `${url.origin} redirected more than ${REDIRECTS_MAX} times`, {
    retryable: false,
    reason: 'too_many_redirects',
  });
}
