// A Worker as the console shows it, read from its resource. Total: missing fields have empty values. Pure.
import type { Resource } from '@svc/shared/resource';

export interface IsolationState {
  readonly backend: string;
  readonly modes: readonly string[];
  readonly available: boolean;
  readonly message: string;
}

export interface WorkerView {
  /** `namespace/name`. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
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

type Fields = Readonly<Record<string, unknown>>;
const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const whole = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? Math.max(0, value) : 0);
const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? (value as readonly unknown[]).filter((each): each is string => typeof each === 'string') : [];

export function readWorker(resource: Resource): WorkerView {
  const { metadata, spec, status } = resource;
  const capabilities = fields(spec['capabilities']);
  const isolation = Array.isArray(status['isolation']) ? (status['isolation'] as readonly unknown[]).map(fields) : [];
  return {
    key: `${metadata.namespace}/${metadata.name}`,
    namespace: metadata.namespace,
    name: metadata.name,
    phase: text(status['phase']) || 'Pending',
    heartbeat: Date.parse(text(status['lastHeartbeat'])),
    running: whole(status['currentTasks']),
    slots: Math.max(1, whole(spec['max_concurrent_tasks'])),
    region: text(spec['region']),
    gpu: capabilities['gpu'] === true,
    models: texts(capabilities['supported_models']),
    isolation: isolation.map((each) => ({
      backend: text(each['backend']),
      modes: texts(each['modes']),
      available: each['available'] === true,
      message: text(each['message']),
    })),
    resource,
  };
}

/** Stopped, or lost for the server: its last reported slots are invalid. */
export function isLost(phase: string): boolean {
  return phase === 'NotReady';
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

/** Offers of a worker beyond its slots, in words. */
export function offersOf({ region, gpu, models }: WorkerView): readonly string[] {
  return [...(region === '' ? [] : [region]), ...(gpu ? ['GPU'] : []), ...models];
}

/** Changes with the isolation or presence of a worker; a heartbeat alone does not change it. */
export function isolationOf(workers: readonly WorkerView[]): string {
  return JSON.stringify(workers.map(({ key, phase, isolation }) => [key, phase, isolation]));
}
