// The registry of Prometheus metrics; components add theirs to it and /metrics prints it.
import { Registry } from 'prom-client';

export function createMetricsRegistry(): Registry {
  return new Registry();
}
