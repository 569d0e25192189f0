// Longest time that the event loop stood still while a piece of work ran.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Generous: other processes load the machine, and a loop that is held by hostile input stands still for many seconds. */
export const RESPONSIVE_MS = 500;

export interface DelayedResult<T> {
  readonly value: T;
  readonly longestMs: number;
}

export async function loopDelay<T>(work: () => Promise<T>): Promise<DelayedResult<T>> {
  const histogram = monitorEventLoopDelay({ resolution: 5 });
  // The first sample comes after one turn of the loop.
  await new Promise((resolve) => setTimeout(resolve, 20));
  histogram.enable();
  const value = await work();
  await new Promise((resolve) => setTimeout(resolve, 20));
  histogram.disable();
  return { value, longestMs: histogram.max / 1e6 };
}

/** The same for work that can be repeated: the best of three, because another process may have had the processor. */
export async function bestLoopDelay<T>(work: () => Promise<T>): Promise<DelayedResult<T>> {
  let best = await loopDelay(work);
  for (let tries = 1; tries < 3 && best.longestMs >= RESPONSIVE_MS; tries += 1) {
    const next = await loopDelay(work);
    if (next.longestMs < best.longestMs) best = next;
  }
  return best;
}
