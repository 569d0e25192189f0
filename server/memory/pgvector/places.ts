// Places at which calls use a connection: a number that falls when the server turns out to take fewer.

export interface Places {
  /** Resolves once the caller has a place. Rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<void>;
  give(): void;
  /** Lowers the number of places; places in use are released first. */
  limit(places: number): void;
}

export function createPlaces(max: number): Places {
  const waiting = new Set<() => void>();
  let places = max;
  let used = 0;
  const next = (): void => {
    const [first] = waiting;
    if (used >= places || !first) return;
    waiting.delete(first);
    used += 1;
    first();
  };
  return {
    async take(signal) {
      signal.throwIfAborted();
      if (used < places) {
        used += 1;
        return;
      }
      await new Promise<void>((resolve, reject) => {
        const taken = () => {
          signal.removeEventListener('abort', left);
          resolve();
        };
        const left = () => {
          waiting.delete(taken);
          reject(signal.reason as Error);
        };
        waiting.add(taken);
        signal.addEventListener('abort', left, { once: true });
      });
    },
    give() {
      used -= 1;
      next();
    },
    limit(lower) {
      places = Math.max(1, Math.min(places, lower));
    },
  };
}
