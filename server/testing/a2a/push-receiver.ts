// A receiver of push notifications, which answers as a test says.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: any;
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;
export const ok: Answer = (response) => void response.writeHead(204).end();

/** Answers by turns; the last answer repeats. */
export async function startReceiver(...answers: readonly Answer[]) {
  const received: Received[] = [];
  let count = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const answer = answers[Math.min(count, answers.length - 1)] ?? ok;
      count += 1;
      received.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString() || 'null') });
      answer(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received };
}
