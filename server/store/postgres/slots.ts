// A bounded number of places, given out in the order they were requested.

export interface Slots {
  /** Resolves when a place is free; false when none became free in time. */
  take(): Promise<boolean>;
  give(): void;
}

export function createSlots(max: number, waitMaxMs: number): Slots {
  let free = max;
  const waiting = new Set<(taken: boolean) => void>();
  return {
    async take() {
      if (free > 0) {
        free -= 1;
        return true;
      }
      return new Promise<boolean>((resolve) => {
        const settle = (taken: boolean) => {
          clearTimeout(timer);
          waiting.delete(settle);
          resolve(taken);
        };
        const timer = setTimeout(() => settle(false), waitMaxMs);
        waiting.add(settle);
      });
    },
    give() {
      const [first] = waiting;
      if (first) first(true);
      else free += 1;
    },
  };
}
