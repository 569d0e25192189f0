// Turns for work that brings something to send: a few at a time, in the order of the calls, and only while there is room. Independent of HTTP.
import { ServiceError } from '@svc/shared/errors';

export interface TurnsOptions {
  /** Turns at a time. */
  readonly max: number;
  /** Whether another turn may begin; called before each. */
  readonly hasRoom: () => boolean;
  /** Message for callers who waited too long although there was room. Default: too many answers are unsent. */
  readonly busy?: string;
}

/** How long a caller without a signal waits. */
const WAIT_MS = 10_000;
const RETRY_AFTER_SECONDS = 5;

const UNSENT = 'The server has too many unsent answers at the moment';

export class Turns {
  readonly #options: TurnsOptions;
  /** Each begins the turn of a caller that waits. */
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /**
   * Waits for a turn; returns what ends it, to be called once. A turn ends one round of the event loop later, so that what it brought is on its way
   * before the next one begins, and other requests get in between. Rejects with `unavailable` when no turn was free for a while; with a signal it
   * waits until that is aborted.
   */
  async take(signal?: AbortSignal): Promise<() => void> {
    if (this.#waiting.size > 0 || !this.#isFree()) await this.#wait(signal);
    else this.#taken += 1;
    return () => {
      setImmediate(() => {
        this.#taken -= 1;
        this.wake();
      });
    };
  }

  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const end = await this.take(signal);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** Begins what may begin. To be called when there may be room again. */
  wake(): void {
    for (const begin of this.#waiting) {
      if (!this.#isFree()) return;
      begin();
    }
  }

  #isFree(): boolean {
    return this.#taken < this.#options.max && this.#options.hasRoom();
  }

  #late(): ServiceError {
    const { hasRoom, busy = UNSENT } = this.#options;
    const reason = hasRoom() ? busy : UNSENT;
    return new ServiceError('unavailable', `${reason}; try again in a few seconds`, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(begin);
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const begin = () => {
        leave();
        this.#taken += 1;
        resolve();
      };
      const onAbort = () => {
        leave();
        reject(new DOMException('The stream has ended', 'AbortError'));
      };
      const onLate = () => {
        leave();
        reject(this.#late());
      };
      const timer = signal ? undefined : setTimeout(onLate, WAIT_MS);
      if (signal?.aborted) return onAbort();
      signal?.addEventListener('abort', onAbort);
      this.#waiting.add(begin);
    });
  }
}
