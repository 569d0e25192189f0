// Waits of a reader for commits that concern it, with a slow poll in case a notice was missed.
import { isUnavailable } from '@svc/shared/errors';
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

/** Interval of reads while the database is unavailable. */
const OUTAGE_LOOK_MS = 1_000;

/** To be closed. */
export class CommitWatch {
  readonly #options: CommitWatchOptions;
  readonly #unsubscribe: () => void;
  #grown = false;
  #hasRead = false;
  #afterOutage = false;
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

  /**
   * The first read throws what it fails with; an outage of the database behind it only delays the answer, unless the reader is aborted. The next
   * wait ends at once then, as one that was over.
   */
  async read<T>(look: () => Promise<T>): Promise<T> {
    for (let isLate = false; ; isLate = true) {
      try {
        const value = await look();
        this.#hasRead = true;
        if (isLate) {
          this.#afterOutage = true;
          this.grow();
        }
        return value;
      } catch (error) {
        if (!this.#hasRead || this.#options.signal.aborted || !isUnavailable(error)) throw error;
        await this.next(OUTAGE_LOOK_MS);
      }
    }
  }

  /** Resolves after a commit since the last call, when aborted, or after the wait, with true when the wait was over: notices may have been missed. */
  async next(waitMs = this.#options.lookMs): Promise<boolean> {
    const { clock, signal } = this.#options;
    const woken = new Promise<void>((resolve) => (this.#wake = resolve));
    const isWoken = this.#grown || signal.aborted || (await endsWithin(woken, { clock, ms: waitMs }));
    const isLate = !isWoken || this.#afterOutage;
    this.#grown = false;
    this.#afterOutage = false;
    return isLate;
  }

  close(): void {
    this.#unsubscribe();
    this.#options.signal.removeEventListener('abort', this.grow);
  }
}
