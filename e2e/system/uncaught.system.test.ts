// Uncaught errors, early and repeated signals, and console output of libraries in a real svcd.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runSvcd, startServerProcess } from '../../server/testing/server-process.ts';

/** Options of Node for code that runs before svcd. */
const before = (code: string) => `--import data:text/javascript,${encodeURIComponent(code)}`;

/** Code that runs before svcd and throws, in the way of the test, when the process gets SIGUSR2. */
const fault = (statement: string) => before(`process.on('SIGUSR2', () => { ${statement} })`);

test.each([
  ['an exception', "throw new Error('boom')"],
  ['a rejection', "void Promise.reject(new Error('boom'))"],
])('an uncaught %s is logged, and the server stops in order with exit code 1', async (_kind, statement) => {
  const server = await startServerProcess({ env: { NODE_OPTIONS: fault(statement) } });
  process.kill(server.pid, 'SIGUSR2');
  await expect.poll(() => server.log.map(({ msg }) => msg)).toContain('uncaught error; stopping');
  expect(await server.end()).toBe(1);
  const again = await startServerProcess({ dataDir: server.dataDir });
  const { items } = (await (await fetch(`${again.url}/v1/events?kind=Worker&limit=1000`)).json()) as { items: { type: string }[] };
  expect(items.map(({ type }) => type)).toContain('worker.stopped');
  await again.dispose();
});

test('a signal right after the first line stops the server with exit code 0', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svcd-signal-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const signalAfterWrite = `
    const { stdout } = process;
    const write = stdout.write;
    stdout.write = (...line) => {
      stdout.write = write;
      stdout.write(...line);
      process.kill(process.pid, 'SIGTERM');
    };`;
  const ended = await runSvcd(['--addr', '127.0.0.1:0', '--data-dir', dataDir], { NODE_OPTIONS: before(signalAfterWrite) });
  expect(ended).toEqual({ code: 0, stderr: '' });
});

test('a signal during the start ends the process with exit code 0', async () => {
  const silent = createServer((socket) => void socket.resume()).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const signalAtConnect = `
    import { Socket } from 'node:net';
    const { connect } = Socket.prototype;
    Socket.prototype.connect = function (...to) {
      setTimeout(() => process.kill(process.pid, 'SIGTERM'));
      return connect.apply(this, to);
    };`;
  const { port } = silent.address() as AddressInfo;
  const flags = ['--addr', '127.0.0.1:0', '--database-url', `postgres://svc@127.0.0.1:${port}/svc`];
  expect(await runSvcd(flags, { NODE_OPTIONS: before(signalAtConnect) })).toEqual({ code: 0, stderr: '' });
});

test('two signals at once stop the server with exit code 0', async () => {
  const server = await startServerProcess();
  process.kill(server.pid, 'SIGTERM');
  process.kill(server.pid, 'SIGINT');
  expect(await server.end()).toBe(0);
  await server.dispose();
});

test('output of libraries on the console becomes records of the log', async () => {
  const server = await startServerProcess({ env: { NODE_OPTIONS: fault("console.log('reader closed', new Error('boom'))") } });
  process.kill(server.pid, 'SIGUSR2');
  const text = expect.stringContaining('reader closed Error: boom') as string;
  await expect.poll(() => server.log).toContainEqual(expect.objectContaining({ level: 30, text, msg: 'a library wrote to the console' }));
  await server.dispose();
});
