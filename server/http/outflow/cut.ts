// Ends connections whose other side does not read.
import type { Socket } from 'node:net';

/**
 * Ends a connection at once and drops its unsent bytes. After a plain close the kernel keeps those that it has taken, up to some megabytes, for as
 * long as the other side stays connected without reading.
 */
export function cut(socket: Socket): void {
  // Only TCP has a reset; a closed connection has no family either.
  if (socket.remoteFamily === undefined) socket.destroy();
  else socket.resetAndDestroy();
}
