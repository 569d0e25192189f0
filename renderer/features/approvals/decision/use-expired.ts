// Whether a moment has passed by the server's clock.
import { useCallback, useSyncExternalStore } from 'react';
import { serverNow } from '../../../live/server-clock.ts';

/**
 * Checks the clock now and then instead of one timer: this holds through sleep, a corrected clock, and waits longer than a timer can be.
 */
const LOOK_MS = 1_000;

function subscribe(listener: () => void): () => void {
  const timer = setInterval(listener, LOOK_MS);
  return () => clearInterval(timer);
}

/** `at` in ms; NaN never passes. Renders again only when it has passed. */
export function useExpired(at: number): boolean {
  return useSyncExternalStore(
    subscribe,
    useCallback(() => at <= serverNow(), [at]),
  );
}
