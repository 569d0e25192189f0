// Probes and scrapes while PostgreSQL is unavailable, of a server and of a worker process.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPostgres, withoutPostgres, type PostgresServer } from '../../server/testing/postgres-server.ts';
import { startServerProcess, startWorkerProcess, type ServerProcess, type WorkerProcess } from '../../server/testing/server-process.ts';

describe.skipIf(withoutPostgres('probes while PostgreSQL is away'))('while PostgreSQL is away', () => {
  let postgres: PostgresServer;
  let server: ServerProcess;
  let worker: WorkerProcess;
  let databaseUrl: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    databaseUrl = await postgres.createDatabase();
    server = await startServerProcess({ databaseUrl, args: ['--embedded-worker=false'] });
    worker = await startWorkerProcess({ databaseUrl, args: ['--addr', '127.0.0.1:0'] });
  });
  afterAll(async () => {
    await worker.end();
    await server.dispose();
    await postgres.remove();
  });

  const ready = async (url: string | undefined) => {
    const began = performance.now();
    const response = await fetch(`${url}/readyz`);
    const body = (await response.json()) as { readonly checks: readonly { readonly name: string; readonly ok: boolean }[] };
    return {
      status: response.status,
      failing: body.checks.filter(({ ok }) => !ok).map(({ name }) => name),
      ms: performance.now() - began,
      body,
    };
  };

  test('readiness reports a store outage within two seconds, metrics stay available, and both recover by themselves', async () => {
    for (const { url } of [server, worker]) expect(await ready(url)).toMatchObject({ status: 200, failing: [] });
    await postgres.stop('immediate');
    for (const { url } of [server, worker]) {
      await expect.poll(() => ready(url)).toMatchObject({ status: 503, failing: ['store'] });
      const answer = await ready(url);
      expect(answer.ms).toBeLessThan(4_000);
      expect(JSON.stringify(answer.body)).not.toContain(new URL(databaseUrl).password);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      await expect.poll(async () => (await fetch(`${url}/metrics`)).text(), { interval: 500 }).not.toContain('svc_queue_tasks{');
      expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^svc_store_errors_total\{code="unavailable"\} [1-9]/m);
    }
    await postgres.start();
    for (const { url } of [server, worker]) {
      await expect.poll(() => ready(url)).toMatchObject({ status: 200, failing: [] });
      await expect
        .poll(async () => (await fetch(`${url}/metrics`)).text(), { interval: 500 })
        .toContain('svc_queue_tasks{state="ready"} 0');
    }
    for (const { log } of [server, worker]) expect(JSON.stringify(log)).not.toContain(new URL(databaseUrl).password);
  });
});
