// Load on one URL over 32 connections of this process, and the bare servers that a figure is compared with.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';

const CONNECTIONS = 32;
const DURATION_S = 4;

export type Request = autocannon.Options;

/** Answers per second. Throws when one has another status than `status`, by default any 2xx. */
export async function perSecond(options: Request, status?: number): Promise<number> {
  await autocannon({ connections: CONNECTIONS, duration: 1, ...options });
  const result = await autocannon({ connections: CONNECTIONS, duration: DURATION_S, ...options });
  const answers = result['1xx'] + result['2xx'] + result['3xx'] + result['4xx'] + result['5xx'];
  const expected = status === undefined ? result['2xx'] : (result.statusCodeStats?.[`${status}`]?.count ?? 0);
  if (answers !== expected || result.errors > 0)
    throw new Error(`${options.url}: ${answers - expected} answers other than ${status ?? '2xx'}, ${result.errors} errors`);
  return result.requests.average;
}

/** Measures a bare server whose GET answers `body`, and whose POST answers what it was sent. */
export async function withReference<T>(kind: 'node' | 'express', body: unknown, measure: (url: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-'));
  writeFileSync(join(dir, 'body.json'), JSON.stringify(body));
  const child = spawn(process.execPath, [join(import.meta.dirname, 'reference-server.mjs'), kind, join(dir, 'body.json')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
  });
  try {
    const url = await new Promise<string>((resolve) => child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim())));
    return await measure(`${url}/resource`);
  } finally {
    child.kill();
    rmSync(dir, { recursive: true, force: true });
  }
}
