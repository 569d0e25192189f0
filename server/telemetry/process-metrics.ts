// Metrics of the process itself, read when somebody scrapes: nothing in here runs while nobody does.
import { readdir } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { Counter, Gauge, type Registry } from 'prom-client';

interface Reading {
  readonly name: string;
  readonly help: string;
  /** Undefined leaves the metric out. */
  readonly read: () => number | undefined | Promise<number | undefined>;
}

const READINGS: readonly Reading[] = [
  { name: 'process_start_time_seconds', help: 'When the process began, Unix time.', read: () => Math.round(performance.timeOrigin) / 1000 },
  { name: 'process_resident_memory_bytes', help: 'Resident memory.', read: residentBytes },
  { name: 'process_open_fds', help: 'Open file descriptors, where the system reports them.', read: openFiles },
  { name: 'nodejs_heap_size_used_bytes', help: 'JavaScript heap in use.', read: () => getHeapStatistics().used_heap_size },
  { name: 'nodejs_eventloop_lag_seconds', help: 'Delay of the event loop at this scrape.', read: eventLoopLagSeconds },
];

/** Standard Prometheus names for a process, and how busy its event loop is. Once per registry. */
export function addProcessMetrics(registry: Registry, version: string): void {
  const registers = [registry];
  new Gauge({ name: 'svc_build_info', help: 'Always 1; the labels say what runs.', labelNames: ['version', 'node'], registers }).set(
    { version, node: process.version },
    1,
  );
  for (const reading of READINGS) addGauge(registry, reading);
  addCpu(registry);
  addUtilization(registry);
}

function addGauge(registry: Registry, { name, help, read }: Reading): void {
  const metric = new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await read();
      if (value !== undefined) metric.set(value);
    },
  });
}

function residentBytes(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    // The value is read from a file, which fails when no file descriptor is free.
    return undefined;
  }
}

async function openFiles(): Promise<number | undefined> {
  // Only Linux has it; elsewhere the metric stays out.
  const files = await readdir('/proc/self/fd').catch(() => undefined);
  return files?.length;
}

function eventLoopLagSeconds(): Promise<number> {
  const asked = performance.now();
  return new Promise((resolve) => setImmediate(() => resolve((performance.now() - asked) / 1000)));
}

function addCpu(registry: Registry): void {
  let counted = 0;
  const cpu = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time of the process, user and system.',
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage();
      const total = (user + system) / 1e6;
      cpu.inc(Math.max(0, total - counted));
      counted = total;
    },
  });
}

function addUtilization(registry: Registry): void {
  let active = 0;
  const busy = new Counter({
    name: 'nodejs_eventloop_active_seconds_total',
    help: 'Time the event loop was not waiting: its rate is its utilization, 1 is saturated.',
    registers: [registry],
    collect() {
      const total = performance.eventLoopUtilization().active / 1000;
      busy.inc(Math.max(0, total - active));
      active = total;
    },
  });
}
