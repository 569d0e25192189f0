// Revoked tokens and ended sign-ins, of any server: the change log reports them, and open connections check their callers again.
import type { WatchService } from '../../registry/watch/watch.ts';
import { TOKEN_FACT_KIND } from '../../auth/token-facts.ts';
import { systemContext } from '../../registry/registry.ts';

export class Revocations {
  readonly #watches: Pick<WatchService, 'watchEvents'>;
  readonly #followers = new Set<() => void>();
  #reading: AbortController | undefined;

  constructor(watches: Pick<WatchService, 'watchEvents'>) {
    this.#watches = watches;
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
    this.#read(reading.signal)
      .catch(() => undefined)
      .finally(() => {
        if (this.#reading === reading) this.#reading = undefined;
      });
  }

  async #read(signal: AbortSignal): Promise<void> {
    for await (const _batch of this.#watches.watchEvents(systemContext, { kind: TOKEN_FACT_KIND }, { signal })) {
      for (const check of this.#followers) check();
    }
  }
}
