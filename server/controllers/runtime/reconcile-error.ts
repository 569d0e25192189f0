// Failures that a reconciler throws. Any other error counts as Retryable, and as unforeseen.

/** A precondition does not hold yet; the key is retried, after `retryAfterMs` or else with growing waits. */
export class Retryable extends Error {
  override readonly name = 'Retryable';
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: { readonly retryAfterMs?: number; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Trying again changes nothing until the object does. */
export class Terminal extends Error {
  override readonly name = 'Terminal';
}
