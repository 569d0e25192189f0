// Keeps the change log at its retained length. Watchers whose cursor falls off the end get a resync, so pruning loses nobody anything.
import type { Clock } from '../clock.ts';
import type { Store } from '../store/store.ts';

const PRUNE_INTERVAL_MS = 60_000;

export interface ChangePrunerOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** The newest changes to keep. */
  readonly keepNewest: number;
  /** Told about rounds that failed; the next one tries again. */
  readonly reportError: (error: unknown) => void;
}

export class ChangePruner {
  readonly #options: ChangePrunerOptions;
  #loop: { readonly abort: AbortController; readonly done: Promise<void> } | undefined;

  constructor(options: ChangePrunerOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#loop) return;
    const abort = new AbortController();
    this.#loop = { abort, done: this.#run(abort.signal) };
  }

  /** Resolves when a round that is under way has ended. Idempotent; safe when never started. */
  async stop(): Promise<void> {
    const loop = this.#loop;
    this.#loop = undefined;
    loop?.abort.abort();
    await loop?.done;
  }

  /** Prunes once; returns how many changes were dropped. */
  runOnce(): Promise<number> {
    return this.#options.store.pruneChanges({ keepNewest: this.#options.keepNewest });
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.runOnce().catch(this.#options.reportError);
      await this.#options.clock.sleep(PRUNE_INTERVAL_MS, signal).catch(() => undefined);
    }
  }
}
