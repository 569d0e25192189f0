// A Worker as the console shows it, read from its resource. Total: missing fields have empty values. Pure.
import { SUSPEND_REASON, type Resource } from '@svc/shared/resource';
import { specOf, statusOf } from '../../../kinds/read.ts';
import type { TableSort } from '../../../ui/table/table-model.ts';

interface IsolationState {
  readonly backend: string;
  readonly modes: readonly string[];
  readonly available: boolean;
  readonly engine: string;
  readonly message: string;
}

export interface WorkerView {
  /** `namespace/name`. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  /** Claims nothing until it is resumed. */
  readonly suspended: boolean;
  /** Reason of the suspension; empty without one. */
  readonly suspendReason: string;
  /** ms; NaN when it never reported. */
  readonly heartbeat: number;
  readonly running: number;
  readonly slots: number;
  readonly region: string;
  readonly gpu: boolean;
  readonly models: readonly string[];
  readonly isolation: readonly IsolationState[];
  readonly resource: Resource;
}

export function readWorker(resource: Resource): WorkerView {
  const { metadata } = resource;
  const spec = specOf('Worker', resource);
  const status = statusOf('Worker', resource);
  const suspended = spec.suspend === true;
  return {
    key: `${metadata.namespace}/${metadata.name}`,
    namespace: metadata.namespace,
    name: metadata.name,
    phase: status.phase,
    suspended,
    suspendReason: suspended ? (metadata.annotations[SUSPEND_REASON] ?? '') : '',
    heartbeat: Date.parse(status.lastHeartbeat ?? ''),
    running: Math.max(0, status.currentTasks ?? 0),
    slots: Math.max(1, spec.max_concurrent_tasks),
    region: spec.region ?? '',
    gpu: spec.capabilities?.gpu === true,
    models: spec.capabilities?.supported_models ?? [],
    isolation: (status.isolation ?? []).map(({ backend, modes = [], available = false, engine = '', message = '' }) => ({
      backend,
      modes,
      available,
      engine,
      message,
    })),
    resource,
  };
}

/** Stopped, or lost for the server: its last reported slots are invalid. */
export function isLost(phase: string): boolean {
  return phase === 'NotReady';
}

/** State in lists: that of a suspended worker says more than its phase. */
export function stateOf({ phase, suspended }: Pick<WorkerView, 'phase' | 'suspended'>): string {
  return suspended && !isLost(phase) ? 'Suspended' : phase;
}

export interface Capacity {
  readonly workers: number;
  readonly ready: number;
  /** Taken slots of workers that are ready. */
  readonly taken: number;
  readonly slots: number;
}

/** Capacity of the fleet. A worker that is not ready has none, whatever its slots. */
export function capacityOf(workers: readonly WorkerView[]): Capacity {
  const ready = workers.filter(({ phase }) => phase === 'Ready');
  const sum = (of: (worker: WorkerView) => number) => ready.reduce((total, worker) => total + of(worker), 0);
  return { workers: workers.length, ready: ready.length, taken: sum(({ running }) => running), slots: sum(({ slots }) => slots) };
}

/** Remedy of a fleet without a ready worker. */
export function remedyOf(workers: readonly WorkerView[]): string {
  const waiting = workers.some(({ suspended, phase }) => suspended && !isLost(phase));
  return waiting ? 'Resume a suspended worker, or start another one.' : 'Start a worker process.';
}

/** Offers of a worker beyond its slots, in words. */
export function offersOf({ region, gpu, models }: WorkerView): readonly string[] {
  return [...(region === '' ? [] : [region]), ...(gpu ? ['GPU'] : []), ...models];
}

/** Changes with the isolation or presence of a worker; a heartbeat alone does not change it. */
export function isolationOf(workers: readonly WorkerView[]): string {
  return JSON.stringify(workers.map(({ key, phase, isolation }) => [key, phase, isolation]));
}

/** Values that the fleet is sorted by, by column. */
const SORTED_BY: Readonly<Record<string, (worker: WorkerView) => string | number>> = {
  name: ({ name }) => name,
  phase: ({ phase }) => phase,
  // The least age is that of the newest heartbeat; a worker that never reported comes after all others.
  heartbeat: ({ heartbeat }) => (Number.isNaN(heartbeat) ? 0 : -heartbeat),
  slots: (worker) => (isLost(worker.phase) ? -1 : worker.running / worker.slots),
  offers: (worker) => offersOf(worker).join(', '),
};

/** The fleet in the order of a column; equal workers stay in theirs. */
export function sortWorkers(workers: readonly WorkerView[], { column, direction }: TableSort): readonly WorkerView[] {
  const valueOf = SORTED_BY[column];
  if (valueOf === undefined) return workers;
  const sign = direction === 'asc' ? 1 : -1;
  return workers.toSorted((a, b) => {
    const [x, y] = [valueOf(a), valueOf(b)];
    return x === y ? 0 : x < y ? -sign : sign;
  });
}
