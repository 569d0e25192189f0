// Whether a moment has passed by the server's clock, without looking every second.
import { useEffect, useState } from 'react';
import { serverNow } from '../../live/server-clock.ts';

/** Browsers fire longer timers at once. */
const TIMER_MAX_MS = 2_000_000_000;

/** `at` in ms; what is not a number never passes. */
export function useExpired(at: number): boolean {
  const [passed, setPassed] = useState(() => at <= serverNow());
  useEffect(() => {
    const left = at - serverNow();
    setPassed(left <= 0);
    if (!(left > 0)) return;
    const timer = setTimeout(() => setPassed(at <= serverNow() + 1), Math.min(left, TIMER_MAX_MS));
    return () => clearTimeout(timer);
  }, [at]);
  return passed;
}
