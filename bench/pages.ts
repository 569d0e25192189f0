// The cost of one list page over REST at 1 k and 100 k objects: it must not grow with the table.
import { startServerProcess } from '../server/testing/server-process.ts';
import { percentile, type Row } from './row.ts';

const SMALL = 1_000;
const LARGE = 100_000;
const SAMPLES = 300;
const APPLY_BATCH = 1_000;

async function seed(url: string, from: number, to: number): Promise<void> {
  for (let start = from; start < to; start += APPLY_BATCH) {
    const documents = Array.from({ length: Math.min(APPLY_BATCH, to - start) }, (_, i) => ({
      apiVersion: 'svc.dev/v1',
      kind: 'Agent',
      metadata: { name: `agent-${String(start + i).padStart(7, '0')}`, labels: { shard: String((start + i) % 10) } },
      spec: { model_ref: 'mock', prompt: 'You are a careful researcher.' },
    }));
    const response = await fetch(`${url}/v1/apply`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(documents),
    });
    if (response.status !== 200) throw new Error(`seeding failed: ${await response.text()}`);
  }
}

/** Median milliseconds of one page from the middle of the table. */
async function pageMs(url: string, total: number, query: string): Promise<number> {
  const samples: number[] = [];
  const after = `agent-${String(Math.floor(total / 2)).padStart(7, '0')}`;
  for (let i = 0; i < SAMPLES; i += 1) {
    const began = performance.now();
    const body = (await (await fetch(`${url}/v1/agents?limit=100&after=${after}${query}`)).json()) as { items: unknown[] };
    samples.push(performance.now() - began);
    if (body.items.length !== 100 && query === '') throw new Error(`a page of ${body.items.length}`);
  }
  return percentile(samples, 50);
}

export async function benchPages(): Promise<Row[]> {
  const server = await startServerProcess({ args: ['--embedded-worker=false', '--log-level', 'warn'] });
  try {
    const queries = { 'list page of 100': '', 'list page of 100 by label': '&labelSelector=shard%3D3' };
    const small: Record<string, number> = {};
    await seed(server.url, 0, SMALL);
    for (const [name, query] of Object.entries(queries)) small[name] = await pageMs(server.url, SMALL, query);
    await seed(server.url, SMALL, LARGE);
    const rows: Row[] = [];
    for (const [name, query] of Object.entries(queries)) {
      const large = await pageMs(server.url, LARGE, query);
      rows.push({
        name: `${name}, 100 k objects`,
        value: large,
        unit: 'ms',
        reference: small[name]!,
        referenceName: 'at 1 k objects',
        ratio: large / small[name]!,
      });
    }
    return rows;
  } finally {
    await server.dispose();
  }
}
