// One ticking clock for all shown times. It follows the server's.
import { useSyncExternalStore } from 'react';
import { serverNow } from '../../live/server-clock.ts';

const listeners = new Map<number, Set<() => void>>();
const timers = new Map<number, ReturnType<typeof setInterval>>();

/** Times of one interval share a timer, which runs only while one is mounted. */
function subscribeEvery(intervalMs: number, listener: () => void): () => void {
  const all = listeners.get(intervalMs) ?? new Set();
  listeners.set(intervalMs, all);
  all.add(listener);
  if (!timers.has(intervalMs)) {
    const tick = () => {
      for (const each of all) each();
    };
    timers.set(intervalMs, setInterval(tick, intervalMs));
  }
  return () => {
    all.delete(listener);
    if (all.size > 0) return;
    clearInterval(timers.get(intervalMs));
    timers.delete(intervalMs);
  };
}

const subscribers = new Map<number, (listener: () => void) => () => void>();

function subscriberOf(intervalMs: number): (listener: () => void) => () => void {
  const made = subscribers.get(intervalMs) ?? ((listener: () => void) => subscribeEvery(intervalMs, listener));
  subscribers.set(intervalMs, made);
  return made;
}

/** The server's time, rounded down to the interval; renders again at each tick. */
export function useNow(intervalMs = 1000): number {
  return useSyncExternalStore(subscriberOf(intervalMs), () => Math.floor(serverNow() / intervalMs) * intervalMs);
}
