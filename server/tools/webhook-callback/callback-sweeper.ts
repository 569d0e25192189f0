// Removes records of callbacks whose time is up. Runs where the leader is.
import type { Clock } from '../../clock.ts';
import type { Store } from '../../store/store.ts';
import { sweepCallbacks } from './callback-records.ts';

const SWEEP_INTERVAL_MS = 60_000;

export interface CallbackSweeperOptions {
  readonly store: Pick<Store, 'transaction' | 'listDocuments'>;
  readonly clock: Clock;
  /** Told about rounds that failed; the next one tries again. */
  readonly reportError: (error: unknown) => void;
}

export class CallbackSweeper {
  readonly #options: CallbackSweeperOptions;
  #loop: { readonly abort: AbortController; readonly done: Promise<void> } | undefined;

  constructor(options: CallbackSweeperOptions) {
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

  runOnce(): Promise<number> {
    return sweepCallbacks(this.#options.store, this.#options.clock.now());
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.runOnce().catch(this.#options.reportError);
      await this.#options.clock.sleep(SWEEP_INTERVAL_MS, signal).catch(() => undefined);
    }
  }
}
