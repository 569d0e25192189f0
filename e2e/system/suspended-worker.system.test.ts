// A suspended worker over both databases: its runs continue, it claims none, a restart keeps it suspended, and it is resumed.
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startPostgres, withoutPostgres, type PostgresServer } from '../../server/testing/postgres-server.ts';
import { startServerProcess, startWorkerProcess } from '../../server/testing/server-process.ts';

const ADMIN = 'the-admin-token';
const KEEPS_RUNNING_MS = 4_000;
const WAIT = { timeout: 20_000 };
/** Longer than the test: what a worker does at once, it does without a heartbeat. */
const SLOW = ['--task-lease-duration', '300s', '--task-heartbeat-interval', '100s'];

interface World {
  readonly url: () => string;
  readonly restartWorker: () => Promise<void>;
}

/** The worker in the server, whose name has the process id. */
async function embedded(): Promise<World> {
  const options = { args: SLOW, env: { SVC_API_TOKEN: ADMIN } };
  let server = await startServerProcess(options);
  onTestFinished(() => server.dispose());
  return {
    url: () => server.url,
    async restartWorker() {
      await server.end();
      server = await startServerProcess({ ...options, dataDir: server.dataDir });
    },
  };
}

let postgres: PostgresServer | undefined;
afterAll(() => postgres?.remove());

async function shared(): Promise<World> {
  postgres ??= await startPostgres();
  const databaseUrl = await postgres.createDatabase();
  const server = await startServerProcess({ databaseUrl, args: SLOW, env: { SVC_API_TOKEN: ADMIN } });
  const startWorker = () => startWorkerProcess({ databaseUrl, args: [...SLOW, '--worker-id', 'rack-7'] });
  let worker = await startWorker();
  onTestFinished(async () => void (await Promise.all([worker.end('SIGKILL'), server.dispose()])));
  return {
    url: () => server.url,
    async restartWorker() {
      await worker.end();
      worker = await startWorker();
    },
  };
}

function apiOf({ url }: World) {
  const send = async (method: string, path: string, body?: unknown): Promise<any> => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { authorization: `Bearer ${ADMIN}`, ...(body !== undefined && { 'content-type': type }) };
    const response = await fetch(`${url()}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    expect(response.ok, `${method} ${path} ${response.status}`).toBe(true);
    return response.json();
  };
  const put = (plural: string, name: string, spec: unknown) => send('POST', `/v1/${plural}`, { metadata: { name }, spec });
  const task = async (name: string) => (await send('GET', `/v1/tasks/${name}`)).status;
  /** The worker that reports; that of a former process is gone or NotReady. */
  const worker = async () => (await send('GET', '/v1/workers')).find((each: any) => each.status.phase !== 'NotReady');
  const suspend = async (value: boolean) => send('PATCH', `/v1/workers/${(await worker()).metadata.name}`, { spec: { suspend: value } });
  return { send, put, task, worker, suspend };
}

async function drainsAndReturns(world: World): Promise<void> {
  const { send, put, task, worker, suspend } = apiOf(world);
  await put('model-endpoints', 'echo', { provider: 'mock', options: { delay: `${KEEPS_RUNNING_MS}ms`, script: 'done' } });
  await put('agents', 'clerk', { model_ref: 'echo', prompt: 'Answer.' });
  await put('agent-systems', 'office', { agents: ['clerk'] });
  await put('tasks', 'running', { system: 'office' });
  await expect.poll(async () => (await task('running')).phase, WAIT).toBe('Running');
  await suspend(true);
  await expect.poll(async () => (await worker()).status, WAIT).toMatchObject({ phase: 'Draining', currentTasks: 1 });
  await put('tasks', 'waiting', { system: 'office' });
  await expect.poll(async () => (await task('running')).phase, WAIT).toBe('Succeeded');
  expect(await task('running')).toMatchObject({ attempts: 1 });
  await world.restartWorker();
  await expect.poll(async () => (await worker())?.status, WAIT).toMatchObject({ phase: 'Draining', currentTasks: 0 });
  const { reasons } = await send('GET', '/v1/tasks/waiting/explain');
  expect(reasons.map(({ code }: any) => code)).toEqual(['waiting_for_worker', 'no_worker_ready', 'worker_suspended']);
  expect((await task('waiting')).phase).toBe('Pending');
  await suspend(false);
  await expect.poll(async () => (await worker()).status.phase, WAIT).toBe('Ready');
  await expect.poll(async () => (await task('waiting')).phase, WAIT).toBe('Succeeded');
}

test('the worker of an embedded database drains, stays suspended over a restart, and returns', async () => {
  await drainsAndReturns(await embedded());
});

test.skipIf(withoutPostgres('suspended workers'))(
  'a worker on PostgreSQL drains, stays suspended over a restart, and returns',
  async () => {
    await drainsAndReturns(await shared());
  },
);
