// Wake-ups of a loop: at once on a notice, at a known moment, and at intervals in case a notice was lost.
import { backoffMs, type BackoffRule } from '@svc/shared/backoff';
import { endsWithin, type Clock } from './clock.ts';

export interface WakeUpOptions {
  readonly clock: Clock;
  /** One tick; returns when the next one is due, if known. A long one ends early when `stop` aborts the signal. */
  readonly tick: (stopped: AbortSignal) => Promise<number | undefined>;
  readonly pollMs: number;
  /** Looks begin at least this far apart, so that events in between are seen together. Default 0. */
  readonly spacingMs?: () => number;
  /** Wait after a failed tick. */
  readonly retryMs: number;
  /** Up to this it doubles with each failure in a row. Absent: it stays the same. */
  readonly retryMaxMs?: number;
  readonly onError: (error: unknown) => void;
}

export interface WakeUp {
  readonly start: () => void;
  readonly stop: () => Promise<void>;
  /** Ticks as soon as the current tick is over. Does nothing unless started. */
  readonly now: () => void;
}

export function createWakeUp(options: WakeUpOptions): WakeUp {
  const { clock } = options;
  const spacingMs = options.spacingMs ?? (() => 0);
  const stopped = new AbortController();
  let requested = false;
  let endRest: (() => void) | undefined;
  let loop: Promise<void> | undefined;

  let failures = 0;

  const retry: BackoffRule = { backoffMs: options.retryMs, maxBackoffMs: options.retryMaxMs ?? options.retryMs, jitter: 'none' };
  const longestMs = Math.max(options.pollMs, options.retryMaxMs ?? options.retryMs);
  const look = async (): Promise<number> => {
    const poll = clock.now() + options.pollMs;
    try {
      const next = await options.tick(stopped.signal);
      failures = 0;
      return Math.min(poll, next ?? poll);
    } catch (error) {
      failures += 1;
      options.onError(error);
      return clock.now() + backoffMs(retry, { failures, random: 0 });
    }
  };
  const rest = async (until: number): Promise<void> => {
    const woken = new Promise<void>((resolve) => (endRest = resolve));
    if (requested || stopped.signal.aborted) return;
    // Bounded, as the clock may have been set back since the tick.
    const ms = Math.min(Math.max(0, until - clock.now()), longestMs);
    await endsWithin(woken, { clock, ms });
  };
  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      requested = false;
      const began = clock.now();
      const until = await look();
      if (!requested && until > clock.now()) await rest(until);
      // Bounded, so that a clock set back meanwhile does not make it a long one.
      const spacing = spacingMs();
      const early = Math.min(spacing, began + spacing - clock.now());
      if (early > 0) await clock.sleep(early, stopped.signal).catch(() => undefined);
    }
  };
  const now = () => {
    requested = true;
    endRest?.();
  };
  return {
    start: () => void (loop ??= run()),
    async stop() {
      stopped.abort();
      now();
      await loop;
    },
    now,
  };
}
