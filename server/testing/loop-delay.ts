// Longest time that a piece of work kept the event loop from its other work.
import { existsSync, readFileSync } from 'node:fs';

/** Generous: a loop that is held by hostile input stands still for many seconds. */
export const RESPONSIVE_MS = 500;
const LOOK_MS = 5;
/** Times of this process's first thread as the kernel counts them, in ns: on a processor, then waiting for one. */
const SCHEDULED = `/proc/self/task/${process.pid}/schedstat`;

/** Time in which other processes had the processor that this one wanted. Zero where the kernel does not count it. */
const waitedMs: () => number = existsSync(SCHEDULED) ? () => Number(readFileSync(SCHEDULED, 'utf8').split(' ')[1]) / 1e6 : () => 0;

export interface DelayedResult<T> {
  readonly value: T;
  readonly longestMs: number;
}

/** Waits for a processor are left out: they depend on the machine, not on the work. */
export async function loopDelay<T>(work: () => Promise<T>): Promise<DelayedResult<T>> {
  const ownTime = () => performance.now() - waitedMs();
  let longestMs = 0;
  let last = ownTime();
  const look = () => {
    const now = ownTime();
    longestMs = Math.max(longestMs, now - last - LOOK_MS);
    last = now;
  };
  const timer = setInterval(look, LOOK_MS);
  try {
    const value = await work();
    look();
    return { value, longestMs };
  } finally {
    clearInterval(timer);
  }
}

/** The same for work that can be repeated: the best of three, because other processes slow a processor that is shared by threads. */
export async function bestLoopDelay<T>(work: () => Promise<T>): Promise<DelayedResult<T>> {
  let best = await loopDelay(work);
  for (let tries = 1; tries < 3 && best.longestMs >= RESPONSIVE_MS; tries += 1) {
    const next = await loopDelay(work);
    if (next.longestMs < best.longestMs) best = next;
  }
  return best;
}
