// Tasks end to end through the API of a real svcd: one agent on the mock model, every step durable.
import { startServerProcess } from '../server/testing/server-process.ts';
import { percentile, type Row } from './row.ts';
import { post, settled, SOLO_SYSTEM, soloTask, tasksPerSecond } from './task-load.ts';

const LATENCY_SAMPLES = 200;
const RUN_MS = 5_000;

/** Milliseconds from the Task's createdAt to the first agent_start of its trace, both by the server's clock. */
async function startLatencies(url: string): Promise<number[]> {
  const samples: number[] = [];
  for (let i = 0; i < LATENCY_SAMPLES; i += 1) {
    const created = await post(`${url}/v1/tasks`, soloTask(`latency-${i}`));
    for (;;) {
      const read = (await (await fetch(`${url}/v1/tasks/latency-${i}`)).json()) as any;
      if (!settled(read.status.phase)) continue;
      const start = read.status.trace.find((entry: any) => entry.type === 'agent_start');
      samples.push(Date.parse(start.timestamp) - Date.parse(created.metadata.createdAt));
      break;
    }
  }
  return samples;
}

export async function benchTasks(): Promise<Row[]> {
  const server = await startServerProcess({ args: ['--log-level', 'warn'] });
  const load = (concurrency: number) => tasksPerSecond(server.url, { concurrency, forMs: RUN_MS });
  try {
    await post(`${server.url}/v1/apply`, SOLO_SYSTEM);
    await load(4);
    const latencies = await startLatencies(server.url);
    const one = await load(1);
    const sixteen = await load(16);
    return [
      { name: 'task accepted → first agent step, p50', value: percentile(latencies, 50), unit: 'ms', note: 'target under 10' },
      { name: 'task accepted → first agent step, p99', value: percentile(latencies, 99), unit: 'ms', note: 'target under 50' },
      { name: 'tasks end to end, concurrency 1', value: one, unit: 'tasks/s' },
      { name: 'tasks end to end, concurrency 16', value: sixteen, unit: 'tasks/s', note: 'target at least 300' },
    ];
  } finally {
    await server.dispose();
  }
}
