// Messages of a server's event stream, for tests.
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { expect } from 'vitest';

export interface SseMessage {
  readonly event: string;
  readonly id: string | undefined;
  /** Parsed JSON. */
  readonly data: any;
}

/** Messages of a stream as they arrive; the connection is cut when the reader stops. */
export async function* sseMessages(url: string, headers: Readonly<Record<string, string>> = {}): AsyncGenerator<SseMessage, void, void> {
  const hangUp = new AbortController();
  const response = await fetch(url, { headers, signal: hangUp.signal });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const stream = response.body!.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  try {
    for await (const { event, id, data } of stream) yield { event: event ?? 'message', id, data: JSON.parse(data) };
  } finally {
    hangUp.abort();
  }
}
