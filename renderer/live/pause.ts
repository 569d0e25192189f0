// A wait that can be cut short: between two tries to reach the server, until somebody has reason to try at once.

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

  /** Does nothing when nobody waits. */
  wake(): void {
    this.#wake();
  }
}
