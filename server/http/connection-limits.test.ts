// Dropped connections and their line of the log.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { keptLog } from '../testing/background.ts';
import { limitConnections } from './connection-limits.ts';

it.each([
  ['of the process', { maxConnections: 1, maxConnectionsPerIp: undefined }, '--max-connections'],
  ['of one address', { maxConnections: 100, maxConnectionsPerIp: 1 }, '--max-connections-per-ip'],
])('reports connections above the maximum %s once a minute', async (_title, limits, flag) => {
  const { log, lines } = keptLog();
  const server = createServer();
  limitConnections(server, { ...limits, proxies: [] }, log);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const dial = () => connect({ port, host: '127.0.0.1' }).on('error', () => undefined);
  const held = dial();
  onTestFinished(() => void (held.destroy(), server.close()));
  await once(held, 'connect');
  for (let dropped = 0; dropped < 3; dropped += 1) await once(dial().resume(), 'close');
  expect(lines).toEqual([
    { level: 'warn', message: expect.stringContaining(`(${flag})`), fields: { max: 1, dropped: 1, address: '127.0.0.1' } },
  ]);
});
