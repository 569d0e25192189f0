// Interface of every background loop: start and stop.

export interface Loop {
  /** Idempotent. */
  start(): void;
  /** Resolves when nothing of the loop runs any more. Idempotent; safe when never started. */
  stop(): Promise<void>;
}
