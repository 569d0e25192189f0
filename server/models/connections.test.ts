// Nothing is kept per endpoint or per Secret but connections, and those go when they are idle.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { json } from '../testing/loopback-server.ts';
import { ask, startModelServer } from '../testing/model-calls.ts';

const ANSWER = { choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }] };

const compatible = (base_url: string, more: object = {}) => ({
  provider: 'gateway-a-compatible',
  base_url,
  default_model: 'm1',
  allowPrivate: true,
  auth: { secretRef: 'key' },
  ...more,
});

/** Sockets of this process, both ends of the connections to itself among them. */
const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

test('later calls reuse connections, with any Secrets', async () => {
  const { server, port, values } = await startModelServer(json(ANSWER));
  const tokens = Array.from({ length: 50 }, (_, n) => `sk-token-${n}`);
  for (const token of tokens) {
    values.set('key', token);
    await ask(port, { spec: compatible(server.url) });
  }
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(tokens.map((token) => `Bearer ${token}`));
  expect(server.connections()).toBeLessThanOrEqual(2);
});

test('a changed base_url, default_model or option applies to the next call', async () => {
  const [old, next] = [await startModelServer(json(ANSWER)), await startModelServer(json(ANSWER))];
  await ask(old.port, { spec: compatible(old.server.url) });
  await ask(old.port, { spec: compatible(next.server.url, { default_model: 'm2', options: { temperature: '1' } }) });
  expect([old.server.seen.length, next.server.seen.length]).toEqual([1, 1]);
  expect(JSON.parse(next.server.seen[0]?.body ?? '')).toMatchObject({ model: 'm2', temperature: 1 });
});

/** A server on every loopback address, that lets idle connections go soon. */
async function everywhere(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json').end(JSON.stringify(ANSWER));
  });
  server.keepAliveTimeout = 100;
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections()));
  return server;
}

test('many endpoints leave no connections behind', async () => {
  const server = await everywhere();
  const { port } = server.address() as AddressInfo;
  const models = await startModelServer(json(ANSWER));
  const before = sockets();
  const origins = Array.from({ length: 400 }, (_, n) => `http://127.1.${n >> 8}.${n & 255}:${port}`);
  await Promise.all(origins.map((origin) => ask(models.port, { spec: compatible(origin) })));
  await expect.poll(sockets).toBeLessThanOrEqual(before);
});
