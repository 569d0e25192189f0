// A stream of changes as ticks: one when it begins and when it lost its place, and then one for all that concern somebody within a second.
import type { WatchItem } from '@svc/shared/api/watch';
import type { Clock } from '../../clock.ts';
import type { WatchMessage, WatchStream } from '../../registry/watch/watch.ts';

/** How soon after one tick the next may come. */
const PAUSE_MS = 1_000;

/** Ends with the stream, which the signal ends, and ends the stream with itself; throws what the stream throws. */
export async function* ticksOf(
  stream: WatchStream<WatchItem>,
  concerns: (item: WatchItem) => boolean,
  { clock, signal }: { readonly clock: Pick<Clock, 'sleep'>; readonly signal: AbortSignal },
): AsyncGenerator<void> {
  const ahead = readAhead(stream, (message) => message.type !== 'item' || concerns(message.item));
  try {
    while (await ahead.something()) {
      yield;
      await clock.sleep(PAUSE_MS, signal).catch(() => undefined);
    }
  } finally {
    // A reader that fails does not abort the signal.
    ahead.end();
  }
}

/** Reads on while nobody waits, so that changes during a pause are one tick after it. */
function readAhead(stream: WatchStream<WatchItem>, counts: (message: WatchMessage<WatchItem>) => boolean) {
  let pending = false;
  let over = false;
  let wake: () => void = () => undefined;
  const batches = stream[Symbol.asyncIterator]();
  const reading = (async () => {
    for await (const messages of { [Symbol.asyncIterator]: () => batches }) {
      pending ||= messages.some(counts);
      if (pending) wake();
    }
  })().finally(() => {
    over = true;
    wake();
  });
  reading.catch(() => undefined);
  return {
    /** Resolves when something has come since the last time; false at the end of the stream. Rejects when it fails. */
    async something(): Promise<boolean> {
      if (!pending && !over) await new Promise<void>((resolve) => void (wake = resolve));
      if (over) await reading;
      const came = pending && !over;
      pending = false;
      return came;
    },
    end: () => void batches.return?.(undefined).catch(() => undefined),
  };
}
