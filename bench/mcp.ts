// Calls of MCP tools through the pipeline beside bare calls by the official client to the same server, and the import of a long list.
import { bareHttpClient, bareStdioClient } from '../server/testing/mcp/bare-client.ts';
import { startLegacyHttp, startModernHttp } from '../server/testing/mcp/http-servers.ts';
import { openMcpWorld, program, type McpWorld } from '../server/testing/mcp/world.ts';
import { compared, percentile, type Row } from './row.ts';
import { withStore } from './with-store.ts';

const WARM_UP = 200;
const ROUNDS = 15;
/** Calls of each kind in a round: both take turns, so that noise falls on both. */
const CALLS = 100;
const TOOLS = 500;
const GROWTHS = 10;
const TARGET_HTTP_MS = 2;
const TARGET_STDIO_MS = 1;
/** The Secret of `openMcpWorld`. */
const TOKEN = 'top-secret';
const INPUT = { text: 'what causes the tides' };

export async function benchMcp(): Promise<Row[]> {
  return withStore(async (store) => {
    const world = await openMcpWorld(store);
    try {
      return [...(await httpRows(world)), await stdioRow(world), ...(await listRows(world))];
    } finally {
      await world.close();
    }
  });
}

async function httpRows(world: McpWorld): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [era, start] of [
    ['2025', startLegacyHttp],
    ['2026', startModernHttp],
  ] as const) {
    const server = await start(TOKEN);
    try {
      await world.apply({
        kind: 'McpServer',
        name: `web${era}`,
        spec: { transport: 'http', endpoint: server.url, auth: { secretRef: 'token' } },
      });
      await world.settle();
      const ours = () => world.call(`web${era}--echo`, INPUT);
      rows.push(
        await callRow(`MCP call over HTTP, ${era}`, { ours, client: await bareHttpClient(server.url, TOKEN), targetMs: TARGET_HTTP_MS }),
      );
    } finally {
      await server.close();
    }
  }
  return rows;
}

async function stdioRow(world: McpWorld): Promise<Row> {
  const spec = program('stdio-2025');
  await world.apply({ kind: 'McpServer', name: 'local', spec });
  await world.settle();
  const ours = () => world.call('local--echo', INPUT);
  return callRow('MCP call over stdio', {
    ours,
    client: await bareStdioClient(spec),
    targetMs: TARGET_STDIO_MS,
  });
}

interface CallBench {
  readonly ours: () => Promise<unknown>;
  readonly client: Awaited<ReturnType<typeof bareStdioClient>>;
  readonly targetMs: number;
}

async function callRow(name: string, { ours, client, targetMs }: CallBench): Promise<Row> {
  const bare = () => client.callTool({ name: 'echo', arguments: INPUT });
  const samples = { ours: [] as number[], bare: [] as number[] };
  try {
    for (let n = 0; n < WARM_UP; n += 1) await Promise.all([ours(), bare()]);
    for (let round = 0; round < ROUNDS; round += 1) {
      await measure(bare, samples.bare);
      await measure(ours, samples.ours);
    }
  } finally {
    await client.close();
  }
  const [value, reference] = [percentile(samples.ours, 50), percentile(samples.bare, 50)];
  const note = `${(value - reference).toFixed(3)} ms over it; target ≤ ${targetMs} ms`;
  return compared({ name, value, unit: 'ms p50', reference, referenceName: 'official client', note });
}

async function measure(call: () => Promise<unknown>, samples: number[]): Promise<void> {
  for (let n = 0; n < CALLS; n += 1) samples.push(await timed(call));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** The import of a long list, from the start of the program on, and one that grew by a tool. */
async function listRows(world: McpWorld): Promise<Row[]> {
  const spec = program('many', String(TOOLS));
  const reference = await timed(async () => {
    const client = await bareStdioClient(spec);
    await client.listTools();
    await client.close();
  });
  await world.apply({ kind: 'McpServer', name: 'many', spec });
  const value = await timed(() => world.settle());
  const grown = await growth(world);
  return [
    compared({
      name: `import of ${TOOLS} MCP tools`,
      value,
      unit: 'ms',
      reference,
      referenceName: 'official client, list only',
      note: 'start of the program included; target ≤ 1,000 ms',
    }),
    {
      name: `Tools written after list_changed of one in ${TOOLS}`,
      value: grown.writes,
      unit: 'writes',
      note: `${grown.latencyMs.toFixed(0)} ms p50 from the call that adds it; target 1`,
    },
  ];
}

async function growth(world: McpWorld): Promise<{ readonly writes: number; readonly latencyMs: number }> {
  const { store } = world;
  const latencies: number[] = [];
  const { head } = await store.changeBounds();
  world.start();
  for (let n = 1; n <= GROWTHS; n += 1) {
    const added = new Promise<void>((resolve) => {
      const stop = store.onCommit(() => {
        void store.getObject({ kind: 'Tool', namespace: 'default', name: `many--grown${n}` }).then((tool) => {
          if (tool === undefined) return;
          stop();
          resolve();
        });
      });
    });
    latencies.push(
      await timed(async () => {
        await world.call('many--grow');
        await added;
      }),
    );
  }
  const changes = await store.readChanges({ after: head, limit: TOOLS * GROWTHS, kind: 'Tool' });
  return { writes: changes.length / GROWTHS, latencyMs: percentile(latencies, 50) };
}
