// The bytes of a request body, under limits of size and time.
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@svc/shared/errors';

export interface BodyLimits {
  readonly bodyMaxBytes: number;
  readonly bodyTimeoutMs: number;
}

/** The client disconnected in the middle of its request; no answer is possible. */
export class ClientDisconnected extends Error {
  override readonly name = 'ClientDisconnected';
}

/** How much is still taken from a sender whose body is refused, and how long it may pause. The server's request timeout bounds the whole. */
const HEARD_OUT_MAX_BYTES = 64 * 1024 * 1024;
const HEARD_OUT_PAUSE_MS = 300;

/**
 * Drops what is still to come. With `Connection: close` it resolves only then, within bounds: the answer ends the connection,
 * and a client that is still sending at that moment loses the answer to the reset.
 */
function hearOut(request: IncomingMessage): Promise<void> {
  request.resume();
  if (request.headers.connection?.toLowerCase() !== 'close') return Promise.resolve();
  return new Promise((resolve) => {
    let bytes = 0;
    const done = () => {
      clearTimeout(timer);
      request.off('data', count).off('end', done).off('close', done);
      resolve();
    };
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      timer.refresh();
      if (bytes > HEARD_OUT_MAX_BYTES) done();
    };
    const timer = setTimeout(done, HEARD_OUT_PAUSE_MS);
    request.on('data', count).on('end', done).on('close', done);
  });
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError('too_large', `The body is larger than ${maxBytes} bytes`);
}

/**
 * Resolves with the whole body. Rejects with `too_large` without keeping the bytes received (the declared length counts before the first byte),
 * `timeout` when it does not arrive in time, ClientDisconnected when the client left. What still comes in after a rejection is dropped.
 */
export function readBody(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limits.bodyMaxBytes) return hearOut(request).then(() => Promise.reject(tooLarge(limits.bodyMaxBytes)));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      request.on('error', () => undefined);
      request.resume();
      finish();
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > limits.bodyMaxBytes) settle(() => void hearOut(request).then(() => reject(tooLarge(limits.bodyMaxBytes))));
    };
    const onEnd = () => settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    const onClose = () => settle(() => reject(new ClientDisconnected()));
    const late = () =>
      reject(
        new ServiceError('timeout', `The body did not arrive within ${limits.bodyTimeoutMs / 1000} s`, {
          headers: { Connection: 'close' },
        }),
      );
    const timer = setTimeout(() => settle(late), limits.bodyTimeoutMs);
    timer.unref();
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}
