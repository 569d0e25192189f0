// Requests of REST routes that have no procedure: documents and calls of other protocols, shown as every client gets them.
import { withBase } from '../ui/base-path.ts';

/** Refusal by the server; `problemOf` reads it like that of a procedure. */
class RestRefusal extends Error {
  readonly data: unknown;

  constructor(data: { readonly error: { readonly message: string } }) {
    super(data.error.message);
    this.name = 'RestRefusal';
    this.data = data;
  }
}

export interface RestRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export interface RestAnswer {
  readonly body: unknown;
  readonly headers: Headers;
}

/** Rejects with a RestRefusal, or with the browser's error when no answer came. */
export async function callRest(path: string, { method = 'GET', headers, body, signal }: RestRequest = {}): Promise<RestAnswer> {
  const response = await fetch(withBase(path), {
    method,
    credentials: 'same-origin',
    headers: { accept: 'application/json', ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  const answer = readJson(await response.text());
  if (response.ok) return { body: answer, headers: response.headers };
  throw new RestRefusal(
    hasError(answer) ? answer : { error: { message: `The server answered ${response.status}.`, ...codeOf(response.status) } },
  );
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const codeOf = (status: number) => ({ code: status === 404 ? 'not_found' : 'internal' });

function hasError(answer: unknown): answer is { readonly error: { readonly code: string; readonly message: string } } {
  const { code, message } = ((answer as { error?: unknown } | undefined)?.error ?? {}) as { code?: unknown; message?: unknown };
  return typeof code === 'string' && typeof message === 'string';
}
