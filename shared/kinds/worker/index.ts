// The kind Worker.
import { defineKind } from '../define.ts';
import { normalizeWorker, validateWorker } from './rules.ts';
import { WORKER_PHASES, workerSpec, workerStatus } from './schema.ts';

export const worker = defineKind({
  kind: 'Worker',
  plural: 'workers',
  area: 'workers',
  icon: 'Cpu',
  shortNames: ['worker', 'wk'],
  description:
    'A process that claims Tasks with a lease and runs them. Each registers itself and follows its object while it runs: region and capabilities say which Tasks it may claim, and a suspended one claims none.',
  spec: workerSpec,
  status: workerStatus,
  phases: WORKER_PHASES,
  normalize: normalizeWorker,
  validate: validateWorker,
  columns: [
    { title: 'State', path: 'status.phase' },
    { title: 'Running', path: 'status.currentTasks' },
    { title: 'Capacity', path: 'spec.max_concurrent_tasks' },
    { title: 'Region', path: 'spec.region' },
    { title: 'Age', path: 'metadata.createdAt' },
    { title: 'Suspended', path: 'spec.suspend', wide: true },
    { title: 'Heartbeat', path: 'status.lastHeartbeat', wide: true },
    { title: 'GPU', path: 'spec.capabilities.gpu', wide: true },
    { title: 'Models', path: 'spec.capabilities.supported_models', wide: true },
  ],
  fieldSelectors: ['status.phase'],
  serviceManaged: true,
  isRecord: true,
  heartbeats: true,
  servesAllNamespaces: true,
  enablesCalls: true,
  applyOrder: 65,
});
