// A svcd of its own process, server or worker, as users run it, for benchmarks and process-level tests.
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
  /** Everything it has written to standard output so far, line by line, parsed. */
  readonly log: Readonly<Record<string, unknown>>[];
  /** end() and the data directory removed. */
  dispose(): Promise<void>;
}

export interface ServerOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly dataDir?: string;
  /** Absent: an embedded database in `dataDir`. */
  readonly databaseUrl?: string;
}

export interface WorkerProcess {
  readonly workerId: string;
  readonly pid: number;
  /** Where it answers probes; undefined without `--addr`. */
  readonly url: string | undefined;
  /** Ends the process by its pid with `signal` and waits for it. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
  /** Everything it has written to standard output so far, line by line, parsed. */
  readonly log: Readonly<Record<string, unknown>>[];
}

export interface WorkerProcessOptions {
  readonly databaseUrl: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

interface SpawnedProcess {
  readonly child: ChildProcess;
  /** The first line of standard output. */
  readonly first: Readonly<Record<string, unknown>>;
  readonly log: Readonly<Record<string, unknown>>[];
  readonly end: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** Resolves with the process once it has printed its address; rejects with its standard error when it ends before. */
async function spawnSvcd(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<SpawnedProcess> {
  const child = spawn(process.execPath, [svcd, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...env },
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const log: SpawnedProcess['log'] = [];
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const lines = createInterface({ input: child.stdout });
  const first = new Promise<SpawnedProcess['first']>((resolve, reject) => {
    lines.on('line', (line) => {
      log.push(JSON.parse(line) as SpawnedProcess['first']);
      if (log[0]) resolve(log[0]);
    });
    child.once('close', () => reject(new Error(`svcd ended before it was ready: ${errors}`)));
  });
  const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return (await exited)[0];
  };
  return { child, first: await first, log, end };
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
  const database = options.databaseUrl === undefined ? ['--data-dir', dataDir] : ['--database-url', options.databaseUrl];
  const { child, first, log, end } = await spawnSvcd(['--addr', '127.0.0.1:0', ...database, ...(options.args ?? [])], options.env);
  const url = String(first['url']);
  await untilReady(url);
  const readyMs = performance.now() - began;
  const dispose = async () => {
    await end();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { url, pid: child.pid!, dataDir, readyMs, log, end, dispose };
}

/** Starts `svcd worker`, which may ask models on loopback as its database is there, and waits until it takes tasks. */
export async function startWorkerProcess({ databaseUrl, args = [], env }: WorkerProcessOptions): Promise<WorkerProcess> {
  const { child, first, log, end } = await spawnSvcd(['worker', '--database-url', databaseUrl, ...args], env);
  const url = first['url'] as string | undefined;
  return { workerId: String(first['workerId']), pid: child.pid!, url, log, end };
}

/** Runs svcd to its end: for what it says when it cannot start. */
export async function runSvcd(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [svcd, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], ...env },
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr };
}
