// Does something a while after it was called for, and once more when it was called for meanwhile: what came last is never left out. Knows nothing of what it does.

export class Trailing {
  readonly #action: () => void;
  readonly #afterMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #again = false;

  constructor(action: () => void, afterMs: number) {
    this.#action = action;
    this.#afterMs = afterMs;
  }

  call(): void {
    if (this.#timer === undefined) this.#wait();
    else this.#again = true;
  }

  /** Nothing is done after this. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#again = false;
  }

  #wait(): void {
    this.#again = false;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#action();
      if (this.#again) this.#wait();
    }, this.#afterMs);
  }
}
