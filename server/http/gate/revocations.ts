// Revoked tokens and ended sign-ins, of any server: the change log reports them, and open connections check their callers again.
import type { WatchService } from '../../registry/watch/watch.ts';
import { systemContext } from '../../registry/registry.ts';

export class Revocations {
  readonly #watches: Pick<WatchService, 'watchEvents'>;
  readonly #kinds: readonly string[];
  readonly #followers = new Set<() => void>();
  #reading: AbortController | undefined;

  /** `kinds` are those of the facts that report a revocation. */
  constructor(watches: Pick<WatchService, 'watchEvents'>, kinds: readonly string[]) {
    this.#watches = watches;
    this.#kinds = kinds;
  }

  /** Calls `check` soon after a token is revoked or a sign-in ends, until the returned function is called. A hint: followers also check by themselves. */
  follow(check: () => void): () => void {
    const follower = () => check();
    this.#followers.add(follower);
    if (!this.#reading) this.#begin();
    return () => {
      this.#followers.delete(follower);
      if (this.#followers.size > 0) return;
      this.#reading?.abort();
      this.#reading = undefined;
    };
  }

  #begin(): void {
    const reading = new AbortController();
    this.#reading = reading;
    Promise.all(this.#kinds.map((kind) => this.#read(kind, reading.signal)))
      .catch(() => undefined)
      .finally(() => {
        reading.abort();
        if (this.#reading === reading) this.#reading = undefined;
      });
  }

  async #read(kind: string, signal: AbortSignal): Promise<void> {
    for await (const _batch of this.#watches.watchEvents(systemContext, { kind }, { signal })) {
      for (const check of this.#followers) check();
    }
  }
}
