// Places and memory that running sandboxes share: jobs past either wait, first come first served.
export class Reservations {
  readonly #placesMax: number;
  readonly #bytesMax: number;
  readonly #waiting: { readonly bytes: number; readonly go: () => void }[] = [];
  #places = 0;
  #bytes = 0;

  constructor({ placesMax, bytesMax }: { readonly placesMax: number; readonly bytesMax: number }) {
    this.#placesMax = placesMax;
    this.#bytesMax = bytesMax;
  }

  /** Resolves once a place and `bytes` are reserved; `release` gives them back. Rejects with the signal's reason, with nothing reserved. */
  reserve(bytes: number, signal: AbortSignal): Promise<void> {
    if (this.#waiting.length === 0 && this.#fits(bytes)) return Promise.resolve(this.#take(bytes));
    return new Promise((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const entry = { bytes, go };
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        reject(signal.reason as Error);
        // A large job at the head may have held back smaller ones.
        this.#admitNext();
      };
      this.#waiting.push(entry);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  release(bytes: number): void {
    this.#places -= 1;
    this.#bytes -= bytes;
    this.#admitNext();
  }

  #fits(bytes: number): boolean {
    return this.#places < this.#placesMax && this.#bytes + bytes <= this.#bytesMax;
  }

  #take(bytes: number): void {
    this.#places += 1;
    this.#bytes += bytes;
  }

  #admitNext(): void {
    for (let next = this.#waiting[0]; next && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#take(next.bytes);
      next.go();
    }
  }
}
