// A clock that stands still until a test moves it.
import type { Clock } from '../clock.ts';

export interface ManualClock extends Clock {
  /** Moves time on and wakes the sleepers whose time has come. */
  advance(ms: number): void;
  /** Whether somebody sleeps until exactly this moment. */
  isAwaited(at: number): boolean;
}

export function createManualClock(start = Date.parse('2026-01-02T03:04:05.000Z')): ManualClock {
  let now = start;
  const sleepers = new Set<{ until: number; wake: () => void }>();
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error);
        const onAbort = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason as Error);
        };
        const sleeper = {
          until: now + ms,
          wake: () => {
            signal?.removeEventListener('abort', onAbort);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
    isAwaited: (at) => [...sleepers].some(({ until }) => until === at),
    advance(ms) {
      now += ms;
      for (const sleeper of [...sleepers]) {
        if (sleeper.until > now) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
    },
  };
}
