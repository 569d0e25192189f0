// Reads an answer that comes as server-sent events, up to its last event, however it is cut into chunks.
import { createParser } from 'eventsource-parser';
import { endsWithin, type Clock } from '../clock.ts';
import { plainEventLines } from '../egress/event-lines.ts';
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

/** The first field of an event stream, or a comment. No JSON text begins so. */
const FIRST_FIELD = /^\s*(data|event|id|retry)?:/;
const FIRST_FIELD_CHARS = 6;
const START_MAX_CHARS = 1024;

export interface OpenedAnswer {
  /** Still unread. */
  readonly answer: ModelAnswer;
  readonly isEvents: boolean;
}

/** Finds out whether an answer is an event stream, by its type or by its start: some servers and proxies send events under another type. A server that is asked to stream may answer whole. */
export async function openAnswer(answer: ModelAnswer): Promise<OpenedAnswer> {
  const { response } = answer;
  if (/^text\/event-stream\b/i.test(response.headers['content-type'] ?? '')) return { answer, isEvents: true };
  const rest = response.body[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let start = '';
  while (start.trimStart().length < FIRST_FIELD_CHARS && start.length < START_MAX_CHARS) {
    const next = await rest.next();
    if (next.done) break;
    read.push(next.value);
    start = Buffer.concat(read).toString('utf8');
  }
  const body = (async function* () {
    yield* read;
    yield* { [Symbol.asyncIterator]: () => rest };
  })();
  return { answer: { ...answer, response: { ...response, body, discard: () => response.discard() } }, isEvents: FIRST_FIELD.test(start) };
}

/** The end of a body behind a complete answer keeps the connection usable, but nobody waits long for it. */
export async function bodyEnds(body: AsyncIterator<Uint8Array>, clock: Clock): Promise<void> {
  await endsWithin(body.next(), { clock, ms: END_GRACE_MS });
}

/** Whether the stream came to its last event. Rejects with CallError when it carries an error, breaks the protocol or the connection breaks. */
export async function readEvents({ response, limit }: ModelAnswer, reader: EventReader): Promise<boolean> {
  const body = plainEventLines(cappedBody(response, limit))[Symbol.asyncIterator]();
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
      await bodyEnds(body, reader.clock);
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
