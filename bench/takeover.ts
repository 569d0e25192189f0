// Downtime of a Task whose worker is killed: from the kill to the next worker's call of the model.
import { json, startLoopbackServer, type Answer, type LoopbackServer } from '../server/testing/loopback-server.ts';
import { startWorkerProcess, type WorkerProcess } from '../server/testing/server-process.ts';
import { COMPLETION, loopbackModel } from './loopback-model.ts';
import { compared, percentile, type Row } from './row.ts';
import { post } from './task-load.ts';

const KILLS = 5;
const LEASE_MS = 2_000;
const WORKER_ARGS = ['--task-lease-duration', `${LEASE_MS}ms`, '--task-heartbeat-interval', '500ms', '--log-level', 'warn'];

/** Resolves with the moment of the next request. */
async function nextCall(model: LoopbackServer): Promise<number> {
  await model.nextRequest();
  return performance.now();
}

/** The first call of each Task hangs with its worker; the one after the takeover is answered. */
function answerEverySecond(): Answer {
  let calls = 0;
  return (response, request) => {
    calls += 1;
    if (calls % 2 === 0) json(COMPLETION)(response, request);
  };
}

async function oneTakeover(model: LoopbackServer, create: () => Promise<unknown>, workers: Workers): Promise<number> {
  const held = nextCall(model);
  await create();
  await held;
  const next = await startWorkerProcess({ databaseUrl: workers.databaseUrl, args: WORKER_ARGS });
  const takenOver = nextCall(model);
  const killed = performance.now();
  const exited = workers.current.end('SIGKILL');
  workers.current = next;
  const taken = (await takenOver) - killed;
  await exited;
  return taken;
}

interface Workers {
  readonly databaseUrl: string;
  current: WorkerProcess;
}

export async function takeoverRow(url: string, databaseUrl: string): Promise<Row> {
  const model = await startLoopbackServer(answerEverySecond());
  const workers: Workers = { databaseUrl, current: await startWorkerProcess({ databaseUrl, args: WORKER_ARGS }) };
  const taken: number[] = [];
  try {
    await post(`${url}/v1/apply`, [
      ...loopbackModel('dying', model.url),
      { kind: 'Agent', metadata: { name: 'dying' }, spec: { model_ref: 'dying' } },
      { kind: 'AgentSystem', metadata: { name: 'dying' }, spec: { agents: ['dying'] } },
    ]);
    for (let n = 0; n < KILLS; n += 1) {
      const task = { kind: 'Task', metadata: { name: `takeover-${n}` }, spec: { system: 'dying' } };
      taken.push(await oneTakeover(model, () => post(`${url}/v1/tasks`, task), workers));
    }
  } finally {
    await workers.current.end();
    await model.close();
  }
  return compared({
    name: 'takeover after kill -9 of a worker, worst',
    value: Math.max(...taken) / 1000,
    unit: 's',
    reference: LEASE_MS / 1000,
    referenceName: 'the lease',
    note: `of ${KILLS}, median ${(percentile(taken, 50) / 1000).toFixed(2)} s; target: lease + 1 s`,
  });
}
