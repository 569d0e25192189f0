// A svcd of its own process, as users run it, for benchmarks and process-level tests.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const svcd = join(import.meta.dirname, '..', 'dist', 'bin', 'svcd.js');

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  readonly dataDir: string;
  /** Milliseconds from spawn to the first 200 of /readyz. */
  readonly readyMs: number;
  /** Ends the process by its pid with `signal` and waits for it; the data directory stays. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
  /** end() and the data directory removed. */
  dispose(): Promise<void>;
}

export interface ServerOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly dataDir?: string;
}

async function listeningUrl(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout! });
  let errors = '';
  child.stderr!.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  for await (const line of lines) {
    const record = JSON.parse(line) as { url?: string };
    if (record.url !== undefined) {
      child.stdout!.resume();
      return record.url;
    }
  }
  throw new Error(`svcd ended before it listened: ${errors}`);
}

async function untilReady(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined);
    if (response?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Starts svcd on a free loopback port and an own data directory, and waits until it is ready. */
export async function startServerProcess(options: ServerOptions = {}): Promise<ServerProcess> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'svcd-'));
  const began = performance.now();
  const child = spawn(process.execPath, [svcd, '--addr', '127.0.0.1:0', '--data-dir', dataDir, ...(options.args ?? [])], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...options.env },
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const url = await listeningUrl(child);
  await untilReady(url);
  const readyMs = performance.now() - began;
  const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return (await exited)[0];
  };
  const dispose = async () => {
    await end();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { url, pid: child.pid!, dataDir, readyMs, end, dispose };
}
