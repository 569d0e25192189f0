// Reader of a Session's stream that notes when each event came.
import { request } from 'undici';
import type { SessionEvent } from '@svc/shared/api/sessions';

interface TimedEvent {
  readonly event: SessionEvent;
  /** By `performance.now()`. */
  readonly at: number;
}

export interface SessionReader {
  /** The next event of this type. */
  next(type: string): Promise<TimedEvent>;
  close(): void;
}

export async function followSession(
  url: string,
  session: string,
  onEvent: (event: SessionEvent, at: number) => void = () => undefined,
): Promise<SessionReader> {
  const read = (await (await fetch(`${url}/v1/sessions/${session}`)).json()) as { status: { lastEventSequence: number } };
  const { body } = await request(`${url}/v1/sessions/${session}/stream?after=${read.status.lastEventSequence}`, {
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const waiting = new Map<string, (event: TimedEvent) => void>();
  let buffer = '';
  body.on('data', (chunk: Buffer) => {
    const at = performance.now();
    const frames = (buffer + chunk.toString()).split('\n\n');
    buffer = frames.pop() ?? '';
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (data === undefined || !/^id: /m.test(frame)) continue;
      const event = JSON.parse(data) as SessionEvent;
      onEvent(event, at);
      waiting.get(event.type)?.({ event, at });
      waiting.delete(event.type);
    }
  });
  body.on('error', () => undefined);
  return {
    next: (type) => new Promise((resolve) => waiting.set(type, resolve)),
    close: () => void body.destroy(),
  };
}
