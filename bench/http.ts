// REST figures: a real svcd against bare node:http and bare express on the same body, load from this process with 32 connections.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { startServerProcess } from '../server/testing/server-process.ts';
import { compared, type Row } from './row.ts';

const CONNECTIONS = 32;
const DURATION_S = 4;

const agent = (name: string) => ({
  apiVersion: 'svc.dev/v1',
  kind: 'Agent',
  metadata: { name, labels: { team: 'research', tier: 'gold' } },
  spec: { model_ref: 'mock', prompt: 'You are a careful researcher. '.repeat(20), tools: ['search', 'fetch'], limits: { max_steps: 8 } },
});

type Request = autocannon.Options;

async function perSecond(options: Request): Promise<number> {
  await autocannon({ connections: CONNECTIONS, duration: 1, ...options });
  const result = await autocannon({ connections: CONNECTIONS, duration: DURATION_S, ...options });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${options.url}: ${result.non2xx} answers other than 2xx, ${result.errors} errors`);
  return result.requests.average;
}

async function withReference<T>(kind: 'node' | 'express', body: unknown, measure: (url: string) => Promise<T>): Promise<T> {
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

let serial = 0;
/** Creates one new object per request. */
function createRequests(url: string): Request {
  return {
    url,
    requests: [
      {
        method: 'POST',
        path: new URL(url).pathname,
        headers: { 'content-type': 'application/json' },
        setupRequest: (request) => ({ ...request, body: JSON.stringify(agent(`agent-${String((serial += 1)).padStart(8, '0')}`)) }),
      },
    ],
  };
}

const references = [
  ['node', 'bare node:http'],
  ['express', 'bare express'],
] as const;

export async function benchHttp(): Promise<Row[]> {
  const server = await startServerProcess({ args: ['--embedded-worker=false', '--log-level', 'warn'] });
  try {
    const stored = await (
      await fetch(`${server.url}/v1/agents`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(agent('bench')),
      })
    ).json();
    const get = await perSecond({ url: `${server.url}/v1/agents/bench` });
    const create = await perSecond(createRequests(`${server.url}/v1/agents`));
    const list = await perSecond({ url: `${server.url}/v1/agents?limit=100` });
    const rows: Row[] = [];
    for (const [kind, referenceName] of references) {
      const bareGet = await withReference(kind, stored, (url) => perSecond({ url }));
      const barePost = await withReference(kind, stored, (url) => perSecond(createRequests(url)));
      rows.push(compared({ name: 'REST get', value: get, unit: 'req/s', reference: bareGet, referenceName }));
      rows.push(compared({ name: 'REST create (durable)', value: create, unit: 'req/s', reference: barePost, referenceName }));
    }
    const items = await (await fetch(`${server.url}/v1/agents?limit=100`)).json();
    const bareList = await withReference('node', items, (url) => perSecond({ url }));
    rows.push(compared({ name: 'REST list of 100', value: list, unit: 'req/s', reference: bareList, referenceName: 'bare node:http' }));
    return rows;
  } finally {
    await server.dispose();
  }
}
