import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEgress } from '../egress/create-egress.ts';
import type { Egress } from '../egress/egress.ts';
import { CallError, type ToolPort } from '../engine/ports.ts';
import { collectGarbage } from '../testing/collect-garbage.ts';
import { toolCall, toolDeps } from '../testing/tool-deps.ts';
import { createToolPort } from './create-tool-port.ts';

const CALLS = 5_000;
const AT_ONCE = 40;
/** Growth that a leak of 530 bytes a call would exceed: one timer or listener each is more. */
const GROWTH_MAX_BYTES = 2.5 * 1024 * 1024;

let server: Server;
let url: string;
let egress: Egress;
let port: ToolPort;

/** Answers by path: a result, an error reply, a status, a redirect, a cut connection, or never. */
beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/ok') return void answer(200, { status: 'ok', output: { result: 'x'.repeat(1_000) } });
    if (request.url === '/error') return void answer(200, { status: 'error', error: { code: 'timeout', retryable: true } });
    if (request.url === '/busy') return void answer(503, { error: 'busy' });
    if (request.url === '/away') return void response.writeHead(307, { location: '/ok' }).end();
    if (request.url === '/cut') return void request.socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  egress = createEgress();
  const secrets = { resolveValue: () => Promise.resolve('tool-secret'), resolveEntries: () => Promise.resolve({}) };
  port = createToolPort({ ...toolDeps(), egress, secrets });
});
afterAll(async () => {
  await egress.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const PATHS = ['/ok', '/ok', '/ok', '/ok', '/ok', '/error', '/busy', '/away', '/cut', '/never'];

/** Signals are shared by many calls, as those of one run are; every hundredth is aborted while its calls are in flight. */
async function callOnce(n: number, signal: AbortSignal): Promise<void> {
  const path = PATHS[n % PATHS.length];
  const runtime = { timeout: path === '/never' ? '20ms' : '20s', retry: { max_attempts: 2, backoff: '1ms' } };
  const input_schema = { type: 'object', properties: { q: { type: 'string' } } };
  const type = n % 3 === 0 ? 'http' : 'external';
  const call = toolCall({ type, endpoint: `${url}${path}`, runtime, input_schema, auth: { secretRef: 't' } }, { requestId: `r${n}` });
  try {
    await port.invoke(call, { signal });
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
  }
}

async function callMany(count: number): Promise<void> {
  let next = 0;
  const lane = async () => {
    let run = new AbortController();
    while (next < count) {
      const n = next++;
      if (n % 20 === 0) run = new AbortController();
      const calling = callOnce(n, run.signal);
      if (n % 100 === 7) run.abort();
      if (run.signal.aborted) run = new AbortController();
      await calling;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

/** After sockets and timers of the last calls have gone. */
async function heapBytes(): Promise<number> {
  let last = Infinity;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    collectGarbage();
    const { heapUsed } = process.memoryUsage();
    if (heapUsed > last - 64 * 1024) return Math.min(heapUsed, last);
    last = heapUsed;
  }
}

const sockets = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length;

test('thousands of calls, whatever became of them, leave no memory, timer or socket behind', async () => {
  await callMany(1_500);
  const before = await heapBytes();
  await callMany(CALLS);
  const after = await heapBytes();
  expect(after - before).toBeLessThan(GROWTH_MAX_BYTES);
  expect(sockets()).toBeLessThanOrEqual(2 * AT_ONCE + 4);
  await egress.close();
  server.closeAllConnections();
  await expect.poll(sockets).toBeLessThanOrEqual(1);
}, 120_000);
