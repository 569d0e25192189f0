// The client package's `fetch`: each request goes through the egress guard, credentials stay with their origin, and no message is larger than the limit.
import type { FetchLike } from '@modelcontextprotocol/client';
import type { Egress, EgressRequest } from '../../egress/egress.ts';
import { CallError } from '../../engine/ports.ts';
import { MESSAGE_MAX_BYTES } from '../limits.ts';

export interface GuardedFetchOptions {
  readonly egress: Egress;
  readonly allowPrivate: boolean;
  readonly permittedBy: string;
  /** Headers that prove who we are, read for each request. */
  readonly credentials: () => Promise<Readonly<Record<string, string>>>;
  /** Aborts every request. */
  readonly signal: AbortSignal;
  /** Names the server in errors. */
  readonly what: string;
  /** The client package waits on after a stream that breaks off, so the connection is ended. */
  readonly onTooLarge: (error: CallError) => void;
}

/** A session id proves who we are as much as a token. */
const SESSION_HEADER = 'mcp-session-id';
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE']);

export function createGuardedFetch({ egress, credentials, signal, what, onTooLarge, ...guard }: GuardedFetchOptions): FetchLike {
  return async (url, init = {}) => {
    const method = init.method ?? 'GET';
    if (!METHODS.has(method)) throw new TypeError(`the MCP client sent a ${method} request`);
    const { [SESSION_HEADER]: session, ...headers } = Object.fromEntries(new Headers(init.headers));
    const response = await egress.send({
      ...guard,
      method: method as EgressRequest['method'],
      url: String(url),
      headers,
      credentials: { ...(await credentials()), ...(session !== undefined && { [SESSION_HEADER]: session }) },
      ...(typeof init.body === 'string' && { body: init.body }),
      signal: init.signal ? AbortSignal.any([signal, init.signal]) : signal,
    });
    const { status } = response;
    if (WITHOUT_BODY.has(status)) {
      response.discard();
      return new Response(null, { status, headers: response.headers });
    }
    const events = /^text\/event-stream\b/i.test(response.headers['content-type'] ?? '');
    const body = bounded(response.body, events, () => {
      const error = tooLarge(what);
      onTooLarge(error);
      return error;
    });
    return new Response(
      toStream(body, () => response.discard()),
      { status, headers: response.headers },
    );
  };
}

const CR = 13;
const LF = 10;

/** Counts from the last blank line of an event stream, from the start of any other body. */
async function* bounded(...[body, events, refuse]: [AsyncIterable<Uint8Array>, boolean, () => CallError]): AsyncGenerator<Uint8Array> {
  const count = events ? eventCounter() : bodyCounter();
  for await (const chunk of body) {
    if (count(chunk) > MESSAGE_MAX_BYTES) throw refuse();
    yield chunk;
  }
}

function bodyCounter(): (chunk: Uint8Array) => number {
  let bytes = 0;
  return (chunk) => (bytes += chunk.byteLength);
}

/** Largest event so far that the chunk ends or continues. */
function eventCounter(): (chunk: Uint8Array) => number {
  let bytes = 0;
  let atLineStart = false;
  return (chunk) => {
    let largest = 0;
    for (const byte of chunk) {
      bytes += 1;
      largest = Math.max(largest, bytes);
      if (byte === LF && atLineStart) bytes = 0;
      if (byte !== CR) atLineStart = byte === LF;
    }
    return largest;
  };
}

export function tooLarge(what: string): CallError {
  return new CallError('malformed_response', `${what} sent a message of more than ${MESSAGE_MAX_BYTES} bytes`, {
    retryable: false,
    reason: 'message_too_large',
  });
}

function toStream(body: AsyncGenerator<Uint8Array>, discard: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await body.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      } catch (error) {
        discard();
        controller.error(error);
      }
    },
    cancel: discard,
  });
}
