// What every background loop offers to those who start and stop it.

export interface Loop {
  /** Idempotent. */
  start(): void;
  /** Resolves when nothing of the loop runs any more. Idempotent; safe when never started. */
  stop(): Promise<void>;
}
