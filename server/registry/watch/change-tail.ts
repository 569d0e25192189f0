// The one in-process reader of the change log. However many streams follow it, each change is read from the store once.
// It reads only while someone follows. Wake-ups from the store are hints; a slow re-check makes up for a missed one.
import type { Clock } from '../../clock.ts';
import { PAGE_MAX_BYTES, PORTION_MAX_BYTES } from '../../store/page-bytes.ts';
import type { Change, Store } from '../../store/store.ts';
import { ChangeRing } from './change-ring.ts';
import type { RingLimits } from './change-ring.ts';

/** Changes of one read of the log. */
const READ_BATCH = 500;
const RECHECK_INTERVAL_MS = 2000;

export interface TailOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Called for reads that failed; the next commit or re-check retries them. */
  readonly reportError: (error: unknown) => void;
  /** Limits of the changes in memory for followers that lag a little. */
  readonly ring?: RingLimits;
}

/** One follower's hold on the tail. */
export interface TailHold {
  /** As ChangeRing.after, of the size of a portion. */
  read(after: number, limit: number): readonly Change[] | undefined;
  readonly head: number;
  /**
   * Resolves once a change of `kind` (undefined: any) came in, with a seq up to which there was none since the call; on abort with 0.
   * To be called only when `read` found nothing more.
   */
  next(kind: string | undefined, signal: AbortSignal): Promise<number>;
  /** To be called once. */
  release(): void;
}

export class ChangeTail {
  readonly #options: TailOptions;
  #running: TailRun | undefined;

  constructor(options: TailOptions) {
    this.#options = options;
  }

  /** Joins the tail, starting it for the first follower. */
  async hold(): Promise<TailHold> {
    const run = (this.#running ??= new TailRun(this.#options));
    run.followers++;
    const release = () => {
      run.followers--;
      if (run.followers > 0) return;
      run.stop();
      if (this.#running === run) this.#running = undefined;
    };
    try {
      const ring = await run.ring;
      return {
        read: (after, limit) => ring.after(after, limit, PORTION_MAX_BYTES),
        get head() {
          return ring.head;
        },
        next: (kind, signal) => run.next(kind, signal),
        release,
      };
    } catch (error) {
      release();
      throw error;
    }
  }
}

interface Waiter {
  readonly kind: string | undefined;
  readonly wake: (seq: number) => void;
}

/** The tail's life from its first follower to its last. */
class TailRun {
  followers = 0;
  readonly ring: Promise<ChangeRing>;
  readonly #options: TailOptions;
  readonly #waiters = new Set<Waiter>();
  readonly #stopped = new AbortController();
  readonly #unsubscribe: () => void;
  #reading = false;
  #readAgain = false;

  constructor(options: TailOptions) {
    this.#options = options;
    this.#unsubscribe = options.store.onCommit(() => void this.#readNew());
    this.ring = options.store.changeBounds().then(({ head }) => new ChangeRing(head, options.ring));
    void this.#recheck();
  }

  stop(): void {
    this.#unsubscribe();
    this.#stopped.abort();
  }

  next(kind: string | undefined, signal: AbortSignal): Promise<number> {
    return new Promise((resolve) => {
      const end = (seq: number) => {
        this.#waiters.delete(waiter);
        signal.removeEventListener('abort', onAbort);
        resolve(seq);
      };
      const onAbort = () => end(0);
      const waiter: Waiter = { kind, wake: end };
      if (signal.aborted) return resolve(0);
      this.#waiters.add(waiter);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  async #recheck(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await this.#readNew();
      await this.#options.clock.sleep(RECHECK_INTERVAL_MS, signal).catch(() => undefined);
    }
  }

  async #readNew(): Promise<void> {
    this.#readAgain = true;
    if (this.#reading) return;
    this.#reading = true;
    try {
      const ring = await this.ring;
      while (this.#readAgain && !this.#stopped.signal.aborted) {
        this.#readAgain = false;
        await this.#drain(ring);
      }
    } catch (error) {
      if (!this.#stopped.signal.aborted) this.#options.reportError(error);
    } finally {
      this.#reading = false;
    }
  }

  async #drain(ring: ChangeRing): Promise<void> {
    for (;;) {
      const before = ring.head;
      const { changes, full } = await this.#options.store.readChangePage({ after: before, limit: READ_BATCH }, PAGE_MAX_BYTES);
      ring.push(changes);
      this.#wake(before, changes);
      if (!full && changes.length < READ_BATCH) return;
    }
  }

  /** Followers of other kinds sleep on: the changes they miss are covered by the next ones that wake them. */
  #wake(before: number, changes: readonly Change[]): void {
    const [first] = changes;
    if (!first) return;
    const gap = first.seq !== before + 1;
    const brought = new Set(changes.map((change) => change.kind));
    for (const waiter of [...this.#waiters]) {
      if (gap || waiter.kind === undefined || brought.has(waiter.kind)) waiter.wake(before);
    }
  }
}
