// Content of a worker's own object: the rules of its spec, its status, and its owner. Pure: time and ids come in.
import { specOf, statusOf, type ReadableSpec } from '@svc/shared/kinds/read';
import { ANNOTATION_PREFIX, DEFAULT_NAMESPACE, type ResourceKey } from '@svc/shared/resource';
import { timestamp } from '../../clock.ts';
import type { StoredObject } from '../../store/store.ts';

export const WORKER_KIND = 'Worker';
/** Marks objects that workers made themselves, as against those an administrator declared beforehand. */
export const REGISTERED_BY = `${ANNOTATION_PREFIX}registered-by`;

/** Offer of a worker; its spec in the store's terms. */
export interface WorkerOffer {
  readonly region: string | undefined;
  readonly gpu: boolean;
  readonly supportedModels: readonly string[];
  readonly maxConcurrentTasks: number;
}

/** Settings of a running worker, by its object. */
export interface WorkerSettings extends WorkerOffer {
  /** Claims nothing new. */
  readonly suspended: boolean;
}

export type WorkerPhase = 'Ready' | 'Draining' | 'NotReady';

/** One way to isolate tools. */
export interface IsolationBackend {
  readonly backend: string;
  readonly modes: readonly string[];
  readonly available: boolean;
  readonly engine?: string;
  readonly message?: string;
}

export interface WorkerReport {
  readonly phase: WorkerPhase;
  readonly instance: string;
  readonly now: number;
  readonly currentTasks: number;
  readonly isolation: readonly IsolationBackend[];
  readonly mcpStdio: boolean;
  readonly generation: number;
  readonly lastError: string | undefined;
}

type Status = StoredObject['status'];

/** Name in the `signalled` of a commit that changed the object of this worker. */
export const workerStream = (id: string): string => `worker/${id}`;

/** Worker objects are the fleet's, not one team's: they live in the default namespace. */
export const workerKey = (id: string): ResourceKey => ({ kind: WORKER_KIND, namespace: DEFAULT_NAMESPACE, name: id });

export function offerSpec({ region, gpu, supportedModels, maxConcurrentTasks }: WorkerOffer): Record<string, unknown> {
  return {
    ...(region !== undefined && { region }),
    capabilities: { gpu, supported_models: [...supportedModels] },
    max_concurrent_tasks: maxConcurrentTasks,
  };
}

/** Settings that the object of the worker states. */
export function settingsOf(worker: ReadableSpec): WorkerSettings {
  const { region, capabilities, max_concurrent_tasks: maxConcurrentTasks, suspend = false } = specOf('Worker', worker);
  const { gpu = false, supported_models: supportedModels = [] } = capabilities ?? {};
  return { region, gpu, supportedModels, maxConcurrentTasks, suspended: suspend };
}

export function reportedStatus(
  previous: Status,
  { instance, phase, now, currentTasks, isolation, mcpStdio, generation, lastError }: WorkerReport,
): Status {
  const { lastError: _past, ...kept } = previous;
  return {
    ...kept,
    phase,
    ...(lastError !== undefined && { lastError }),
    instance,
    lastHeartbeat: timestamp(now),
    currentTasks,
    mcpStdio,
    isolation: isolation.map((backend) => ({ ...backend, modes: [...backend.modes] })),
    observedGeneration: generation,
  };
}

/** The last sign of life of another process under this name, in milliseconds; undefined when the name is free at `now`. */
export function occupiedSince(
  stored: StoredObject | undefined,
  own: { instance: string; now: number; leaseMs: number },
): number | undefined {
  if (!stored) return undefined;
  const { phase, lastHeartbeat, instance } = statusOf(WORKER_KIND, stored);
  if (instance === own.instance) return undefined;
  const heartbeat = Date.parse(lastHeartbeat ?? '');
  const alive = (phase === 'Ready' || phase === 'Draining') && heartbeat + own.leaseMs > own.now;
  return alive ? heartbeat : undefined;
}
