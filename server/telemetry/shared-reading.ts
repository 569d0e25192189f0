// One read of the store for many scrapes: at most once per interval, never twice at a time, with a bounded wait.
import { endsWithin, systemClock, type Clock } from '../clock.ts';

export interface SharedReadingOptions<T> {
  readonly read: () => Promise<T>;
  readonly clock: Clock;
  /** How long one reading serves scrapes. Default 5 s. */
  readonly maxAgeMs?: number;
  /** How long a scrape waits. Default 2 s. */
  readonly timeoutMs?: number;
}

const MAX_AGE_DEFAULT_MS = 5_000;
const TIMEOUT_DEFAULT_MS = 2_000;

/** The returned function returns the last reading, or undefined when it failed or timed out. Never rejects. */
export function createSharedReading<T>(options: SharedReadingOptions<T>): () => Promise<T | undefined> {
  const { read, clock, maxAgeMs = MAX_AGE_DEFAULT_MS, timeoutMs = TIMEOUT_DEFAULT_MS } = options;
  let last: { readonly at: number; readonly value: T | undefined } | undefined;
  let asking: Promise<T | undefined> | undefined;
  const ask = async (): Promise<T | undefined> => {
    const value = await read().catch(() => undefined);
    last = { at: clock.now(), value };
    asking = undefined;
    return value;
  };
  return async () => {
    if (last && clock.now() - last.at < maxAgeMs) return last.value;
    asking ??= ask();
    const reading = asking;
    return (await endsWithin(reading, { clock: systemClock, ms: timeoutMs })) ? reading : undefined;
  };
}
