// A NATS server of a test's own on a free loopback port, gone with it. Needs the nats-server program.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { freePort } from './free-port.ts';

const START_TIMEOUT_MS = 20_000;

export interface NatsServer {
  readonly port: number;
  stop(): Promise<void>;
}

function natsBinary(): string | undefined {
  const folders = ['/usr/sbin', '/usr/local/bin', ...(process.env['PATH'] ?? '').split(delimiter)];
  return folders.map((folder) => join(folder, 'nats-server')).find((path) => existsSync(path));
}

/** For `describe.skipIf`: says aloud what is skipped and why; with CI set nothing is skipped, so a missing server fails. */
export function withoutNats(suite: string): boolean {
  if (natsBinary() !== undefined || process.env['CI']) return false;
  process.stderr.write(`SKIPPED ${suite}: no NATS server program on this machine (apt-get install nats-server)\n`);
  return true;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('data', () => socket.destroy());
  });
}

/** `args` are the program's own: `--auth`, `--user`, `--tls`. */
export async function startNats(...args: string[]): Promise<NatsServer> {
  const program = natsBinary();
  if (program === undefined) throw new Error('no nats-server program was found; install nats-server');
  const port = await freePort();
  const server: ChildProcess = spawn(program, ['-a', '127.0.0.1', '-p', String(port), ...args], { stdio: 'ignore' });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await listens(port))) {
    if (server.exitCode !== null || Date.now() > deadline) throw new Error('the NATS server of this test did not start');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    port,
    async stop() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
    },
  };
}
