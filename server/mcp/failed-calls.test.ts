// A server without a stream of changes that dies is noticed by the first call that fails.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { storeEngines } from '../testing/background.ts';
import { openMcpWorld } from '../testing/mcp/world.ts';
import { callFailure } from '../testing/tool-deps.ts';
import type { Broadcast } from '../store/store.ts';
import { CallError } from '../engine/ports.ts';
import { onFailedCall, reportFailedCall } from './failed-calls.ts';

/** One tool, JSON answers, no sessions, 405 for streams. */
async function startPlainServer() {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      if (id === undefined) return void response.writeHead(202).end();
      const results: Record<string, object> = {
        initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'plain', version: '1' } },
        'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
        'tools/call': { content: [{ type: 'text', text: 'heard' }] },
      };
      const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: 'no such method' } };
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(resolve);
    });
  onTestFinished(async () => void (await close()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, close };
}

describe.each(storeEngines)('a server without a stream of changes over $name', (engine) => {
  it.skipIf(engine.skip)('is noticed to be dead by the first call that fails', async () => {
    const world = await openMcpWorld(await engine.open(systemClock));
    onTestFinished(() => world.close());
    const http = await startPlainServer();
    const reconnect = { max_attempts: 1, backoff: '100ms' };
    await world.apply({ kind: 'McpServer', name: 'web', spec: { transport: 'http', endpoint: http.url, reconnect } });
    world.start();
    await vi.waitFor(async () => expect(await world.status('web')).toMatchObject({ phase: 'Ready' }), { timeout: 20_000 });
    expect((await world.call('web--echo')).output).toBe('heard');
    await http.close();
    const lastError = expect.stringContaining('refused the connection');
    await vi.waitFor(
      async () => {
        await callFailure(world.call('web--echo'));
        expect(await world.status('web')).toMatchObject({ phase: 'Error', lastError });
      },
      { timeout: 20_000, interval: 200 },
    );
  });
});

it.each([
  ['an error of the protocol', new CallError('execution_failed', 'x', { retryable: true, reason: 'rpc_-32000' }), false],
  ['a limit of calls', new CallError('rate_limited', 'x', { retryable: true, reason: 'http_429' }), false],
  ['a refused connection', new CallError('execution_failed', 'x', { retryable: true, reason: 'connection_refused' }), true],
  ['a gateway without its server', new CallError('execution_failed', 'x', { retryable: true, reason: 'http_502' }), true],
])('%s is reported or not', (_title, error, expected) => {
  const listeners: ((message: Broadcast) => void)[] = [];
  const store = {
    broadcast: (messages: readonly Broadcast[]) => messages.forEach((message) => listeners.forEach((listener) => listener(message))),
    onBroadcast: (listener: (message: Broadcast) => void) => (listeners.push(listener), () => undefined),
  };
  const seen: object[] = [];
  onFailedCall(store, (server) => seen.push(server));
  store.broadcast([{ audience: 'readers', text: '{"task":"x"}' }]);
  reportFailedCall(store, { namespace: 'default', name: 'web' }, error);
  expect(seen).toEqual(expected ? [{ namespace: 'default', name: 'web' }] : []);
});
