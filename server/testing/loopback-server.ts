// A real HTTP server on loopback that a test scripts request by request, hostile answers included.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body as it came. */
  readonly bytes: Buffer;
}

export type Answer = (response: ServerResponse, request: SeenRequest) => void;

export interface LoopbackServer {
  readonly url: string;
  readonly port: number;
  readonly seen: SeenRequest[];
  /** Resolves when the next request has arrived in full. */
  nextRequest(): Promise<SeenRequest>;
  /** Connections that are open now. */
  connections(): number;
  close(): Promise<void>;
}

/** Answers the first request with the first answer and so on; the last answer repeats. */
export async function startLoopbackServer(...answers: Answer[]): Promise<LoopbackServer> {
  const seen: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  let waiting: ((request: SeenRequest) => void)[] = [];
  const server = createServer((incoming, response) => {
    const take = (bytes: Buffer) => {
      const body = bytes.toString('utf8');
      const request = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers, body, bytes };
      const answer = answers[Math.min(seen.length, answers.length - 1)];
      seen.push(request);
      waiting.splice(0).forEach((resolve) => resolve(request));
      answer?.(response, request);
    };
    // A client that goes away in the middle of its body has no request.
    readBody(incoming).then(take, () => undefined);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    nextRequest: () => new Promise((resolve) => (waiting = [...waiting, resolve])),
    connections: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        sockets.forEach((socket) => socket.destroy());
        server.close(() => resolve());
      }),
  };
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Answers with a value as JSON. */
export const json =
  (value: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));

/** Answers with text as it is. */
export const text =
  (body: string, status = 200, headers: Record<string, string> = { 'content-type': 'text/plain' }): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(body);

/** Answers in pieces, each its own write. */
export const pieces =
  (parts: readonly string[], contentType: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': contentType });
    const [part, ...rest] = parts;
    const next = (piece: string | undefined, left: readonly string[]) => {
      if (piece === undefined) return void response.end();
      response.write(piece, () => setImmediate(() => next(left[0], left.slice(1))));
    };
    next(part, rest);
  };

/** Never answers. */
export const hang: Answer = () => undefined;

/** Cuts the connection, after sending `start` of a body when given. */
export const reset =
  (start?: string, contentType = 'application/json'): Answer =>
  (response) => {
    if (start === undefined) return void response.socket?.destroy();
    response.writeHead(200, { 'content-type': contentType, 'content-length': '100000' });
    response.write(start, () => response.socket?.destroy());
  };

/** Sends zeros until the other side goes away. */
export const flood =
  (contentType: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': contentType });
    const block = 'a'.repeat(64 * 1024);
    const push = () => {
      while (!response.destroyed && response.write(block));
      if (!response.destroyed) response.once('drain', push);
    };
    push();
  };

export const redirect =
  (location: string, status = 302): Answer =>
  (response) =>
    void response.writeHead(status, { location }).end();
