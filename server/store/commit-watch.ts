// Waits of a reader for commits that concern it, with a slow poll in case a notice was missed.
import { endsWithin, type Clock } from '../clock.ts';
import type { CommitNotice, Store } from './store.ts';

interface CommitWatchOptions {
  readonly store: Pick<Store, 'onCommit'>;
  readonly clock: Clock;
  /** Ends each wait. */
  readonly signal: AbortSignal;
  /** Whether the reader has to read after this commit. */
  readonly concerns: (notice: CommitNotice) => boolean;
  readonly lookMs: number;
}

/** To be closed. */
export class CommitWatch {
  readonly #options: CommitWatchOptions;
  readonly #unsubscribe: () => void;
  #grown = false;
  #wake: () => void = () => undefined;

  constructor(options: CommitWatchOptions) {
    this.#options = options;
    this.#unsubscribe = options.store.onCommit((notice) => {
      if (options.concerns(notice)) this.grow();
    });
    options.signal.addEventListener('abort', this.grow);
  }

  /** Whether the next wait ends at once. */
  get grown(): boolean {
    return this.#grown;
  }

  /** As a commit does. */
  readonly grow = (): void => {
    this.#grown = true;
    this.#wake();
  };

  /** Resolves after a commit since the last call, when aborted, or after the wait, with true when the wait was over. */
  async next(waitMs = this.#options.lookMs): Promise<boolean> {
    const { clock, signal } = this.#options;
    const woken = new Promise<void>((resolve) => (this.#wake = resolve));
    const isWoken = this.#grown || signal.aborted || (await endsWithin(woken, { clock, ms: waitMs }));
    this.#grown = false;
    return !isWoken;
  }

  close(): void {
    this.#unsubscribe();
    this.#options.signal.removeEventListener('abort', this.grow);
  }
}
