// Runs an action a while after a request, and once more if another request came meanwhile: the last request is never lost.

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

  /** No action runs after this. */
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
