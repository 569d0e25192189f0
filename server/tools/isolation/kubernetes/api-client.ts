// Requests to the Kubernetes API, and what its failures mean to a call. Status codes decide, never words.
import type { Readable } from 'node:stream';
import { isObject, readJson } from '@svc/shared/json';
import { request } from 'undici';
import type { Dispatcher } from 'undici';
import { redact } from '../../../egress/redact.ts';
import { CallError } from '../../../engine/ports.ts';
import type { Cluster, Connection } from './cluster.ts';
import { permissionText, type Permission } from './permissions.ts';

/** How long the API may take over anything but a watch. */
const ANSWER_MAX_MS = 30_000;
const ANSWER_MAX_BYTES = 4 * 1024 * 1024;
const QUOTE_MAX_CHARS = 300;

export interface RequestOptions {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `{namespace}` is replaced by the namespace of the jobs. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Values in the body that a refusal may repeat and an error must not. */
  readonly secrets?: readonly string[];
  /** Permission that the account needs. */
  readonly permission: Permission;
  /** Begins messages: `Tool "a/b"`. */
  readonly what: string;
  readonly signal?: AbortSignal;
  /** How long the answer may pause. */
  readonly silenceMaxMs?: number;
}

/** An answer that the caller has to judge: neither success, nor a refusal of the account, nor a failure of the API. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Message of the API, without the secrets of the request. */
  readonly words: string;

  constructor(status: number, words: string) {
    super(`the Kubernetes API answered ${status}`);
    this.status = status;
    this.words = words;
  }
}

export class ApiClient {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /**
   * The answer as JSON. Rejects with CallError `isolation_unavailable` (retryable when the API does not answer), the signal's
   * reason, or ApiError.
   */
  async json(asking: RequestOptions): Promise<unknown> {
    const body = await this.stream(asking);
    return readJson(await this.#answered(asking, readText(body)));
  }

  /** The answer as it comes. Rejects like `json`. The caller reads it to its end or destroys it. */
  async stream(asking: RequestOptions): Promise<Readable> {
    const connection = await this.#cluster.connection(asking.what);
    const { statusCode, body } = await this.#answered(asking, send(connection, asking));
    if (statusCode >= 200 && statusCode < 300) return body;
    const words = wordsOf(readJson(await readText(body).catch(() => '')), asking.secrets ?? []);
    throw problemOf(statusCode, words, { asking, namespace: connection.namespace });
  }

  /** For protocols other than plain HTTP. */
  async connection(what: string): Promise<Connection> {
    return this.#cluster.connection(what);
  }

  async #answered<T>({ what, signal }: RequestOptions, answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      signal?.throwIfAborted();
      throw unreachable(what, error);
    }
  }
}

function send(connection: Connection, asking: RequestOptions): Promise<Dispatcher.ResponseData> {
  const { method, path, query, body, signal, silenceMaxMs = ANSWER_MAX_MS } = asking;
  const search = query ? `?${new URLSearchParams(query).toString()}` : '';
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return request(`${connection.base}${inNamespace(path, connection)}${search}`, {
    method,
    dispatcher: connection.dispatcher,
    headers: { ...connection.headers, ...(body !== undefined && { 'content-type': type }) },
    body: body === undefined ? null : JSON.stringify(body),
    headersTimeout: ANSWER_MAX_MS,
    bodyTimeout: silenceMaxMs,
    ...(signal && { signal }),
  });
}

export function inNamespace(path: string, { namespace }: Connection): string {
  return path.replace('{namespace}', encodeURIComponent(namespace));
}

interface RefusedRequest {
  readonly asking: RequestOptions;
  readonly namespace: string;
}

function problemOf(status: number, words: string, { asking, namespace }: RefusedRequest): Error {
  const { what, permission } = asking;
  const said = words === '' ? '' : ` (${words})`;
  const unavailable = (message: string, reason: string, retryable: boolean) =>
    new CallError('isolation_unavailable', `${what}: ${message}`, { retryable, reason });
  if (status === 401) {
    return unavailable(`the Kubernetes API rejects this worker's token${said}; see --kubernetes-token-file`, 'cluster_unauthorized', false);
  }
  if (status === 403) {
    const needed = `its account needs "${permissionText(permission)}" in namespace "${namespace}", within its quotas`;
    return unavailable(`the Kubernetes API refused this worker${said}; ${needed}`, 'cluster_forbidden', false);
  }
  if (status === 429 || status >= 500) {
    return unavailable(`the Kubernetes API failed: it answered ${status}${said}`, 'engine_unreachable', true);
  }
  return new ApiError(status, words);
}

export function unreachable(what: string, cause: unknown): CallError {
  const code = codeOf(cause);
  const message = `${what}: the Kubernetes API does not answer${code === undefined ? '' : ` (${code})`}; see --kubernetes-api-url and --kubernetes-ca-file`;
  return new CallError('isolation_unavailable', message, { retryable: true, reason: 'engine_unreachable', cause });
}

function codeOf(error: unknown): string | undefined {
  return isObject(error) && typeof error['code'] === 'string' ? error['code'] : undefined;
}

async function readText(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_MAX_BYTES) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Message of a `Status` object. */
function wordsOf(status: unknown, secrets: readonly string[]): string {
  const message = isObject(status) && typeof status['message'] === 'string' ? status['message'] : '';
  return quoted(message, secrets);
}

/** Kubernetes' own words, which may repeat the content of a request. */
export function quoted(words: string, secrets: readonly string[]): string {
  return redact(words, secrets).replace(/\s+/g, ' ').trim().slice(0, QUOTE_MAX_CHARS);
}
