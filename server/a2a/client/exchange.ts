// One exchange of JSON-RPC with a remote agent, through the egress guard: a result, or a stream of results, each of bounded size.
import { createParser } from 'eventsource-parser';
import { ServiceError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import type { Clock } from '../../clock.ts';
import type { Egress, EgressResponse } from '../../egress/egress.ts';
import { plainEventLines } from '../../egress/event-lines.ts';
import { isSuccess, statusVerdict } from '../../egress/http-status.ts';
import { cappedBody, readStart, readText, retryAfterMs } from '../../egress/response.ts';
import { CallError } from '../../engine/ports.ts';
import { parseJson } from '../../manifest/parse.ts';
import type { Dialect } from '../model.ts';
import { ANSWER_MAX_BYTES, EVENT_MAX_CHARS, STREAM_MAX_BYTES } from './limits.ts';

export interface AgentConnection {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly allowPrivate: boolean;
  /** Setting that permits private addresses, for errors. */
  readonly permittedBy: string;
  readonly url: string;
  readonly dialect: Dialect;
  /** Empty for an address of another origin than theirs. */
  readonly credentials: Readonly<Record<string, string>>;
  /** Origin that the credentials belong to, where this address is not of it. */
  readonly withheldFor?: string;
  readonly tenant?: string;
  /** Names the agent in errors. */
  readonly what: string;
}

/** Values of credentials that an answer may repeat. */
export const secretsOf = (credentials: AgentConnection['credentials']): string[] =>
  Object.values(credentials).map((value) => value.replace(/^Bearer /, ''));

export interface RpcCall {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** The agent answered with an error of JSON-RPC. */
export class AgentRpcError extends Error {
  override readonly name = 'AgentRpcError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const METHOD_NOT_FOUND = -32601;
const UNSUPPORTED_OPERATION = -32004;
const VERSION_NOT_SUPPORTED = -32009;
const INTERNAL_ERROR = -32603;

/** The agent does not have that method or that version; it has done nothing. */
export const isUnknownMethod = (error: unknown): boolean =>
  error instanceof AgentRpcError && (error.code === METHOD_NOT_FOUND || error.code === VERSION_NOT_SUPPORTED);
export const isUnsupported = (error: unknown): boolean => error instanceof AgentRpcError && error.code === UNSUPPORTED_OPERATION;

/** An error of JSON-RPC as the end of a call. */
export function rpcFailure({ code, message }: AgentRpcError, what: string): CallError {
  return new CallError('execution_failed', `${what} answered with the error ${code}${message === '' ? '' : `: ${message}`}`, {
    retryable: code === INTERNAL_ERROR,
    reason: `rpc_${code}`,
  });
}

/** Rejects with AgentRpcError and CallError. */
export async function callMethod(connection: AgentConnection, call: RpcCall): Promise<unknown> {
  const response = await post(connection, call, 'application/json');
  return resultOf(await readJson(connection, response), connection.what);
}

/** Results of a method that streams; a single one where the agent answers whole. Rejects like callMethod. */
export async function* streamMethod(connection: AgentConnection, call: RpcCall): AsyncGenerator<unknown> {
  const response = await post(connection, call, 'text/event-stream, application/json');
  if (!/^text\/event-stream\b/i.test(response.headers['content-type'] ?? '')) {
    yield resultOf(await readJson(connection, response), connection.what);
    return;
  }
  for await (const event of readEvents(connection, response)) yield resultOf(event, connection.what);
}

async function post(connection: AgentConnection, { method, params, signal }: RpcCall, accept: string): Promise<EgressResponse> {
  const { egress, url, dialect, credentials, allowPrivate, permittedBy, tenant } = connection;
  const response = await egress.send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', accept, ...(dialect === 'v1' && { 'a2a-version': '1.0' }) },
    credentials,
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: '1',
      method,
      params: { ...(dialect === 'v1' && tenant !== undefined && { tenant }), ...params },
    }),
    ...{ signal, allowPrivate, permittedBy },
  });
  if (isSuccess(response.status)) return response;
  throw await refusal(connection, response);
}

async function refusal({ what, clock, withheldFor }: AgentConnection, response: EgressResponse): Promise<CallError | AgentRpcError> {
  const { status, headers } = response;
  const { code, retryable } = statusVerdict(status);
  const isAuth = status === 401 || status === 403;
  const error = isAuth ? undefined : rpcErrorOf(await readStart(response, ANSWER_MAX_BYTES));
  response.discard();
  // Some agents send the error of an unknown method under a status of HTTP.
  if (status < 500 && isUnknownMethod(error)) return error as AgentRpcError;
  const said = error?.message ?? '';
  const withheld =
    isAuth && withheldFor !== undefined ? `; the Tool's credentials go only to ${withheldFor}, not to the card's address` : '';
  const wait = retryAfterMs(headers['retry-after'], clock.now());
  return new CallError(code, `${what} answered ${status}${said === '' ? '' : `: ${said}`}${withheld}`, {
    ...{ retryable, reason: `http_${status}` },
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

/** An error of JSON-RPC that comes under a status of HTTP. */
function rpcErrorOf(body: string): AgentRpcError | undefined {
  try {
    const value = parseJson(body);
    const error = isObject(value) ? value['error'] : undefined;
    return isObject(error) ? toRpcError(error) : undefined;
  } catch {
    return undefined;
  }
}

function toRpcError({ code, message }: Readonly<Record<string, unknown>>): AgentRpcError {
  return new AgentRpcError(typeof code === 'number' ? code : INTERNAL_ERROR, typeof message === 'string' ? message.trim() : '');
}

async function readJson({ what }: AgentConnection, response: EgressResponse): Promise<unknown> {
  const type = response.headers['content-type'] ?? '';
  if (type !== '' && !/\bjson\b/i.test(type)) {
    response.discard();
    throw malformed(what, `answered with ${type.split(';', 1)[0]?.slice(0, 80)} in place of JSON`);
  }
  return parse(await readText(response, { maxBytes: ANSWER_MAX_BYTES, retryable: false, what }), what);
}

function parse(text: string, what: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof ServiceError) throw malformed(what, 'sent an answer that is not JSON or is too large');
    throw error;
  }
}

function resultOf(body: unknown, what: string): unknown {
  if (!isObject(body)) throw malformed(what, 'sent an answer that is not a JSON object');
  const { error, result } = body;
  if (isObject(error)) throw toRpcError(error);
  // An event of the plain dialect is the task itself.
  if (result === undefined && body['status'] !== undefined) return body;
  if (result === undefined) throw malformed(what, 'sent an answer without a result and without an error');
  return result;
}

export function malformed(what: string, problem: string): CallError {
  return new CallError('malformed_response', `${what} ${problem}`, { retryable: false, reason: 'protocol' });
}

async function* readEvents({ what }: AgentConnection, response: EgressResponse): AsyncGenerator<unknown> {
  const waiting: string[] = [];
  const decoder = new TextDecoder();
  const parser = createParser({
    maxBufferSize: EVENT_MAX_CHARS,
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw malformed(what, `sent an event of more than ${EVENT_MAX_CHARS} characters`);
    },
    onEvent: ({ data }) => {
      if (data.trim() !== '') waiting.push(data);
    },
  });
  try {
    for await (const chunk of plainEventLines(cappedBody(response, { maxBytes: STREAM_MAX_BYTES, retryable: false, what }))) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      yield* waiting.splice(0).map((data) => parse(data, what));
    }
  } finally {
    response.discard();
  }
}
