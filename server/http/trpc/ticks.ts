// A stream of changes as ticks: one when it begins and when it lost its place, and then one for all that concern somebody within a second.
import type { WatchItem } from '@svc/shared/api/watch';
import { statusOf } from '@svc/shared/kinds/read';
import type { Clock } from '../../clock.ts';
import type { WatchMessage, WatchStream } from '../../registry/watch/watch.ts';

/** How soon after one tick the next may come. */
const PAUSE_MS = 1_000;

/** Ends with the stream, which the signal ends; throws what the stream throws. */
export async function* ticksOf(
  stream: WatchStream<WatchItem>,
  concerns: (item: WatchItem) => boolean,
  { clock, signal }: { readonly clock: Pick<Clock, 'sleep'>; readonly signal: AbortSignal },
): AsyncGenerator<void> {
  const heard = heardFrom(stream, (message) => message.type !== 'item' || concerns(message.item));
  while (await heard.something()) {
    yield;
    await clock.sleep(PAUSE_MS, signal).catch(() => undefined);
  }
}

/** Reads on while nobody waits, so that what comes during a pause is one tick after it. */
function heardFrom(stream: WatchStream<WatchItem>, counts: (message: WatchMessage<WatchItem>) => boolean) {
  let pending = false;
  let over = false;
  let wake: () => void = () => undefined;
  const reading = (async () => {
    for await (const messages of stream) {
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
  };
}

/** Which changes concern what a worker holds: those of its runs, of runs that another one takes from it, and its heartbeats, which renew its leases. */
export function heldBy(worker: string) {
  /** Runs that the worker had when they were last sent or changed. */
  const had = new Set<string>();
  let anyTold = false;
  return {
    tell(runs: readonly { readonly uid: string }[]): void {
      anyTold = true;
      for (const { uid } of runs) had.add(uid);
    },
    /** Until the runs of the worker were sent once, every Task counts as one of them. */
    concerns({ kind, name, resource }: WatchItem): boolean {
      if (kind === 'Worker') return name === worker;
      if (kind !== 'Task') return false;
      const { assignedWorker, phase } = statusOf('Task', resource);
      const its = assignedWorker === worker;
      const hadIt = had.delete(resource.metadata.uid);
      if (its && phase === 'Running') had.add(resource.metadata.uid);
      return its || hadIt || !anyTold;
    },
  };
}
