// Counts of open connections and streams by client address, without limits.
export class AddressCounts {
  readonly #counts = new Map<string, number>();

  of(address: string): number {
    return this.#counts.get(address) ?? 0;
  }

  note(address: string, step: 1 | -1): void {
    const count = this.of(address) + step;
    if (count > 0) this.#counts.set(address, count);
    else this.#counts.delete(address);
  }
}
