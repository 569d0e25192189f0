// Reads an answer that comes as server-sent events, up to its last event, however it is cut into chunks.
import { createParser } from 'eventsource-parser';
import { endsWithin, type Clock } from '../clock.ts';
import { cappedBody } from '../egress/response.ts';
import type { ModelAnswer } from './model-http.ts';
import { parseJson } from './parse-json.ts';
import { malformed, throwErrorIn } from './provider-errors.ts';

/** How long the connection may take to end after the last event before it is given up. */
const END_GRACE_MS = 250;
const EVENT_MAX_CHARS = 1024 * 1024;

export interface EventReader {
  readonly clock: Clock;
  /** Data that ends the stream in place of an event. */
  readonly endMark?: string;
  /** One event; true when it was the last. */
  onEvent(event: Record<string, unknown>): boolean;
}

/** Whether the answer is an event stream: one that was asked to stream may answer whole. */
export function isEventStream({ response }: ModelAnswer): boolean {
  return /^text\/event-stream\b/i.test(response.headers['content-type'] ?? '');
}

/** Whether the stream came to its last event. Rejects with CallError when it carries an error, breaks the protocol or the connection breaks. */
export async function readEvents({ response, limit }: ModelAnswer, reader: EventReader): Promise<boolean> {
  const body = cappedBody(response, limit)[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  let ended = false;
  const parser = createParser({
    maxBufferSize: EVENT_MAX_CHARS,
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw malformed(limit.what, `an event longer than ${EVENT_MAX_CHARS} characters`);
    },
    onEvent: ({ data }) => {
      if (ended || data.trim() === '') return;
      ended = data.trim() === reader.endMark || takeEvent(data, { reader, what: limit.what });
    },
  });
  try {
    for (let next = await body.next(); !next.done; next = await body.next()) {
      parser.feed(decoder.decode(next.value, { stream: true }));
      if (!ended) continue;
      // The end of the body keeps the connection usable, but nobody waits long for it.
      await endsWithin(body.next(), { clock: reader.clock, ms: END_GRACE_MS });
      break;
    }
  } finally {
    response.discard();
  }
  return ended;
}

function takeEvent(data: string, { reader, what }: { reader: EventReader; what: string }): boolean {
  const event = parseJson(data);
  if (!event) throw malformed(what, 'an event that is not a JSON object');
  throwErrorIn(event, what);
  return reader.onEvent(event);
}
