// Watch fan-out over REST: 200 SSE watchers of one kind while objects are written.
import { request } from 'undici';
import { startServerProcess } from '../server/testing/server-process.ts';
import { percentile, type Row } from './row.ts';

const WATCHERS = 200;
const WRITES = 300;
const WRITERS = 8;

/** Counts `event: resource` items and calls back when `expected` arrived. */
async function watcher(url: string, expected: number): Promise<{ done: Promise<number>; close: () => void }> {
  const { body } = await request(`${url}/v1/agents/watch`, { headersTimeout: 0, bodyTimeout: 0 });
  let seen = 0;
  const done = new Promise<number>((resolve) => {
    body.on('data', (chunk: Buffer) => {
      seen += chunk.toString().split('event: resource').length - 1;
      if (seen >= expected) resolve(performance.now());
    });
  });
  body.on('error', () => undefined);
  return { done, close: () => body.destroy() };
}

export async function benchWatch(): Promise<Row[]> {
  const server = await startServerProcess({ args: ['--embedded-worker=false', '--log-level', 'warn', '--max-watches-per-ip', '1000'] });
  try {
    const watchers = await Promise.all(Array.from({ length: WATCHERS }, () => watcher(server.url, WRITES)));
    const began = performance.now();
    let next = 0;
    const acknowledged: number[] = [];
    const write = async () => {
      for (let i = (next += 1); i <= WRITES; i = next += 1) {
        const sent = performance.now();
        const body = JSON.stringify({ kind: 'Agent', metadata: { name: `a${i}` }, spec: { model_ref: 'mock' } });
        await (await fetch(`${server.url}/v1/agents`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).text();
        acknowledged.push(performance.now() - sent);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
    const writesDone = performance.now();
    const ends = await Promise.all(watchers.map((w) => w.done));
    for (const w of watchers) w.close();
    const lastMs = Math.max(...ends);
    return [
      {
        name: 'watch fan-out, 200 watchers',
        value: (WRITES * WATCHERS) / ((lastMs - began) / 1000),
        unit: 'deliveries/s',
        note: `${WRITES} writes by ${WRITERS} writers`,
      },
      {
        name: 'watch lag after the last write',
        value: Math.max(0, lastMs - writesDone),
        unit: 'ms',
        note: `write p50 ${percentile(acknowledged, 50).toFixed(1)} ms`,
      },
    ];
  } finally {
    await server.dispose();
  }
}
