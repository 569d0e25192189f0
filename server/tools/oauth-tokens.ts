// Access tokens by client credentials (RFC 6749 section 4.4), cached until shortly before they expire. One request per client at a time.
import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { canceled, withDeadline } from '../egress/deadline.ts';
import type { Egress, EgressResponse } from '../egress/egress.ts';
import { isSuccess, statusVerdict } from '../egress/http-status.ts';
import { readText, retryAfterMs } from '../egress/response.ts';
import { CallError } from '../engine/ports.ts';
import { readJsonObject } from '@svc/shared/json';
import { LRUCache } from 'lru-cache';

const REQUEST_TIMEOUT_MS = 30_000;
const ANSWER_MAX_BYTES = 64 * 1024;
/** A token is not used in the last part of its life: the call that carries it takes time. */
const EXPIRY_MARGIN_MS = 30_000;
const LIFETIME_DEFAULT_MS = 300_000;
const TOKENS_MAX = 1_000;

interface OauthClient {
  readonly tokenUrl: string;
  readonly scopes: readonly string[];
  readonly clientId: string;
  readonly clientSecret: string;
  /** Name of the caller, for errors. */
  readonly what: string;
}

export interface TokenCache {
  /** A usable token, from the cache or from the token endpoint. Rejects with CallError. */
  get(client: OauthClient, signal: AbortSignal): Promise<string>;
  /** Forgets `token`, and only that one: another call may have fetched a newer one since. */
  evict(client: OauthClient, token: string): void;
}

export interface TokenCacheOptions {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly allowPrivate: boolean;
  readonly permittedBy: string;
}

interface Entry {
  readonly token: string;
  readonly usableUntil: number;
}

export function createTokenCache(options: TokenCacheOptions): TokenCache {
  const entries = new LRUCache<string, Entry>({ max: TOKENS_MAX });
  const pending = new Map<string, Promise<Entry>>();

  const fetchOnce = (key: string, client: OauthClient): Promise<Entry> => {
    const running = pending.get(key);
    if (running) return running;
    // Not tied to one caller's signal: others wait for the same token.
    const request = requestToken(options, client)
      .then((entry) => {
        entries.set(key, entry);
        return entry;
      })
      .finally(() => pending.delete(key));
    pending.set(key, request);
    return request;
  };

  return {
    async get(client, signal) {
      const key = keyOf(client);
      const known = entries.get(key);
      if (known && known.usableUntil > options.clock.now()) return known.token;
      entries.delete(key);
      return (await orCanceled(fetchOnce(key, client), { signal, what: client.what })).token;
    },
    evict(client, token) {
      const key = keyOf(client);
      if (entries.get(key)?.token === token) entries.delete(key);
    },
  };
}

/** A new client secret or scope is another key, so a changed Secret binds at once. */
function keyOf({ tokenUrl, scopes, clientId, clientSecret }: OauthClient): string {
  return createHash('sha256')
    .update(JSON.stringify([tokenUrl, scopes, clientId, clientSecret]))
    .digest('base64');
}

function orCanceled<T>(work: Promise<T>, { signal, what }: { signal: AbortSignal; what: string }): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(canceled(what, signal));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

async function requestToken(options: TokenCacheOptions, client: OauthClient): Promise<Entry> {
  const { clock } = options;
  const what = `token request for ${client.what}`;
  const deadline = { clock, timeoutMs: REQUEST_TIMEOUT_MS, signal: new AbortController().signal, what };
  return withDeadline(deadline, async (signal) => {
    // RFC 6749 section 2.3.1: every server must take the header; some take only the body.
    const first = await ask(options, client, { signal, inBody: false });
    if (first.status !== 400 && first.status !== 401) return readToken(first, { what, now: clock.now() });
    first.discard();
    return readToken(await ask(options, client, { signal, inBody: true }), { what, now: clock.now() });
  });
}

function ask(
  options: TokenCacheOptions,
  client: OauthClient,
  { signal, inBody }: { signal: AbortSignal; inBody: boolean },
): Promise<EgressResponse> {
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (client.scopes.length > 0) form.set('scope', client.scopes.join(' '));
  if (inBody) {
    form.set('client_id', client.clientId);
    form.set('client_secret', client.clientSecret);
  }
  const basic = Buffer.from(`${encodeURIComponent(client.clientId)}:${encodeURIComponent(client.clientSecret)}`).toString('base64');
  return options.egress.send({
    method: 'POST',
    url: client.tokenUrl,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    credentials: inBody ? {} : { authorization: `Basic ${basic}` },
    body: form.toString(),
    signal,
    allowPrivate: options.allowPrivate,
    permittedBy: options.permittedBy,
    // The body may hold the client secret, which must not travel on.
    followRedirects: false,
  });
}

async function readToken(response: EgressResponse, { what, now }: { what: string; now: number }): Promise<Entry> {
  if (!isSuccess(response.status)) {
    response.discard();
    throw tokenRefused(response, { what, now });
  }
  const text = await readText(response, { maxBytes: ANSWER_MAX_BYTES, retryable: true, what });
  const answer = readJsonObject(text) ?? {};
  const token = answer['access_token'];
  if (typeof token !== 'string' || token === '') {
    throw new CallError('malformed_response', `${what} was answered without an access_token`, {
      retryable: true,
      reason: 'malformed_response',
    });
  }
  const seconds = Number(answer['expires_in']);
  const lifetimeMs = seconds > 0 ? seconds * 1000 : LIFETIME_DEFAULT_MS;
  return { token, usableUntil: now + lifetimeMs - EXPIRY_MARGIN_MS };
}

function tokenRefused({ status, headers }: EgressResponse, { what, now }: { what: string; now: number }): CallError {
  const verdict = status === 400 ? ({ code: 'auth_invalid', retryable: false } as const) : statusVerdict(status);
  const wait = retryAfterMs(headers['retry-after'], now);
  return new CallError(verdict.code, `${what} was answered ${status} by the token endpoint`, {
    retryable: verdict.retryable,
    reason: `token_http_${status}`,
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}
