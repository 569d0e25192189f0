// The client package's `fetch`: each request goes through the egress guard, credentials stay with their origin, and no message is larger than the limit.
import type { FetchLike } from '@modelcontextprotocol/client';
import type { Egress, EgressRequest } from '../../egress/egress.ts';
import { plainEventLines } from '../../egress/event-lines.ts';
import { CallError } from '../../engine/ports.ts';
import { MESSAGE_MAX_BYTES, UNSOLICITED_BYTES_PER_SECOND_MAX, UNSOLICITED_PER_SECOND_MAX } from '../limits.ts';
import { flood, SecondSum } from './flood-guard.ts';

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
  readonly onTooMuch: (error: CallError) => void;
}

/** A session id proves who we are as much as a token. */
const SESSION_HEADER = 'mcp-session-id';
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE']);

export function createGuardedFetch({ egress, credentials, signal, what, onTooMuch, ...guard }: GuardedFetchOptions): FetchLike {
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
    const refuse = (error: CallError) => {
      onTooMuch(error);
      return error;
    };
    const body = events ? boundedEvents(response.body, { what, refuse }) : bounded(response.body, () => refuse(tooLarge(what)));
    return new Response(
      toStream(body, () => response.discard()),
      { status, headers: response.headers },
    );
  };
}

const LF = 10;
/** Bytes of an event stream in a second, and between two events, comments included: one answer may be among them. */
const STREAM_MAX_BYTES = MESSAGE_MAX_BYTES + UNSOLICITED_BYTES_PER_SECOND_MAX;

async function* bounded(body: AsyncIterable<Uint8Array>, refuse: () => CallError): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MESSAGE_MAX_BYTES) throw refuse();
    yield chunk;
  }
}

interface EventBounds {
  readonly what: string;
  readonly refuse: (error: CallError) => CallError;
}

/** Limits the size of each event, the bytes between two, and both in a second: what is no message is counted nowhere else. */
async function* boundedEvents(body: AsyncIterable<Uint8Array>, { what, refuse }: EventBounds): AsyncGenerator<Uint8Array> {
  const received = new SecondSum();
  const events = new SecondSum();
  const count = eventCounter();
  let sinceEvent = 0;
  const counted = async function* () {
    for await (const chunk of body) {
      sinceEvent += chunk.byteLength;
      if (sinceEvent > STREAM_MAX_BYTES) throw refuse(tooLong(what, `more than ${STREAM_MAX_BYTES} bytes without an event`));
      if (received.add(chunk.byteLength) > STREAM_MAX_BYTES) throw refuse(flood(what, `${STREAM_MAX_BYTES} bytes of events`));
      yield chunk;
    }
  };
  for await (const chunk of plainEventLines(counted())) {
    const { largest, ended } = count(chunk);
    if (largest > MESSAGE_MAX_BYTES) throw refuse(tooLarge(what));
    if (events.add(ended) > UNSOLICITED_PER_SECOND_MAX) throw refuse(flood(what, `${UNSOLICITED_PER_SECOND_MAX} events`));
    if (ended > 0) sinceEvent = 0;
    yield chunk;
  }
}

/** Largest event so far that the chunk ends or continues, and the number of events that it ends. */
function eventCounter(): (chunk: Uint8Array) => { readonly largest: number; readonly ended: number } {
  let bytes = 0;
  let atLineStart = true;
  return (chunk) => {
    let largest = 0;
    let ended = 0;
    for (const byte of chunk) {
      bytes += 1;
      largest = Math.max(largest, bytes);
      if (byte === LF && atLineStart) {
        ended += bytes > 1 ? 1 : 0;
        bytes = 0;
      }
      atLineStart = byte === LF;
    }
    return { largest, ended };
  };
}

export function tooLarge(what: string): CallError {
  return tooLong(what, `a message of more than ${MESSAGE_MAX_BYTES} bytes`);
}

function tooLong(what: string, amount: string): CallError {
  return new CallError('malformed_response', `${what} sent ${amount}`, { retryable: false, reason: 'message_too_large' });
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
