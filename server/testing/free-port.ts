// Ports for servers of tests that take a number, and cannot ask the system for a free one.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The system assigns none of these to a socket that asks for any: nobody takes one between its choice and the start, or the restart, of a server. */
const FIRST = 10_000;
const END = 32_768;

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => void once(probe.close(), 'close').then(() => resolve(true)));
  });
}

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    if (await isFree(port)) return port;
  }
}
