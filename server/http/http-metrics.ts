// The metrics this surface keeps about itself, in Prometheus terms. Labels are route templates, never paths, so that their number stays small.
import { Gauge, Histogram, type Registry } from 'prom-client';
import { STREAM_PURPOSES, type StreamPurpose } from './sse/stream-hub.ts';

export interface HttpMetrics {
  observe(request: { readonly method: string; readonly route: string; readonly status: number }, seconds: number): void;
}

const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createHttpMetrics(registry: Registry, openStreams: (purpose: StreamPurpose) => number): HttpMetrics {
  const durations = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer; of streams only those that were refused.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS_S,
    registers: [registry],
  });
  new Gauge({
    name: 'svc_http_open_streams',
    help: 'Open server-sent event streams by purpose.',
    labelNames: ['stream'],
    registers: [registry],
    collect() {
      for (const stream of STREAM_PURPOSES) this.set({ stream }, openStreams(stream));
    },
  });
  const children = new Map<string, { observe(seconds: number): void }>();
  return {
    observe({ method, route, status }, seconds) {
      const key = `${method} ${route} ${status}`;
      const child = children.get(key) ?? durations.labels(method, route, String(status));
      children.set(key, child);
      child.observe(seconds);
    },
  };
}
