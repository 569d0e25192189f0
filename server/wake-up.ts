// When a loop looks again: at once when told, at an exact moment when one is known, and now and then in case nobody told it.
import type { Clock } from './clock.ts';

export interface WakeUpOptions {
  readonly clock: Clock;
  /** Looks once; answers when to look again, if it knows. */
  readonly tick: () => Promise<number | undefined>;
  readonly pollMs: number;
  readonly retryMs: number;
  readonly onError: (error: unknown) => void;
}

export interface WakeUp {
  readonly start: () => void;
  readonly stop: () => Promise<void>;
  /** Looks as soon as the current look is over. Does nothing unless started. */
  readonly now: () => void;
}

export function createWakeUp(options: WakeUpOptions): WakeUp {
  const { clock } = options;
  const stopped = new AbortController();
  let asked = false;
  let rouse: (() => void) | undefined;
  let loop: Promise<void> | undefined;

  const look = async (): Promise<number> => {
    const poll = clock.now() + options.pollMs;
    try {
      return Math.min(poll, (await options.tick()) ?? poll);
    } catch (error) {
      options.onError(error);
      return clock.now() + options.retryMs;
    }
  };
  const rest = async (until: number): Promise<void> => {
    const timer = new AbortController();
    const roused = new Promise<void>((resolve) => (rouse = resolve));
    if (asked || stopped.signal.aborted) return;
    await Promise.race([roused, clock.sleep(Math.max(0, until - clock.now()), timer.signal).catch(() => undefined)]);
    timer.abort();
  };
  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      asked = false;
      const until = await look();
      if (!asked && until > clock.now()) await rest(until);
    }
  };
  const now = () => {
    asked = true;
    rouse?.();
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
