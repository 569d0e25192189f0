// Requests of REST routes that have no procedure: documents and calls of other protocols, shown as every client gets them.
import { readJson } from '@svc/shared/json';
import { withBase } from '../ui/link/base-path.ts';

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
  /** Body that is sent as it is. */
  readonly text?: { readonly content: string; readonly type: string };
  readonly signal?: AbortSignal;
}

export interface RestAnswer {
  /** Undefined for an answer that is not JSON. */
  readonly body: unknown;
  readonly text: string;
  readonly headers: Headers;
}

/** Rejects with a RestRefusal, or with the browser's error when no answer came. */
export async function callRest(path: string, { method = 'GET', headers, body, text, signal }: RestRequest = {}): Promise<RestAnswer> {
  const content = text?.content ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(withBase(path), {
    method,
    credentials: 'same-origin',
    headers: { accept: 'application/json', ...headers, ...(content !== undefined && { 'content-type': text?.type ?? 'application/json' }) },
    ...(content !== undefined && { body: content }),
    ...(signal && { signal }),
  });
  const answered = await response.text();
  const answer = readJson(answered);
  if (response.ok) return { body: answer, text: answered, headers: response.headers };
  throw new RestRefusal(
    hasError(answer) ? answer : { error: { message: `The server answered ${response.status}.`, ...codeOf(response.status) } },
  );
}

const codeOf = (status: number) => ({ code: status === 404 ? 'not_found' : 'internal' });

function hasError(answer: unknown): answer is { readonly error: { readonly code: string; readonly message: string } } {
  const { code, message } = ((answer as { error?: unknown } | undefined)?.error ?? {}) as { code?: unknown; message?: unknown };
  return typeof code === 'string' && typeof message === 'string';
}
