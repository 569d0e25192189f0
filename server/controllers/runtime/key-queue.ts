// Keys waiting to be worked on: at once or at a moment. The same key never runs twice at once, and one added while it runs runs again after.
// It is independent of what a key stands for, and of the work.
import { WOKEN, type Clock } from '../../clock.ts';

export interface KeyQueueOptions {
  readonly clock: Clock;
  /** Keys worked on at once. */
  readonly concurrency: number;
  /** Never rejects. */
  readonly work: (key: string) => Promise<void>;
}

export interface KeyQueue {
  /** Runs the key as soon as there is room. A key that waits already is not added twice; a moment it waited for is forgotten. */
  add(key: string): void;
  /** Adds the key at this moment (ms), in place of any moment it waited for. Does nothing to a key that is waiting for room. */
  addAt(key: string, at: number): void;
  /** Begins nothing more from this call on; resolves when nothing runs. Idempotent. */
  stop(): Promise<void>;
  /** Resolves when nothing runs and nothing waits for room; keys that wait for their moment do not count. */
  drain(): Promise<void>;
}

export function createKeyQueue({ clock, concurrency, work }: KeyQueueOptions): KeyQueue {
  const ready = new Set<string>();
  const running = new Map<string, Promise<void>>();
  const runAgain = new Set<string>();
  /** Ends the wait of a key for its moment. */
  const waits = new Map<string, AbortController>();
  let stopped = false;

  const forget = (key: string): void => {
    waits.get(key)?.abort(WOKEN);
    waits.delete(key);
  };
  const add = (key: string): void => {
    if (stopped) return;
    forget(key);
    if (running.has(key)) runAgain.add(key);
    else ready.add(key);
    pump();
  };
  const pump = (): void => {
    for (const key of ready) {
      if (stopped || running.size >= concurrency) return;
      ready.delete(key);
      running.set(key, begin(key));
    }
  };
  const begin = async (key: string): Promise<void> => {
    // Its work begins in a later turn: what adds the key until then is seen by this run.
    await Promise.resolve();
    runAgain.delete(key);
    if (!stopped) await work(key);
    running.delete(key);
    if (runAgain.delete(key)) add(key);
    else pump();
  };
  const drain = async (): Promise<void> => {
    while (running.size > 0) await Promise.all(running.values());
  };
  return {
    add,
    addAt(key, at) {
      if (stopped || ready.has(key) || runAgain.has(key)) return;
      forget(key);
      const wait = new AbortController();
      waits.set(key, wait);
      clock.sleep(Math.max(0, at - clock.now()), wait.signal).then(
        () => add(key),
        () => undefined,
      );
    },
    async stop() {
      stopped = true;
      ready.clear();
      [...waits.keys()].forEach(forget);
      await drain();
    },
    drain,
  };
}
