// Time as an argument: production uses the machine's clock, tests a fake one.

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds since some moment, which nobody can set. Absent: `now` is never set back. */
  elapsed?(): number;
  /** Resolves after `ms`, or rejects with the signal's reason when aborted first. Does not keep the process alive. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Reason for an abort that only ends a sleep: without one, each abort makes an error with a stack. */
export const WOKEN = new Error('the sleep was ended early');

/** The longest wait of one timer, about 24 days; Node fires a longer one at once. */
export const TIMER_MAX_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      let timer: NodeJS.Timeout;
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const wait = (left: number) => {
        timer = setTimeout(
          () => {
            if (left > TIMER_MAX_MS) return wait(left - TIMER_MAX_MS);
            signal?.removeEventListener('abort', onAbort);
            resolve();
          },
          Math.min(left, TIMER_MAX_MS),
        );
        timer.unref();
      };
      wait(ms);
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};

/**
 * A clock for one stretch of work, whose durations are differences of its moments: it continues while the machine's clock is set back. A step
 * ahead counts, as it may be the sleep of the machine.
 */
export function steadyClock(clock: Clock): Clock {
  let set = { now: clock.now(), elapsed: clock.elapsed?.() ?? 0 };
  const now = (): number => {
    const read = { now: clock.now(), elapsed: clock.elapsed?.() ?? 0 };
    const steady = Math.floor(set.now + read.elapsed - set.elapsed);
    if (read.now < steady) return steady;
    set = read;
    return read.now;
  };
  return { now, sleep: (ms, signal) => clock.sleep(ms, signal), ...(clock.elapsed && { elapsed: () => clock.elapsed?.() ?? 0 }) };
}

/**
 * Aborts with a TimeoutError after `ms`. Replaces `AbortSignal.timeout`, which Node 20 collects, so that it never fires, where only a signal
 * combined from it (`AbortSignal.any`) has listeners, and which ends at the longest wait of one timer.
 */
export function timeLimit(ms: number): AbortSignal {
  if (ms > TIMER_MAX_MS) {
    const late = new AbortController();
    void systemClock.sleep(ms).then(() => late.abort(new DOMException('The time limit has passed', 'TimeoutError')));
    return late.signal;
  }
  const signal = AbortSignal.timeout(ms);
  signal.addEventListener('abort', () => undefined, { once: true });
  return signal;
}

/**
 * Does work under a signal that aborts with the first of these. Replaces `AbortSignal.any` where one of them outlives the work: on Node 20 each
 * combined signal leaves an entry in it that is never removed. An abort after the work has no effect.
 */
export async function underSignals<T>(signals: readonly AbortSignal[], work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const first = new AbortController();
  const links = signals.map((signal) => ({ signal, onAbort: () => first.abort(signal.reason) }));
  for (const { signal, onAbort } of links) {
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
  }
  try {
    return await work(first.signal);
  } finally {
    for (const { signal, onAbort } of links) signal.removeEventListener('abort', onAbort);
  }
}

interface WaitLimit {
  readonly clock: Clock;
  readonly ms: number;
  /** Ends the wait early. */
  readonly signal?: AbortSignal;
}

/** True once the work has ended, successfully or not; false when the limit comes first. */
export async function endsWithin(work: Promise<unknown> | undefined, { clock, ms, signal }: WaitLimit): Promise<boolean> {
  const timer = new AbortController();
  const ended = () => true;
  const late = () => false;
  const limit = clock.sleep(ms, signal ? AbortSignal.any([timer.signal, signal]) : timer.signal).then(late, late);
  const inTime = await Promise.race([Promise.resolve(work).then(ended, ended), limit]);
  timer.abort(WOKEN);
  return inTime;
}

/** Outcome of the work; rejects with the error of `late` when it takes longer. The work itself is not ended. */
export async function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}

/** Records of one transaction share their moment. */
let latest = { ms: 0, text: new Date(0).toISOString() };

/** RFC 3339 in UTC with milliseconds. */
export function timestamp(ms: number): string {
  if (ms !== latest.ms) latest = { ms, text: new Date(ms).toISOString() };
  return latest.text;
}
