// Writers against the encryption key of real processes: a server with a worker in it, and svcd worker beside a server on PostgreSQL.
import { afterEach, describe, expect, test } from 'vitest';
import { json, startLoopbackServer, type LoopbackServer } from '../../server/testing/loopback-server.ts';
import { startPostgres, withoutPostgres } from '../../server/testing/postgres-server.ts';
import { runSvcd, startServerProcess, startWorkerProcess } from '../../server/testing/server-process.ts';

const KEY = 'ab'.repeat(32);
const ENV = { SVC_SECRET_ENCRYPTION_KEY: KEY, SVC_SECRET_own: 'own-value', PGPASSWORD: KEY };
const ARGS = ['--allow-private-tool-endpoints'];

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Objects of a writer, with a reference in each place that resolves one. */
const objects = (sink: LoopbackServer, ref: string): string => `
kind: ModelEndpoint
metadata: { name: model }
spec: { provider: gateway-a, base_url: "${sink.url}/model", default_model: m, allowPrivate: true, auth: { secretRef: ${ref} } }
---
kind: ModelEndpoint
metadata: { name: caller }
spec: { provider: mock, options: { script: '[{"tool":"http"},{"tool":"command"},{"text":"done"}]' } }
---
kind: Tool
metadata: { name: http }
spec: { type: http, runtime: { isolation_mode: none }, endpoint: "${sink.url}/tool", auth: { profile: bearer, secretRef: ${ref} } }
---
kind: Tool
metadata: { name: command }
spec:
  type: cli
  runtime: { isolation_mode: none }
  cli: { command: /usr/bin/env, env_from: [{ name: TAKEN, secretRef: ${ref} }] }
---
kind: Agent
metadata: { name: thinker }
spec: { model_ref: model }
---
kind: Agent
metadata: { name: caller }
spec: { model_ref: caller, tools: [http, command] }
---
kind: AgentSystem
metadata: { name: thinking }
spec: { agents: [thinker] }
---
kind: AgentSystem
metadata: { name: calling }
spec: { agents: [caller] }
---
kind: Task
metadata: { name: thinking }
spec: { system: thinking }
---
kind: Task
metadata: { name: calling }
spec: { system: calling }
`;

interface Outcome {
  readonly traces: string;
  readonly sent: string;
}

/** Applies the objects and waits for both Tasks: the records of the runs, and every request that went out. */
async function runAll(url: string, ref: string): Promise<Outcome> {
  const sink = await startLoopbackServer(json({}));
  cleanups.push(() => sink.close());
  const body = objects(sink, ref);
  const applied = await fetch(`${url}/v1/apply`, { method: 'POST', headers: { 'content-type': 'application/yaml' }, body });
  expect(applied.status, await applied.text()).toBe(200);
  const taskOf = async (name: string) => (await (await fetch(`${url}/v1/tasks/${name}`)).json()) as { status: { phase: string } };
  const ended = /Succeeded|Failed|DeadLetter/;
  for (const name of ['thinking', 'calling'])
    await expect.poll(async () => (await taskOf(name)).status.phase, { timeout: 60_000 }).toMatch(ended);
  const traces = JSON.stringify([await taskOf('thinking'), await taskOf('calling')]);
  return { traces, sent: JSON.stringify(sink.seen.map(({ path, headers }) => [path, headers])) };
}

const SPELLINGS = ['ENCRYPTION-KEY', 'ENCRYPTION_KEY', 'default/ENCRYPTION-KEY'];

describe('server with an embedded worker', () => {
  test.each(SPELLINGS)('resolves nothing for a writer who refers to %s', async (ref) => {
    const server = await startServerProcess({ args: ARGS, env: ENV });
    cleanups.push(server.dispose);
    const { traces, sent } = await runAll(server.url, ref);
    expect(traces).toContain('secret_resolution_failed');
    expect([sent, traces.includes(KEY)]).toEqual(['[]', false]);
  });

  test('passes no own environment variable to a command, and an operator Secret to each consumer', async () => {
    const server = await startServerProcess({ args: ARGS, env: ENV });
    cleanups.push(server.dispose);
    const { traces, sent } = await runAll(server.url, 'own');
    expect(sent.match(/own-value/g)?.length).toBeGreaterThanOrEqual(2);
    expect(traces).toContain('TAKEN=');
    expect(traces).not.toMatch(/SVC_|PGPASSWORD|NODE_ENV/);
  });

  test('does not start with a prefix that matches its own variables', async () => {
    for (const prefix of ['', 'SVC_', 'SVC_SECRET_E']) {
      const { code, stderr } = await runSvcd([`--secret-env-prefix=${prefix}`], ENV);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^error: option '--secret-env-prefix' must [^\n]+\n$/) });
    }
  });
});

test.skipIf(withoutPostgres('secret references'))(
  'svcd worker resolves nothing for a writer who refers to the encryption key',
  async () => {
    const postgres = await startPostgres();
    cleanups.push(() => postgres.remove());
    const databaseUrl = await postgres.createDatabase();
    const server = await startServerProcess({ databaseUrl, env: ENV });
    cleanups.push(server.dispose);
    const worker = await startWorkerProcess({ databaseUrl, args: ARGS, env: ENV });
    cleanups.push(() => worker.end());
    const { traces, sent } = await runAll(server.url, 'ENCRYPTION-KEY');
    expect(traces).toContain('secret_resolution_failed');
    expect([sent, traces.includes(KEY)]).toEqual(['[]', false]);
  },
);
