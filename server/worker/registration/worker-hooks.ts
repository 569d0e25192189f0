// A write of a Worker reaches its process at once. One whose notice is lost is read with the next heartbeat.
import type { KindHooks } from '../../registry/registry.ts';
import { WORKER_KIND, workerStream } from './worker-object.ts';

const hooks: KindHooks = { onUpdated: async (tx, { metadata }) => tx.wakeWorkers(workerStream(metadata.name)) };

export const workerHooks = [WORKER_KIND, hooks] as const;
