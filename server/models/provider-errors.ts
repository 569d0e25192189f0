// Errors of providers as CallErrors: by HTTP status, or by the code of an error inside an answer that began well.
import { filledText, isObject, readJson } from '@svc/shared/json';
import { textStart } from '@svc/shared/text-start';
import type { EgressResponse } from '../egress/egress.ts';
import { statusVerdict } from '../egress/http-status.ts';
import { redact } from '../egress/redact.ts';
import { readStart, retryAfterMs } from '../egress/response.ts';
import { CallError, type CallErrorCode, type ModelEndpointRef } from '../engine/ports.ts';
import { endpointTitle } from './provider.ts';

const BODY_MAX_BYTES = 4 * 1024;
const QUOTE_MAX_CHARS = 300;

/** Codes and types of errors, over all providers. What is not here may pass when retried. */
const WORDS: Readonly<Record<string, readonly [code: CallErrorCode, retryable: boolean]>> = {
  rate_limit_exceeded: ['rate_limited', true],
  rate_limit_error: ['rate_limited', true],
  insufficient_quota: ['rate_limited', false],
  timeout_error: ['timeout', true],
  authentication_error: ['auth_invalid', false],
  invalid_api_key: ['auth_invalid', false],
  permission_error: ['auth_forbidden', false],
  not_found_error: ['model_not_found', false],
  model_not_found: ['model_not_found', false],
  invalid_request_error: ['execution_failed', false],
  context_length_exceeded: ['execution_failed', false],
  content_filter: ['execution_failed', false],
  request_too_large: ['execution_failed', false],
  billing_error: ['execution_failed', false],
};

/** Refusal of a request because it requests a stream. */
export class StreamingRefused extends CallError {}

/** Statuses that may mean so, when the error says it. */
const REFUSES_STREAMING: ReadonlySet<number> = new Set([400, 405, 406, 415, 422, 501]);

/** An answer that is not what the provider's protocol promises. */
export function malformed(what: string, problem: string): CallError {
  return new CallError('malformed_response', `${what} sent ${problem}`, { retryable: true, reason: 'malformed_response' });
}

/** An answer of something else than the provider, such as the page of a proxy. */
export function notJson(what: string): CallError {
  return malformed(what, 'an answer that is not a JSON object (check its provider and base_url)');
}

/** Throws when an answer or event carries an error. Its code is the only part of it that is repeated: the rest may quote the request. */
export function throwErrorIn(body: Readonly<Record<string, unknown>>, what: string): void {
  const error = body['error'];
  if (error !== undefined && error !== null) throw brokenOff(what, error);
}

/** The failure of an answer that ended with this error. */
export function brokenOff(what: string, error: unknown): CallError {
  const [word, code, retryable] = verdictOf(error);
  return new CallError(code, `${what} broke off with an error (${word})`, { retryable, reason: word });
}

function verdictOf(error: unknown): [word: string, code: CallErrorCode, retryable: boolean] {
  const { code, type } = isObject(error) ? error : {};
  const status = typeof code === 'number' && Number.isInteger(code) && code >= 400 && code < 600 ? code : undefined;
  if (status !== undefined) {
    const verdict = errorOfStatus(status);
    return [`http_${status}`, verdict.code, verdict.retryable];
  }
  const words = [code, type].filter((word): word is string => typeof word === 'string' && /^[\w.-]{1,64}$/.test(word));
  const known = words.find((word) => Object.hasOwn(WORDS, word));
  const [errorCode, retryable] = (known !== undefined && WORDS[known]) || ['execution_failed', true];
  return [known ?? words[0] ?? 'provider_error', errorCode, retryable];
}

interface StatusContext {
  readonly endpoint: ModelEndpointRef;
  readonly secrets: readonly string[];
  readonly now: number;
}

/** The error that a status outside 2xx stands for. Reads the start of the answer and drops the rest. */
export async function statusError(response: EgressResponse, { endpoint, secrets, now }: StatusContext): Promise<CallError> {
  const { status, headers } = response;
  const verdict = errorOfStatus(status);
  const said = providerError(await readStart(response, BODY_MAX_BYTES));
  // Refused credentials are often quoted back in part, so nothing the provider says about them is repeated.
  const quote = status === 401 || status === 403 || !said.message ? '' : `: ${textStart(redact(said.message, secrets), QUOTE_MAX_CHARS)}`;
  const wait = waitMs(headers, now);
  // A spent quota answers 429 too, and waiting does not refill it.
  const spent = said.code === 'insufficient_quota';
  const kind = REFUSES_STREAMING.has(status) && said.refusesStreaming ? StreamingRefused : CallError;
  return new kind(verdict.code, `${endpointTitle(endpoint)} answered ${status}${hint(status, endpoint)}${quote}`, {
    retryable: verdict.retryable && !spent,
    reason: spent ? 'insufficient_quota' : `http_${status}`,
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

/** A 404 of a model provider means the model: its address is the operator's. */
function errorOfStatus(status: number): { code: CallErrorCode; retryable: boolean } {
  return status === 404 ? { code: 'model_not_found', retryable: false } : statusVerdict(status);
}

/** Some providers give the same wait in milliseconds, in a header of their own. */
function waitMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const exact = headers['retry-after-ms']?.trim() ?? '';
  return /^\d{1,12}(\.\d+)?$/.test(exact) ? Math.ceil(Number(exact)) : retryAfterMs(headers['retry-after'], now);
}

function hint(status: number, { spec }: ModelEndpointRef): string {
  if ((status === 401 || status === 403) && spec.auth?.secretRef === undefined)
    return ' (no token was sent; name its Secret in auth.secretRef)';
  if (status === 401) return ' (the token in its auth.secretRef was not accepted)';
  if (status === 403) return ' (the token in its auth.secretRef may not use this model)';
  return status === 404 ? ' (check its default_model and base_url)' : '';
}

interface ProviderError {
  readonly message?: string;
  readonly code?: string;
  readonly refusesStreaming?: boolean;
}

/** The message and code of a provider's error body, in the forms seen in the wild; empty when it is something else. */
function providerError(text: string): ProviderError {
  const body = first(readJson(text));
  if (!isObject(body)) return { refusesStreaming: refusesStreaming(text) };
  const error = [body['error'], body['detail']].find(isObject) ?? body;
  const message = messageIn(body);
  return {
    ...(message !== undefined && { message }),
    ...(typeof error['code'] === 'string' && { code: error['code'] }),
    refusesStreaming: error['param'] === 'stream' || refusesStreaming(message ?? ''),
  };
}

/** The first text where providers put the message; other fields may quote the request. */
function messageIn(error: unknown): string | undefined {
  const said = first(error);
  return isObject(said) ? messageIn(said['error'] ?? said['message'] ?? said['detail'] ?? said['msg']) : filledText(said);
}

/** Some providers answer with a list of errors. */
const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

/** No protocol has a code for it. A wrong guess costs one more request, which fails like the first. */
function refusesStreaming(said: string): boolean {
  return (
    /\bstream(ing|ed)?\b/i.test(said) &&
    /\b(un|not )(support|implement|allow|available|permitted|recogni[sz]ed)|\b(no|without|disabled?|cannot|can't|doesn't|does not|invalid|unknown|unsupported|must be false)\b/i.test(
      said,
    )
  );
}
