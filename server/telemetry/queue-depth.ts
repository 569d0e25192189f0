// How many Tasks wait, read from the store when somebody scrapes. Scrapes share one reading; a store that is away leaves the series out, never breaks the page.
import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../clock.ts';
import type { Store, WorkCounts } from '../store/store.ts';

export interface QueueDepthOptions {
  readonly store: Pick<Store, 'countWork'>;
  readonly clock: Clock;
  readonly registry: Registry;
  readonly queue: string;
  /** How long one reading serves scrapes. Default 5 s. */
  readonly maxAgeMs?: number;
  /** How long a scrape waits for the store. Default 2 s. */
  readonly timeoutMs?: number;
}

const MAX_AGE_DEFAULT_MS = 5_000;
const TIMEOUT_DEFAULT_MS = 2_000;
const STATES = ['ready', 'waiting', 'claimed', 'parked'] as const;

export function addQueueDepth(options: QueueDepthOptions): void {
  const read = createSharedReading(options);
  const gauge = new Gauge({
    name: 'svc_queue_tasks',
    help: 'Tasks that have not ended: ready to be claimed, waiting for a moment, claimed by a worker, parked until a signal. Of the whole store.',
    labelNames: ['state'],
    registers: [options.registry],
    async collect() {
      const counts = await read();
      gauge.reset();
      if (counts) for (const state of STATES) gauge.set({ state }, counts[state]);
    },
  });
}

/** Asks the store at most once per `maxAgeMs`, and never again while it still owes an answer. Undefined when it has none. */
function createSharedReading(options: QueueDepthOptions): () => Promise<WorkCounts | undefined> {
  const { store, clock, queue, maxAgeMs = MAX_AGE_DEFAULT_MS, timeoutMs = TIMEOUT_DEFAULT_MS } = options;
  let last: { readonly at: number; readonly counts: WorkCounts | undefined } | undefined;
  let asking: Promise<WorkCounts | undefined> | undefined;
  const ask = async (): Promise<WorkCounts | undefined> => {
    const counts = await store.countWork(queue, clock.now()).catch(() => undefined);
    last = { at: clock.now(), counts };
    asking = undefined;
    return counts;
  };
  return async () => {
    if (last && clock.now() - last.at < maxAgeMs) return last.counts;
    asking ??= ask();
    return within(timeoutMs, asking);
  };
}

async function within<T>(timeoutMs: number, answer: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), timeoutMs)));
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
