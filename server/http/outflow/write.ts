// Writing at the pace of the reader, in pieces: the connection shows progress with each piece that is taken.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A small body is written at once; larger ones in several pieces. */
const PIECE_BYTES = 256 * 1024;

/** Bytes of a body that have not been handed to their connection. */
const held = new WeakMap<Socket, number>();

/** Bytes that wait for the other side: in the connection, and in front of it. */
export function unsentBytes(socket: Socket): number {
  return socket.writableLength + (held.get(socket) ?? 0);
}

/** Resolves when more may be written, or when nobody is left to read it. */
function untilDrained(response: ServerResponse): Promise<void> {
  if (!response.writableNeedDrain || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

/** Resolves when the whole body is written, or when the connection is closed. */
export async function writeInPieces(response: ServerResponse, body: Buffer): Promise<void> {
  const { socket } = response;
  for (let at = 0; at < body.length && !response.destroyed; at += PIECE_BYTES) {
    const end = Math.min(body.length, at + PIECE_BYTES);
    if (socket) held.set(socket, body.length - end);
    response.write(body.subarray(at, end));
    await untilDrained(response);
  }
  if (socket) held.delete(socket);
}
