// Connections that have brought no request yet, as browsers and proxies open ahead of need. Their first request may come late, as a later one may.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export class UnusedConnections {
  readonly #sockets = new Set<Socket>();
  readonly #waitMs: number;

  /** A connection without a request is closed after `waitMs` to about twice as long. */
  constructor(server: Server, waitMs: number) {
    this.#waitMs = waitMs;
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('request', ({ socket }) => this.#sockets.delete(socket));
    server.on('upgrade', ({ socket }) => this.#sockets.delete(socket));
  }

  /**
   * Keeps a connection whose first byte is not there in the time of a request's head, and returns true. Node expects the head from the moment of
   * the connection; a client would read the refusal as the answer to its next request.
   */
  keep(socket: Socket): boolean {
    if (socket.bytesRead > 0 || !this.#sockets.has(socket)) return false;
    setTimeout(() => this.#sockets.has(socket) && socket.destroy(), this.#waitMs).unref();
    return true;
  }

  /** Node counts them as busy, and a shutdown would wait for them. */
  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
