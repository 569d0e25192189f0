// The HTTP half that all model providers share: one POST under the guard, the deadline and the size limit, with failures as CallErrors.
import { JSON_VALUES_MAX } from '@svc/shared/json-text';
import { trimEnd } from '@svc/shared/trim-end';
import type { Clock } from '../clock.ts';
import { withDeadline } from '../egress/deadline.ts';
import type { Egress, EgressRequest, EgressResponse } from '../egress/egress.ts';
import { isSuccess } from '../egress/http-status.ts';
import type { TextLimit } from '../egress/response.ts';
import { CallError, type ModelEndpointRef, type ModelResponse } from '../engine/ports.ts';
import type { SecretResolver } from '../secrets/ports.ts';
import { holdTooManyValues } from './answer-parts.ts';
import { booleanOption, durationOption } from './options.ts';
import { endpointTitle, type EmbeddingsCall, type ModelCall } from './provider.ts';
import { malformed, statusError, StreamingRefused } from './provider-errors.ts';
import { cleanDeltas, withoutSecrets } from './redaction.ts';
import { ownTurn } from '../own-turn.ts';
import { STREAMING_REFUSED, type StreamingMemory } from './streaming.ts';

const TIMEOUT_DEFAULT_MS = 120_000;
const RESPONSE_MAX_BYTES = 16 * 1024 * 1024;
/** Text of an answer, arguments of its tool calls included: it is stored as an entry, an output and a status, each in one write. */
const TEXT_MAX_CHARS = 4 * 1024 * 1024;

export interface ModelHttpDeps {
  readonly secrets: SecretResolver;
  readonly egress: Egress;
  readonly clock: Clock;
  /** The operator's ceiling: false keeps every endpoint to public addresses, whatever its `allowPrivate` is. */
  readonly allowPrivate: boolean;
}

export interface ModelPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: Readonly<Record<string, string>>;
  /** Values that must not appear in an answer or an error, whatever the provider sends. */
  readonly secrets: readonly string[];
  readonly body: unknown;
}

/** An answer with a 2xx status, still unread. */
export interface ModelAnswer {
  readonly response: EgressResponse;
  readonly limit: TextLimit;
  readonly signal: AbortSignal;
  /** Credential of the request. */
  readonly secrets: readonly string[];
}

export interface ModelExchange<T> {
  prepare(): Promise<ModelPost>;
  /** Whether a request that was refused is prepared and sent once more, within the same deadline. */
  again?(error: unknown): boolean;
  read(answer: ModelAnswer): Promise<T>;
}

export interface ChatExchange {
  /** Endpoints of the provider that refuse to stream. */
  readonly streaming: StreamingMemory;
  prepare(stream: boolean): Promise<ModelPost>;
  /** Hands each piece of text to `onText`, whether or not anybody watches. */
  read(answer: ModelAnswer, onText: (text: string) => void): Promise<ModelResponse>;
}

/**
 * Calls a model once, within the endpoint's `timeout`, and keeps the token out of the answer. It streams if the endpoint is set to, else when a reader
 * of the text exists. If the server refuses to stream, it asks again for a whole answer. Rejects with CallError.
 */
export function callModel(deps: ModelHttpDeps, call: ModelCall, exchange: ChatExchange): Promise<ModelResponse> {
  const { endpoint, request, onDelta } = call;
  const chosen = booleanOption(endpoint, 'stream');
  const wanted = chosen ?? onDelta !== undefined;
  let stream = chosen ?? (wanted && !exchange.streaming.isRefused(endpoint));
  let fellBack = false;
  return postModel(deps, call, {
    async prepare() {
      const post = await exchange.prepare(stream);
      // Another body under the key of a refused request would be refused too.
      return stream === wanted ? post : { ...post, headers: { ...post.headers, 'idempotency-key': `${request.requestId}-whole` } };
    },
    again(error) {
      fellBack = chosen === undefined && stream && error instanceof StreamingRefused;
      if (fellBack) stream = false;
      return fellBack;
    },
    async read(answer) {
      const deltas = onDelta && cleanDeltas(onDelta, answer.secrets);
      const response = await exchange.read(answer, (text) => deltas?.push(text));
      deltas?.flush();
      if (fellBack) exchange.streaming.refuse(endpoint);
      if (textChars(response) > TEXT_MAX_CHARS) throw malformed(answer.limit.what, `more than ${TEXT_MAX_CHARS} characters of text`);
      if (holdTooManyValues(response.toolCalls))
        throw malformed(answer.limit.what, `more than ${JSON_VALUES_MAX} values in the arguments of its tool calls`);
      const clean = withoutSecrets(response, answer.secrets);
      // The run continues here and records the answer.
      await ownTurn(clean.content.length);
      return { ...clean, ...(fellBack && { notice: STREAMING_REFUSED }) };
    },
  });
}

/** Posts once, or again if the exchange requires it, and hands a successful answer to `read`, all within the endpoint's `timeout`. Rejects with CallError. */
export async function postModel<T>(deps: ModelHttpDeps, call: ModelCall | EmbeddingsCall, exchange: ModelExchange<T>): Promise<T> {
  const { endpoint, signal, request } = call;
  const timeoutMs = durationOption(endpoint, 'timeout') ?? TIMEOUT_DEFAULT_MS;
  const title = endpointTitle(endpoint);
  const attempt = async (limited: AbortSignal) => {
    await ownTurn(sizeOf(request));
    const post = await exchange.prepare();
    const response = await deps.egress.send({
      method: 'POST',
      url: post.url,
      headers: { 'content-type': 'application/json', 'idempotency-key': request.requestId, ...post.headers },
      credentials: post.credentials,
      body: JSON.stringify(post.body),
      signal: limited,
      ...privateRule(endpoint, deps.allowPrivate),
    });
    if (!isSuccess(response.status)) throw await statusError(response, { endpoint, secrets: post.secrets, now: deps.clock.now() });
    const limit = { maxBytes: RESPONSE_MAX_BYTES, retryable: true, what: title };
    return exchange.read({ response, limit, signal: limited, secrets: post.secrets });
  };
  return withDeadline({ clock: deps.clock, timeoutMs, signal, what: `model call to ${title}` }, (limited) =>
    attempt(limited).catch((error: unknown) => {
      if (exchange.again?.(error) !== true) throw error;
      return attempt(limited);
    }),
  );
}

/** Approximate characters of a request, without serialising it. */
const sizeOf = (request: ModelCall['request'] | EmbeddingsCall['request']): number =>
  'messages' in request ? request.messages.reduce((sum, { content }) => sum + content.length, 0) : 0;

const textChars = ({ content, toolCalls }: ModelResponse): number =>
  toolCalls.reduce((sum, { arguments: input }) => sum + input.length, content.length);

/** Whether an endpoint may be at a private address, and what permits that. `ceiling` is the operator's. */
export function privateRule(endpoint: ModelEndpointRef, ceiling: boolean): Pick<EgressRequest, 'allowPrivate' | 'permittedBy'> {
  const permittedBy = ceiling ? `allowPrivate of ${endpointTitle(endpoint)}` : 'the server option --allow-private-model-endpoints';
  return { allowPrivate: ceiling && endpoint.spec.allowPrivate === true, permittedBy };
}

/** The model to ask for. */
export function modelName(endpoint: ModelEndpointRef): string {
  const name = endpoint.spec.default_model;
  if (name) return name;
  throw missingModel(endpoint);
}

export function missingModel(endpoint: ModelEndpointRef): CallError {
  return new CallError('runtime_policy_invalid', `${endpointTitle(endpoint)} has no spec.default_model, which its provider needs`, {
    retryable: false,
    reason: 'missing_model',
  });
}

/** The endpoint's `base_url`. */
export function baseUrl(endpoint: ModelEndpointRef): URL {
  const base = endpoint.spec.base_url ?? '';
  if (URL.canParse(base)) return new URL(base);
  const problem = base === '' ? 'is missing' : 'is not a URL';
  throw new CallError('runtime_policy_invalid', `${endpointTitle(endpoint)} spec.base_url ${problem}`, {
    retryable: false,
    reason: 'invalid_url',
  });
}

/** `base_url` with `path` behind it; `bare` is put between them when the base URL has no path of its own. */
export function joinUrl(endpoint: ModelEndpointRef, { bare, path }: { bare: string; path: string }): string {
  const url = baseUrl(endpoint);
  url.pathname = `${url.pathname === '/' ? bare : trimEnd(url.pathname, '/')}${path}`;
  return url.href;
}
