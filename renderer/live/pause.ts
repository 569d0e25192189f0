// An interruptible wait: between two attempts to reach the server, until an immediate attempt is requested.

export class Pause {
  #wake: () => void = () => undefined;

  /** Ends after `ms`, or when woken. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Without a waiter it does nothing. */
  wake(): void {
    this.#wake();
  }
}
