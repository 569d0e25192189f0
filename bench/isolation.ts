// Cost of isolation per call: a sandbox beside a bare container of the same engine, twenty of them at once, and a process without isolation.
import { systemClock } from '../server/clock.ts';
import { finderAt, startDocker, TEST_IMAGE, withoutDocker, type DockerEngine } from '../server/testing/docker-engine.ts';
import { toolCeilings } from '../server/testing/tool-deps.ts';
import { createDockerEngine } from '../server/tools/isolation/docker/docker-engine.ts';
import type { IsolatedRun, IsolationEngine } from '../server/tools/isolation/isolation.ts';
import { runProcess } from '../server/tools/isolation/process/run-process.ts';
import { compared, percentile, type Row } from './row.ts';

const CALLS = 30;
const AT_ONCE = 20;

const command = ['/bin/echo', 'ok'] as const;
const run = (): IsolatedRun => ({
  mode: 'sandboxed',
  image: TEST_IMAGE,
  command,
  env: {},
  envBase: 'exact',
  signal: new AbortController().signal,
  deadline: Date.now() + 60_000,
  outputMaxBytes: 1024,
  floodMaxBytes: 4096,
  what: 'the benchmark',
  owner: { requestId: 'bench', taskId: 'bench/bench', tool: 'bench/echo' },
});

async function timed(calls: number, call: () => Promise<unknown>): Promise<number[]> {
  const samples: number[] = [];
  for (let n = 0; n < calls; n += 1) {
    const began = performance.now();
    await call();
    samples.push(performance.now() - began);
  }
  return samples;
}

export async function benchIsolation(): Promise<Row[]> {
  const process = await processRow();
  if (withoutDocker('the benchmark of isolation')) return [process];
  const docker = await startDocker();
  const engine = createDockerEngine({
    clock: systemClock,
    finder: finderAt(docker.host),
    owner: 'bench',
    defaultNetwork: 'none',
    ceilings: toolCeilings(),
    reportError: (error) => console.error(error),
  });
  try {
    return [...(await sandboxRows(docker, engine)), process];
  } finally {
    await docker.stop();
  }
}

async function sandboxRows(docker: DockerEngine, engine: IsolationEngine): Promise<Row[]> {
  await engine.run(run());
  const bare = await timed(CALLS, () => bareContainer(docker));
  const sandboxed = await timed(CALLS, () => engine.run(run()));
  const began = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, () => engine.run(run())));
  const together = performance.now() - began;
  const left = (await docker.ours('bench')).length;
  const reference = { referenceName: 'bare container' };
  return [
    compared({
      name: 'sandboxed call, warm, p50',
      value: percentile(sandboxed, 50),
      unit: 'ms',
      reference: percentile(bare, 50),
      ...reference,
      note: 'target under 300 ms',
    }),
    compared({
      name: 'sandboxed call, warm, p95',
      value: percentile(sandboxed, 95),
      unit: 'ms',
      reference: percentile(bare, 95),
      ...reference,
    }),
    { name: `${AT_ONCE} sandboxed calls at once, per call`, value: together / AT_ONCE, unit: 'ms', note: `${left} containers left over` },
  ];
}

/** Time of the engine alone for one container, from its creation to its removal. */
async function bareContainer({ client }: DockerEngine): Promise<void> {
  const container = await client.createContainer({ Image: TEST_IMAGE, Cmd: [...command], HostConfig: { NetworkMode: 'none' } });
  await container.start();
  await container.wait();
  await container.remove();
}

async function processRow(): Promise<Row> {
  const { signal, outputMaxBytes, floodMaxBytes, what } = run();
  const samples = await timed(CALLS, () =>
    runProcess({ command, env: {}, signal, outputMaxBytes, floodMaxBytes, what }, { clock: systemClock, searchPath: '' }),
  );
  return { name: 'command without isolation, p50', value: percentile(samples, 50), unit: 'ms' };
}
