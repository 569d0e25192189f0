// The bytes of a request body, under limits of size and time.
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@svc/shared/errors';

export interface BodyLimits {
  readonly bodyMaxBytes: number;
  readonly bodyTimeoutMs: number;
}

/** The client went away in the middle of its request; nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError('too_large', `The body is larger than ${maxBytes} bytes`);
}

/**
 * Resolves with the whole body. Rejects with `too_large` as soon as it is known (the declared length counts before the first byte),
 * `invalid` when it does not arrive in time, ClientGone when the client left. What still comes in after a rejection is dropped.
 */
export function readBody(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limits.bodyMaxBytes) return Promise.reject(tooLarge(limits.bodyMaxBytes));
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
      if (bytes > limits.bodyMaxBytes) settle(() => reject(tooLarge(limits.bodyMaxBytes)));
    };
    const onEnd = () => settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    const onClose = () => settle(() => reject(new ClientGone()));
    const late = () =>
      reject(
        new ServiceError('invalid', `The body did not arrive within ${limits.bodyTimeoutMs / 1000} s`, {
          headers: { Connection: 'close' },
        }),
      );
    const timer = setTimeout(() => settle(late), limits.bodyTimeoutMs);
    timer.unref();
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}
