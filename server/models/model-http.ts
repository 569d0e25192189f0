// The HTTP half that all model providers share: one POST under the guard, the deadline and the size limit, with failures as CallErrors.
import { isObject } from '@svc/shared/json';
import { ServiceError } from '@svc/shared/errors';
import type { Clock } from '../clock.ts';
import { withDeadline } from '../egress/deadline.ts';
import type { Egress, EgressResponse } from '../egress/egress.ts';
import { isSuccess, statusVerdict } from '../egress/http-status.ts';
import { redact } from '../egress/redact.ts';
import { readStart, retryAfterMs, type TextLimit } from '../egress/response.ts';
import { CallError, type ModelEndpointRef, type ModelResponse } from '../engine/ports.ts';
import type { SecretResolver } from '../secrets/ports.ts';
import { durationOption } from './options.ts';
import { endpointTitle, type ModelCall } from './provider.ts';

const TIMEOUT_DEFAULT_MS = 120_000;
const RESPONSE_MAX_BYTES = 16 * 1024 * 1024;
const ERROR_BODY_MAX_BYTES = 4 * 1024;
const ERROR_TEXT_MAX_CHARS = 300;

export interface ModelHttpDeps {
  readonly secrets: SecretResolver;
  readonly egress: Egress;
  readonly clock: Clock;
}

export interface ModelPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: Readonly<Record<string, string>>;
  /** Values that must not appear in an error, whatever the provider answers. */
  readonly secrets: readonly string[];
  readonly body: unknown;
}

/** An answer with a 2xx status, still unread. */
export interface ModelAnswer {
  readonly response: EgressResponse;
  readonly limit: TextLimit;
  readonly signal: AbortSignal;
  /** What the request was signed with. */
  readonly secrets: readonly string[];
}

/** Posts once and hands a successful answer to `read`, all within the endpoint's `timeout`. Rejects with CallError. */
export async function postModel<T>(deps: ModelHttpDeps, call: ModelCall, exchange: ModelExchange<T>): Promise<T> {
  const { endpoint, signal, request } = call;
  const timeoutMs = durationOption(endpoint, 'timeout') ?? TIMEOUT_DEFAULT_MS;
  const title = endpointTitle(endpoint);
  return withDeadline({ clock: deps.clock, timeoutMs, signal, what: `model call to ${title}` }, async (limited) => {
    const post = await exchange.prepare();
    const response = await deps.egress.send({
      method: 'POST',
      url: post.url,
      headers: { 'content-type': 'application/json', 'idempotency-key': request.requestId, ...post.headers },
      credentials: post.credentials,
      body: JSON.stringify(post.body),
      signal: limited,
      allowPrivate: endpoint.spec.allowPrivate ?? false,
      permittedBy: `allowPrivate of ${title}`,
    });
    if (!isSuccess(response.status)) throw await statusError(response, { endpoint, secrets: post.secrets, now: deps.clock.now() });
    const limit = { maxBytes: RESPONSE_MAX_BYTES, retryable: true, what: title };
    return exchange.read({ response, limit, signal: limited, secrets: post.secrets });
  });
}

export interface ModelExchange<T> {
  prepare(): Promise<ModelPost>;
  read(answer: ModelAnswer): Promise<T>;
}

/** Shorter tokens are left alone: they could be words of the answer. */
const TOKEN_MIN_CHARS = 8;

/** The response with the token taken out, should the other side repeat it: what a model says is recorded. */
export function withoutSecrets(response: ModelResponse, secrets: readonly string[]): ModelResponse {
  const tokens = secrets.filter(({ length }) => length >= TOKEN_MIN_CHARS);
  if (tokens.length === 0) return response;
  const toolCalls = response.toolCalls.map((call) => ({ ...call, arguments: redact(call.arguments, tokens) }));
  return { ...response, content: redact(response.content, tokens), toolCalls };
}

/** The endpoint's token, or undefined when it names no Secret. Surrounding white space is dropped: files end in newlines. */
export async function resolveToken({ secrets }: ModelHttpDeps, endpoint: ModelEndpointRef): Promise<string | undefined> {
  const ref = endpoint.spec.auth?.secretRef;
  if (!ref) return undefined;
  try {
    return (await secrets.resolveValue(ref, endpoint.namespace)).trim();
  } catch (error) {
    const why = error instanceof ServiceError ? `: ${error.message}` : '';
    throw new CallError('secret_resolution_failed', `${endpointTitle(endpoint)} auth.secretRef "${ref}" could not be resolved${why}`, {
      retryable: error instanceof ServiceError && (error.code === 'unavailable' || error.code === 'internal'),
      cause: error,
    });
  }
}

/** The model to ask for. */
export function modelName(endpoint: ModelEndpointRef): string {
  const name = endpoint.spec.default_model;
  if (name) return name;
  throw new CallError('runtime_policy_invalid', `${endpointTitle(endpoint)} has no spec.default_model, which its provider needs`, {
    retryable: false,
    reason: 'missing_model',
  });
}

/** `base_url` with `path` behind it; `bare` is put between them when the base URL has no path of its own. */
export function joinUrl(endpoint: ModelEndpointRef, { bare, path }: { bare: string; path: string }): string {
  const base = endpoint.spec.base_url ?? '';
  if (!URL.canParse(base)) {
    const problem = base === '' ? 'is missing' : 'is not a URL';
    throw new CallError('runtime_policy_invalid', `${endpointTitle(endpoint)} spec.base_url ${problem}`, {
      retryable: false,
      reason: 'invalid_url',
    });
  }
  const url = new URL(base);
  url.pathname = `${url.pathname === '/' ? bare : url.pathname.replace(/\/+$/, '')}${path}`;
  return url.href;
}

/** An answer that is not what the provider's protocol promises. */
export function malformed(what: string, problem: string): CallError {
  return new CallError('malformed_response', `${what} sent ${problem}`, { retryable: true, reason: 'malformed_response' });
}

interface StatusContext {
  readonly endpoint: ModelEndpointRef;
  readonly secrets: readonly string[];
  readonly now: number;
}

async function statusError(response: EgressResponse, { endpoint, secrets, now }: StatusContext): Promise<CallError> {
  const { status, headers } = response;
  const verdict = statusVerdict(status);
  const said = providerError(await readStart(response, ERROR_BODY_MAX_BYTES));
  // Refused credentials are often quoted back in part, so nothing the provider says about them is repeated.
  const quote =
    status === 401 || status === 403 || !said.message ? '' : `: ${redact(said.message, secrets).slice(0, ERROR_TEXT_MAX_CHARS)}`;
  const wait = retryAfterMs(headers['retry-after'], now);
  return new CallError(
    status === 404 ? 'model_not_found' : verdict.code,
    `${endpointTitle(endpoint)} answered ${status}${hint(status)}${quote}`,
    {
      // A spent quota answers 429 too, and waiting does not refill it.
      retryable: verdict.retryable && said.code !== 'insufficient_quota',
      reason: said.code === 'insufficient_quota' ? said.code : `http_${status}`,
      ...(wait !== undefined && { retryAfterMs: wait }),
    },
  );
}

function hint(status: number): string {
  if (status === 401) return ' (the token in its auth.secretRef was not accepted)';
  if (status === 403) return ' (the token in its auth.secretRef may not use this model)';
  return status === 404 ? ' (check its default_model and base_url)' : '';
}

/** The message and code of a provider's error body, in the forms seen in the wild; empty when it is something else. */
export function providerError(text: string): { message?: string; code?: string } {
  const error = parseJson(text)?.['error'];
  if (typeof error === 'string') return { message: error };
  if (!isObject(error)) return {};
  return {
    ...(typeof error['message'] === 'string' && { message: error['message'] }),
    ...(typeof error['code'] === 'string' && { code: error['code'] }),
  };
}

/** The text as a JSON object, or undefined when it is anything else. */
export function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
