// An experiment on a server that is killed in the middle: the table is completed, and no run begins twice.
import type { ExperimentResultPage } from '@svc/shared/api/experiments';
import { expect, test, vi } from 'vitest';
import { startServerProcess, type ServerProcess } from '../../server/testing/server-process.ts';

const RUNS = 60;
const SCRIPT = JSON.stringify([{ text: 'Done.', delay: '150ms', repeat: true }]);

async function post({ url }: ServerProcess, plural: string, name: string, spec: object): Promise<void> {
  const body = JSON.stringify({ metadata: { name }, spec });
  const answer = await fetch(`${url}/v1/${plural}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  expect({ name, status: answer.status }).toEqual({ name, status: 201 });
}

async function read<Body>({ url }: ServerProcess, path: string): Promise<Body> {
  return (await (await fetch(`${url}${path}`)).json()) as Body;
}

interface Experiment {
  readonly status: Readonly<Record<string, unknown>>;
}

test('an experiment survives the kill of its server and runs each cell once', async () => {
  let server = await startServerProcess();
  try {
    await post(server, 'model-endpoints', 'echo', { provider: 'mock', options: { script: SCRIPT } });
    await post(server, 'agents', 'clerk', { model_ref: 'echo', prompt: 'Work.' });
    await post(server, 'agent-systems', 'office', { agents: ['clerk'] });
    const cases = Array.from({ length: RUNS / 2 }, (_, index) => ({ name: `c${index}`, input: { message: String(index) } }));
    await post(server, 'experiments', 'kept', { system: 'office', cases, repeats: 2, parallelism: 8 });
    const experiment = () => read<Experiment>(server, '/v1/experiments/kept');
    await vi.waitFor(async () => expect((await experiment()).status['succeeded']).toBeGreaterThan(8), { timeout: 60_000, interval: 50 });
    await server.end('SIGKILL');
    server = await startServerProcess({ dataDir: server.dataDir });
    await vi.waitFor(async () => expect((await experiment()).status['phase']).toBe('Completed'), { timeout: 120_000, interval: 200 });
    expect((await experiment()).status).toMatchObject({ total: RUNS, runs: RUNS, succeeded: RUNS, failed: 0, active: 0 });
    const { items } = await read<ExperimentResultPage>(server, '/v1/experiments/kept/results?limit=1000');
    expect(items.map(({ run, outcome }) => [run, outcome])).toEqual(Array.from({ length: RUNS }, (_, index) => [index + 1, 'Succeeded']));
    const tasks = await read<{ readonly items: readonly unknown[] }>(server, '/v1/tasks?limit=1000');
    expect(tasks.items).toHaveLength(RUNS);
  } finally {
    await server.dispose();
  }
}, 240_000);
