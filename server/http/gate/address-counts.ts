// Counts of open connections and streams by client, without limits.
import { clientKey } from './client-address.ts';

export class AddressCounts {
  readonly #counts = new Map<string, number>();

  of(address: string): number {
    return this.#counts.get(clientKey(address)) ?? 0;
  }

  note(address: string, step: 1 | -1): void {
    const key = clientKey(address);
    const count = (this.#counts.get(key) ?? 0) + step;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}
