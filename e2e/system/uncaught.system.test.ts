// An uncaught error must not leave a process half alive, nor lose its runs.
import { expect, test } from 'vitest';
import { startServerProcess } from '../../server/testing/server-process.ts';

/** Code that runs before svcd and throws, in the way of the test, when the process gets SIGUSR2. */
const fault = (statement: string) => `--import data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2', () => { ${statement} })`)}`;

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
