// Puts together what measures runs: metrics always, traces when a collector is configured. Nothing in here can hold up or break a run.
import { Counter, type Registry } from 'prom-client';
import type { Clock } from '../clock.ts';
import type { RunObserver } from '../engine/observer.ts';
import type { Store } from '../store/store.ts';
import { combineObservers } from './combine-observers.ts';
import type { Logger } from '../log/log.ts';
import { createMetricsRegistry } from './metrics.ts';
import { readOtlpSettings } from './otlp-settings.ts';
import { addProcessMetrics } from './process-metrics.ts';
import { createRunMetrics } from './run-metrics.ts';
import { createRunTraces } from './run-traces.ts';
import { createSpanPipeline } from './span-pipeline.ts';
import { addStoreGauges } from './store-gauges.ts';
import { measureStore } from './store-metrics.ts';

export interface TelemetryOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** Version of this build. */
  readonly version: string;
  /** Identifies this process: the worker's id, or host and pid. */
  readonly instance: string;
  /** `--otlp-endpoint`: where spans go, `http://host:4318`. Wins over the OTEL_ variables. */
  readonly otlpEndpoint: string | undefined;
  /** Others that listen to runs. */
  readonly observers?: readonly RunObserver[];
  /** Where the standard OTEL_ variables are read from. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Telemetry {
  /** Give it to every worker of this process. It never throws. */
  readonly observer: RunObserver;
  /** `/metrics` prints it. */
  readonly metrics: Registry;
  /** The given store with its transactions and failures counted: give this one to the parts that use it. */
  readonly store: Store;
  /** Counts Tasks that retention removed. */
  readonly onTasksRemoved: (removed: number) => void;
  /** Sends what is left of the spans, within a bound. After the workers have stopped. Idempotent; never rejects. */
  stop(): Promise<void>;
}

/** The queue of Tasks. */
const TASK_QUEUE = 'task';

/** Throws a ServiceError `invalid` when the configured endpoint is not an http URL. */
export async function createTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { clock, version } = options;
  const metrics = createMetricsRegistry();
  addProcessMetrics(metrics, version);
  const store = measureStore(options.store, metrics);
  addStoreGauges({ store, clock, registry: metrics, queue: TASK_QUEUE });
  const removedTasks = new Counter({
    name: 'svc_tasks_removed_total',
    help: 'Finished Tasks that were deleted past their retention.',
    registers: [metrics],
  });
  const pipeline = await openPipeline(options, metrics);
  const observers = [createRunMetrics(metrics), ...(pipeline ? [createRunTraces(pipeline)] : []), ...(options.observers ?? [])];
  return {
    observer: combineObservers(observers, { registry: metrics, log: options.log }),
    metrics,
    store,
    onTasksRemoved: (removed) => removedTasks.inc(removed),
    stop: async () => pipeline?.stop(),
  };
}

async function openPipeline({ otlpEndpoint, env, log, version, instance }: TelemetryOptions, registry: Registry) {
  const settings = readOtlpSettings(otlpEndpoint, env);
  if (!settings) return undefined;
  for (const warning of settings.warnings) log.warn(warning);
  const pipeline = await createSpanPipeline({ settings, registry, log, version, instance });
  return { send: pipeline.send, stop: pipeline.stop, sampledShare: settings.sampledShare };
}
