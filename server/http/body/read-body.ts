// The bytes of a request body, under limits of size and time.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '@svc/shared/errors';

export interface BodyLimits {
  readonly bodyMaxBytes: number;
  readonly bodyTimeoutMs: number;
}

/** The client disconnected in the middle of its request; no answer is possible. */
export class ClientDisconnected extends Error {
  override readonly name = 'ClientDisconnected';
}

/** Responses to requests whose clients wait for `100 Continue` before they send the body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** The body is requested when it is first read: a refusal by the head alone saves the client from sending it (RFC 9110, section 10.1.1). */
export function holdContinue(request: IncomingMessage, response: ServerResponse): void {
  waiting.set(request, response);
}

export function sendContinue(request: IncomingMessage): void {
  const response = waiting.get(request);
  if (response?.headersSent === false) response.writeContinue();
  waiting.delete(request);
}

/** Limits while the rest of a refused body is discarded: its bytes, and the pause between chunks. The request timeout bounds the whole. */
const DRAIN_MAX_BYTES = 64 * 1024 * 1024;
const DRAIN_PAUSE_MS = 300;

/**
 * Discards the rest of the body. With `Connection: close` it resolves when the body has ended, within the limits: the answer ends the connection,
 * and a client that is still sending would lose the answer by a reset.
 */
function drainBody(request: IncomingMessage): Promise<void> {
  // Node ends the connection after the answer.
  if (waiting.has(request)) return Promise.resolve();
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
      if (bytes > DRAIN_MAX_BYTES) done();
    };
    const timer = setTimeout(done, DRAIN_PAUSE_MS);
    request.on('data', count).on('end', done).on('close', done);
  });
}

/** Memory of all bodies that have not ended, in bytes. Past it the one that began first is refused: it has had the most time. */
const UNFINISHED_MAX_BYTES = 128 * 1024 * 1024;
const RETRY_AFTER_SECONDS = 1;

/** Bytes of a body in one buffer, which doubles: a Buffer for each chunk takes hundreds of bytes, and a client may send chunks of one byte. */
class BodyBuffer {
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get heldBytes(): number {
    return this.#buffer.length;
  }

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    // Most bodies are one chunk, which is kept as it is.
    if (this.#length === 0) this.#buffer = chunk;
    else {
      if (length > this.#buffer.length) this.#grow(length);
      chunk.copy(this.#buffer, this.#length);
    }
    this.#length = length;
  }

  whole(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, length));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

interface UnfinishedBody {
  readonly gathered: BodyBuffer;
  readonly refuse: () => void;
}

/** In the order in which they began. */
const unfinished = new Set<UnfinishedBody>();
let unfinishedBytes = 0;

/** Adds a chunk to a body, and refuses bodies until all of them fit. */
function gather(body: UnfinishedBody, chunk: Buffer): void {
  const before = body.gathered.heldBytes;
  body.gathered.add(chunk);
  unfinishedBytes += body.gathered.heldBytes - before;
  for (const { refuse } of unfinished) {
    if (unfinishedBytes <= UNFINISHED_MAX_BYTES) return;
    refuse();
  }
}

function forget(body: UnfinishedBody): void {
  if (unfinished.delete(body)) unfinishedBytes -= body.gathered.heldBytes;
}

const tooManyBytes = (): ServiceError =>
  new ServiceError('unavailable', 'The server has too many unfinished requests at the moment, and yours was the oldest; send it again', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    headers: { Connection: 'close' },
  });

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError('too_large', `The body is larger than ${maxBytes} bytes`);
}

/**
 * Resolves with the whole body. Rejects with `too_large` without keeping the bytes received (the declared length counts before the first byte),
 * `timeout` when it does not arrive in time, `unavailable` when unfinished bodies take too much memory, ClientDisconnected when the client left. What still comes in after a rejection is dropped.
 */
export function readBody(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limits.bodyMaxBytes) return drainBody(request).then(() => Promise.reject(tooLarge(limits.bodyMaxBytes)));
  sendContinue(request);
  return new Promise((resolve, reject) => {
    const gathered = new BodyBuffer();
    const body: UnfinishedBody = { gathered, refuse: () => settle(() => reject(tooManyBytes())) };
    unfinished.add(body);
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      forget(body);
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      request.on('error', () => undefined);
      request.resume();
      finish();
    };
    const onData = (chunk: Buffer) => {
      if (gathered.length + chunk.length <= limits.bodyMaxBytes) gather(body, chunk);
      else settle(() => void drainBody(request).then(() => reject(tooLarge(limits.bodyMaxBytes))));
    };
    const onEnd = () => settle(() => resolve(gathered.whole()));
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
