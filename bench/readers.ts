// Two hundred clients that ask for large answers and read nothing: what they cost in memory, and what others notice.
import { muteRequests, muteSockets, peakMemoryMb, resetPeakMemory, type MuteClients } from '../server/testing/mute-clients.ts';
import { startServerProcess } from '../server/testing/server-process.ts';
import { compared, percentile, type Row } from './row.ts';
import { post } from './task-load.ts';

const AGENTS = 40;
const PROMPT = 'x'.repeat(1_000_000);
const CLIENTS = { lists: 110, watches: 50, sockets: 40 };
const SAMPLES = 300;

const list = (id: number) => ({ id, method: 'query', params: { path: 'resources.list', input: { kind: 'Agent', limit: 1000 } } });

function openClients(url: string): Promise<MuteClients[]> {
  return Promise.all([
    muteRequests(url, '/v1/agents', { clients: CLIENTS.lists }),
    muteRequests(url, '/v1/agents/watch', { clients: CLIENTS.watches }),
    muteSockets(
      url,
      Array.from({ length: 20 }, (_, id) => list(id)),
      CLIENTS.sockets,
    ),
  ]);
}

/** Milliseconds of small reads, one after the other. */
async function readMs(url: string): Promise<number[]> {
  const samples: number[] = [];
  for (let n = 0; n < SAMPLES; n += 1) {
    const began = performance.now();
    const response = await fetch(`${url}/v1/agent-roles?limit=10`);
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`a reader was answered with ${response.status}`);
    samples.push(performance.now() - began);
  }
  return samples;
}

export async function benchReaders(): Promise<Row[]> {
  const server = await startServerProcess({ args: ['--embedded-worker=false', '--log-level', 'error'] });
  let clients: MuteClients[] = [];
  try {
    for (let n = 0; n < AGENTS; n += 1)
      await post(`${server.url}/v1/agents`, { kind: 'Agent', metadata: { name: `fat-${n}` }, spec: { model_ref: 'mock', prompt: PROMPT } });
    await post(`${server.url}/v1/agent-roles`, { kind: 'AgentRole', metadata: { name: 'small' }, spec: {} });
    await readMs(server.url);
    const idle = await readMs(server.url);
    resetPeakMemory(server.pid);
    const before = peakMemoryMb(server.pid);
    clients = await openClients(server.url);
    const beside = await readMs(server.url);
    const peak = peakMemoryMb(server.pid);
    const name = '200 clients that read nothing';
    return [
      {
        name: `${name}: memory grows by`,
        value: peak - before,
        unit: 'MB',
        note: `lists, watches and calls of 40 MB each; ${before.toFixed(0)} MB before`,
      },
      ...[50, 99].map((p) =>
        compared({
          name: `${name}: a small read of others, p${p}`,
          value: percentile(beside, p),
          unit: 'ms',
          reference: percentile(idle, p),
          referenceName: 'the same server without them',
        }),
      ),
    ];
  } finally {
    for (const each of clients) each.close();
    await server.dispose();
  }
}
