// HTTP to the server: JSON requests, SSE streams, and every failure as a CliError that says what to do. Independent of any kind.
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { Agent, errors, request, type Dispatcher } from 'undici';
import type { ErrorBody, ErrorCode, FieldError } from '@svc/shared/errors';
import { isObject, readJson } from '@svc/shared/json';
import { isMalformedHttp } from '../../egress/malformed-http.ts';
import { CliError, EXIT } from '../program/exit-codes.ts';
import type { Hint } from '../program/program-name.ts';
import type { ApiToken } from '../program/settings.ts';
import { createProxies, type Environment } from './proxy.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const HEADERS_TIMEOUT_MS = 60_000;

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the server's address, `/v1/tasks`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly text?: { readonly content: string | Uint8Array; readonly type: string };
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** The longest wait for the answer, where the usual one is too short. */
  readonly answerMaxMs?: number;
  /** Warnings of the answer are returned and not printed. */
  readonly quiet?: boolean;
  /** Hint of a 404. */
  readonly absent?: Hint | undefined;
}

export interface ApiResponse<Body> {
  readonly status: number;
  readonly body: Body;
  /** Sentences of the `Warning` headers. */
  readonly warnings: readonly string[];
}

interface StreamRequest extends Pick<ApiRequest, 'path' | 'query' | 'signal'> {
  readonly lastEventId?: string | undefined;
}

/** The server answered with an error. */
export class ApiError extends CliError {
  readonly status: number;
  readonly code: ErrorCode | undefined;
  readonly details: readonly FieldError[];

  constructor(status: number, error: Partial<ErrorBody['error']>, hint: Hint | undefined) {
    super(error.message ?? `the server answered ${status}`, { exitCode: exitCodeOf(status), hint });
    this.status = status;
    this.code = error.code;
    this.details = error.details ?? [];
  }
}

/** 503 of the server itself, and what a proxy answers while the server behind it is down or restarts. */
const NO_ANSWER_NOW: ReadonlySet<number> = new Set([502, 503, 504]);

function exitCodeOf(status: number): number {
  if (status === 401 || status === 403) return EXIT.denied;
  if (NO_ANSWER_NOW.has(status)) return EXIT.unreachable;
  return status === 404 ? EXIT.notFound : EXIT.failed;
}

export const NO_TOKEN_HINT: Hint = (svcctl) => `set SVC_API_TOKEN, or use a profile ("${svcctl} config set-profile --help")`;

function hintFor(status: number, requestId: string | undefined, token: ApiToken | undefined): Hint | undefined {
  if (status === 401) return token ? `the token came from ${token.from}: give a valid one there` : NO_TOKEN_HINT;
  if (status === 403) return (svcctl) => `"${svcctl} auth whoami" shows your role, "${svcctl} tokens --help" the others`;
  if (status === 413) return 'send fewer or smaller documents at a time';
  if (status === 429) return 'wait a moment and try again';
  if (status === 502 || status === 504) return 'a proxy answered; check that the server behind it runs';
  if (status >= 500 && requestId) return `see the server's log under request id ${requestId}`;
  return undefined;
}

export interface ApiClient {
  readonly server: string;
  send<Body>(request: ApiRequest): Promise<ApiResponse<Body>>;
  /** Body of an answer that is not JSON. */
  sendForText(request: ApiRequest & { readonly accept: string }): Promise<string>;
  /** Server-sent events until the stream ends; the consumer stops it through the signal or by leaving the loop. */
  stream(request: StreamRequest): AsyncGenerator<EventSourceMessage, void, void>;
  close(): Promise<void>;
}

const REFUSED_HINT = 'start a server with "npx svcd", or name a running one with --server or SVCCTL_SERVER';

/** Codes of OpenSSL and Node.js for certificates that are not accepted. */
const CERTIFICATE_PROBLEMS = [
  {
    codes: /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT.*)$/,
    problem: 'by an authority that is not trusted here',
    hint: 'set NODE_EXTRA_CA_CERTS to the PEM file of its authority',
  },
  { codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/, problem: 'for another host', hint: 'use a host name that the certificate has' },
  { codes: /^CERT_HAS_EXPIRED$/, problem: 'that has expired', hint: 'renew it at the server, or correct the clock of this machine' },
];

/** Network failures in words; undici reports a refused connection to several addresses as one AggregateError with a code. */
function connectionError(server: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const code = (error as { code?: string }).code ?? '';
  const unreachable = { exitCode: EXIT.unreachable, cause: error };
  if (code === 'ECONNREFUSED')
    return new CliError(`cannot connect to ${server}: connection refused`, { ...unreachable, hint: REFUSED_HINT });
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new CliError(`cannot connect to ${server}: the host name is unknown`, {
      ...unreachable,
      hint: 'check --server or SVCCTL_SERVER',
    });
  }
  if (code.endsWith('TIMEOUT') || code === 'ETIMEDOUT') return new CliError(`${server} did not answer in time`, unreachable);
  if (isMalformedHttp(error))
    return new CliError(`${server} does not speak HTTP`, { ...unreachable, hint: 'check the scheme and port of --server' });
  // An answer that ends in its middle is to undici a socket error or a parser error.
  const cut = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || error instanceof errors.HTTPParserError;
  if (cut) return new CliError(`${server} closed the connection`, unreachable);
  const certificate = CERTIFICATE_PROBLEMS.find(({ codes }) => codes.test(code));
  if (certificate) return new CliError(`${server} has a certificate ${certificate.problem}`, { ...unreachable, hint: certificate.hint });
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_'))
    return new CliError(`${server} does not speak TLS`, { ...unreachable, hint: 'check the scheme and port of --server' });
  return new CliError(`the connection to ${server} failed: ${(error as Error).message || code}`, unreachable);
}

function urlOf(server: string, path: string, query: ApiRequest['query']): string {
  // A parameter that the server does not know is an error and not a wider answer.
  const parameters = new URLSearchParams({ fieldValidation: 'Strict' });
  for (const [key, value] of Object.entries(query ?? {})) if (value !== undefined) parameters.set(key, String(value));
  const text = parameters.toString();
  return `${server}${path}${text ? `?${text}` : ''}`;
}

/** The address of an answer that svcd does not give is wrong, or that of a proxy. */
function foreignAnswer(message: string): CliError {
  return new CliError(message, { hint: 'is this address an svcd server?' });
}

/** Rejects redirects, and a body of another media type than svcd answers with. */
function requireMediaType(server: string, { statusCode, headers }: Dispatcher.ResponseData, mediaType: string): void {
  const [type = ''] = String(headers['content-type'] ?? 'no media type').split(';');
  if (type !== mediaType) throw foreignAnswer(`${server} answered ${statusCode} with ${type} instead of ${mediaType}`);
}

function rejectRedirect(server: string, path: string, { statusCode, headers }: Dispatcher.ResponseData): void {
  const { location } = headers;
  if (statusCode < 300 || statusCode >= 400 || typeof location !== 'string' || !URL.canParse(location, server)) return;
  const { origin, pathname } = new URL(location, server);
  throw new CliError(`${server} redirects to ${origin}${pathname.endsWith(path) ? pathname.slice(0, -path.length) : pathname}`, {
    hint: 'name the address that it redirects to with --server or SVCCTL_SERVER',
  });
}

interface Caller {
  readonly server: string;
  readonly token: ApiToken | undefined;
}

function apiError(
  response: Dispatcher.ResponseData,
  text: string,
  { server, token, absent }: Caller & Pick<ApiRequest, 'absent'>,
): CliError {
  const body = readJson(text);
  const requestId = response.headers['x-request-id'];
  const error = isObject(body) && isObject(body['error']) ? (body['error'] as Partial<ErrorBody['error']>) : {};
  // A 404 of another program does not say that an object is absent, and a 400 not that the request is invalid.
  if ((response.statusCode === 404 || response.statusCode === 400) && error.code === undefined)
    return foreignAnswer(`${server} answered ${response.statusCode} with something that is not an error of the API`);
  if (response.statusCode === 404 && String(response.headers['link']).includes('rel="service-desc"'))
    return new CliError(`${server} has no such path of the API: ${error.message ?? ''}`, {
      hint: 'check the address, with its path, of --server or SVCCTL_SERVER, or upgrade the server if it is older than svcctl',
    });
  const known = response.statusCode === 404 ? absent : undefined;
  const hint = known ?? hintFor(response.statusCode, typeof requestId === 'string' ? requestId : undefined, token);
  return new ApiError(response.statusCode, error, hint);
}

/** RFC 7234 warn-text: `299 - "sentence"`. */
function warningsOf(header: string | string[] | undefined): string[] {
  const lines = header === undefined ? [] : Array.isArray(header) ? header : [header];
  return lines.flatMap((line) => [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => (match[1] ?? '').replaceAll(/\\(.)/g, '$1')));
}

class HttpApiClient implements ApiClient {
  readonly server: string;
  readonly #token: ApiToken | undefined;
  readonly #dispatcher: Dispatcher;
  readonly #onWarning: (sentence: string) => void;

  constructor({ server, token, env }: ApiClientOptions, onWarning: (sentence: string) => void) {
    this.server = server;
    this.#onWarning = onWarning;
    this.#token = token;
    this.#dispatcher =
      createProxies(env, { headersTimeoutMs: HEADERS_TIMEOUT_MS }).dispatcherTo(new URL(server), token !== undefined) ??
      new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS }, headersTimeout: HEADERS_TIMEOUT_MS, bodyTimeout: 0 });
  }

  async sendForText({ accept, ...call }: ApiRequest & { readonly accept: string }): Promise<string> {
    const { response, text } = await this.#exchange(call, accept);
    requireMediaType(this.server, response, accept);
    return text;
  }

  async send<Body>(call: ApiRequest): Promise<ApiResponse<Body>> {
    const { response, text } = await this.#exchange(call, 'application/json');
    const parsed = readJson(text);
    if (parsed === undefined) throw foreignAnswer(`${this.server} answered ${response.statusCode} with something that is not JSON`);
    const warnings = warningsOf(response.headers['warning']);
    if (!call.quiet) warnings.forEach((sentence) => this.#onWarning(sentence));
    return { status: response.statusCode, body: parsed as Body, warnings };
  }

  async #exchange(call: ApiRequest, accept: string): Promise<{ readonly response: Dispatcher.ResponseData; readonly text: string }> {
    const body = call.text?.content ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
    const contentType = body === undefined ? {} : { 'content-type': call.text?.type ?? 'application/json' };
    const response = await this.#dispatch(call, {
      headers: { accept, ...contentType, ...call.headers },
      ...(body !== undefined && { body }),
    });
    return { response, text: await this.#text(response) };
  }

  async #text({ body }: Dispatcher.ResponseData): Promise<string> {
    return body.text().catch((error: unknown) => {
      throw connectionError(this.server, error);
    });
  }

  async *stream(call: StreamRequest): AsyncGenerator<EventSourceMessage, void, void> {
    const resume = call.lastEventId === undefined ? {} : { 'last-event-id': call.lastEventId };
    const response = await this.#dispatch({ method: 'GET', ...call }, { headers: { accept: 'text/event-stream', ...resume } });
    requireMediaType(this.server, response, 'text/event-stream');
    let batch: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (event) => batch.push(event) });
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body) {
        parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
        const events = batch;
        batch = [];
        yield* events;
      }
    } catch (error) {
      if (call.signal?.aborted) return;
      throw connectionError(this.server, error);
    } finally {
      response.body.on('error', () => undefined).destroy();
    }
  }

  close(): Promise<void> {
    return this.#dispatcher.destroy();
  }

  /** The answer to a request; rejects what the server refuses. */
  async #dispatch(
    call: Pick<ApiRequest, 'method' | 'path' | 'query' | 'signal' | 'absent' | 'answerMaxMs'>,
    rest: { headers: Record<string, string>; body?: string | Uint8Array },
  ): Promise<Dispatcher.ResponseData> {
    const response = await this.#request(call, rest);
    rejectRedirect(this.server, call.path, response);
    if (response.statusCode < 400) return response;
    throw apiError(response, await this.#text(response), { server: this.server, token: this.#token, absent: call.absent });
  }

  async #request(
    call: Pick<ApiRequest, 'method' | 'path' | 'query' | 'signal' | 'answerMaxMs'>,
    rest: { headers: Record<string, string>; body?: string | Uint8Array },
  ): Promise<Dispatcher.ResponseData> {
    try {
      return await request(urlOf(this.server, call.path, call.query), {
        method: call.method,
        dispatcher: this.#dispatcher,
        headers: { ...(this.#token && { authorization: `Bearer ${this.#token.value}` }), ...rest.headers },
        ...(rest.body !== undefined && { body: rest.body }),
        ...(call.signal && { signal: call.signal }),
        ...(call.answerMaxMs !== undefined && { headersTimeout: call.answerMaxMs }),
      });
    } catch (error) {
      if (call.signal?.aborted) throw error;
      throw connectionError(this.server, error);
    }
  }
}

export interface ApiClientOptions extends Caller {
  /** Names the proxy. */
  readonly env: Environment;
}

/** `onWarning` receives each sentence of the `Warning` headers. Throws where the environment names a proxy that cannot be used. */
export function createApiClient(options: ApiClientOptions, onWarning: (sentence: string) => void = () => undefined): ApiClient {
  return new HttpApiClient(options, onWarning);
}
