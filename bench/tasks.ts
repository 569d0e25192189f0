// Tasks end to end through the API of a real svcd: one agent on the mock model, every step durable.
import { startServerProcess } from '../server/testing/server-process.ts';
import { percentile, type Row } from './row.ts';

const SYSTEM = [
  { kind: 'ModelEndpoint', metadata: { name: 'mock' }, spec: { provider: 'mock' } },
  { kind: 'Agent', metadata: { name: 'solo' }, spec: { model_ref: 'mock', prompt: 'Answer.' } },
  { kind: 'AgentSystem', metadata: { name: 'one' }, spec: { agents: ['solo'], graph: { solo: {} } } },
];
const LATENCY_SAMPLES = 200;
const RUN_MS = 5_000;

async function post(url: string, body: unknown): Promise<any> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${await response.text()}`);
  return response.json();
}

const task = (name: string) => ({ kind: 'Task', metadata: { name }, spec: { system: 'one', input: { topic: 'tides' } } });
const settled = (phase: string) => !['Pending', 'Running'].includes(phase);

/** Milliseconds from the Task's createdAt to the first agent_start of its trace, both by the server's clock. */
async function startLatencies(url: string): Promise<number[]> {
  const samples: number[] = [];
  for (let i = 0; i < LATENCY_SAMPLES; i += 1) {
    const created = await post(`${url}/v1/tasks`, task(`latency-${i}`));
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

/** Tasks completed per second with `concurrency` open at once; completions are read from the watch stream. */
async function throughput(url: string, concurrency: number): Promise<number> {
  const waiting = new Map<string, () => void>();
  const abort = new AbortController();
  const stream = await fetch(`${url}/v1/tasks/watch`, { signal: abort.signal });
  void (async () => {
    let buffer = '';
    for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
      buffer += chunk;
      const frames = buffer.split('\n\n');
      buffer = frames.pop() ?? '';
      for (const frame of frames) {
        const data = /^data: (.*)$/m.exec(frame)?.[1];
        if (data === undefined || !frame.includes('event: resource')) continue;
        const { name, resource } = JSON.parse(data);
        if (settled(resource.status.phase)) waiting.get(name)?.();
      }
    }
  })().catch(() => undefined);
  let completed = 0;
  const until = performance.now() + RUN_MS;
  const loop = async (worker: number) => {
    for (let i = 0; performance.now() < until; i += 1) {
      const name = `t${concurrency}-${worker}-${i}`;
      const done = new Promise<void>((resolve) => waiting.set(name, resolve));
      await post(`${url}/v1/tasks`, task(name));
      await done;
      waiting.delete(name);
      completed += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, (_, worker) => loop(worker)));
  abort.abort();
  return completed / (RUN_MS / 1000);
}

export async function benchTasks(): Promise<Row[]> {
  const server = await startServerProcess({ args: ['--log-level', 'warn'] });
  try {
    await post(`${server.url}/v1/apply`, SYSTEM);
    await throughput(server.url, 4);
    const latencies = await startLatencies(server.url);
    const one = await throughput(server.url, 1);
    const sixteen = await throughput(server.url, 16);
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
