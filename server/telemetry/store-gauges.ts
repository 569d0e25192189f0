// Gauges of the whole store, read at each scrape: waiting Tasks, known workers. An unavailable store leaves the series out.
import { WORKER_PHASES } from '@svc/shared/kinds/worker/schema';
import { Gauge, type Registry } from 'prom-client';
import { statusOf } from '@svc/shared/kinds/read';
import type { Clock } from '../clock.ts';
import type { Store } from '../store/store.ts';
import { createSharedReading } from './shared-reading.ts';

export interface StoreGaugesOptions {
  readonly store: Pick<Store, 'countWork' | 'listObjects'>;
  readonly clock: Clock;
  readonly registry: Registry;
  /** The queue of Tasks. */
  readonly queue: string;
}

const WORK_STATES = ['ready', 'waiting', 'claimed', 'parked'] as const;
/** More Workers than this are not counted. */
const WORKERS_MAX = 1_000;

/** Once per registry. */
export function addStoreGauges(options: StoreGaugesOptions): void {
  addQueueDepth(options);
  addWorkers(options);
}

function addQueueDepth({ store, clock, registry, queue }: StoreGaugesOptions): void {
  const read = createSharedReading({ clock, read: () => store.countWork(queue, clock.now()) });
  const gauge = new Gauge({
    name: 'svc_queue_tasks',
    help: 'Tasks that have not ended: ready to be claimed, waiting for a moment, claimed by a worker, parked until a signal. Of the whole store.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const counts = await read();
      gauge.reset();
      if (counts) for (const state of WORK_STATES) gauge.set({ state }, counts[state]);
    },
  });
}

function addWorkers({ store, clock, registry }: StoreGaugesOptions): void {
  const read = createSharedReading({ clock, read: () => store.listObjects({ kind: 'Worker', limit: WORKERS_MAX }) });
  const gauge = new Gauge({
    name: 'svc_workers',
    help: 'Worker objects by phase. Of the whole store.',
    labelNames: ['phase'],
    registers: [registry],
    async collect() {
      const workers = await read();
      gauge.reset();
      if (!workers) return;
      for (const phase of WORKER_PHASES)
        gauge.set({ phase }, workers.filter((worker) => statusOf('Worker', worker).phase === phase).length);
    },
  });
}
