import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../clock.ts';
import { CallError } from '../../../engine/ports.ts';
import { cuttable, finderAt, startDocker, TEST_IMAGE, withoutDocker, type DockerEngine } from '../../../testing/docker-engine.ts';
import { toolCeilings } from '../../../testing/tool-deps.ts';
import { createDockerEngine } from './docker-engine.ts';

const OWNER = `lost-${process.pid}`;

describe.skipIf(withoutDocker('an engine that goes away'))('an engine that is lost while a command runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lost-'));
  let docker: DockerEngine;
  beforeAll(async () => void (docker = await startDocker()), 60_000);
  afterAll(async () => {
    for (const id of await docker.ours(OWNER)) await docker.client.getContainer(id).remove({ force: true });
    await docker.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  /** A call whose command runs, the way to its engine, and its failure. */
  async function runningCall(name: string, signal: AbortSignal) {
    const at = join(folder, `${name}.sock`);
    const way = cuttable(docker.host, at);
    const problems: unknown[] = [];
    const engine = createDockerEngine({
      clock: systemClock,
      finder: finderAt(`unix://${at}`),
      owner: `${OWNER}-${name}`,
      defaultNetwork: 'none',
      ceilings: toolCeilings(),
      reportError: (error) => problems.push(error),
    });
    const call = engine.run({
      mode: 'sandboxed',
      image: TEST_IMAGE,
      command: ['/bin/sleep', '60'],
      env: {},
      envBase: 'exact',
      outputMaxBytes: 1024,
      floodMaxBytes: 1024,
      what: 'Tool "t/x"',
      owner: { requestId: 'r1', taskId: 't/task', tool: 't/x' },
      deadline: Date.now() + 60_000,
      signal,
    });
    const failed = call.then(
      () => Promise.reject(new Error('it should have failed')),
      (error: unknown) => error as CallError,
    );
    const running = async () => (await docker.client.listContainers({ filters: { label: [`svc.owner=${OWNER}-${name}`] } })).length;
    await expect.poll(running).toBe(1);
    return { way, problems, failed };
  }

  test('ends the call long before its time limit, for good', async () => {
    const { way, problems, failed } = await runningCall('lost', new AbortController().signal);
    way.cut();
    expect(await failed).toMatchObject({
      code: 'execution_failed',
      reason: 'engine_lost',
      retryable: false,
      message: expect.stringContaining('The command may have run'),
      isolation: { backend: 'docker' },
    });
    expect(problems).toHaveLength(1);
  }, 30_000);

  test('leaves a call that is aborted the reason of the abort', async () => {
    const abort = new AbortController();
    const { way, failed } = await runningCall('aborted', abort.signal);
    way.cut();
    abort.abort(new CallError('timeout', 'the tool took longer than 60 s', { retryable: true }));
    expect(await failed).toMatchObject({ code: 'timeout', message: 'the tool took longer than 60 s' });
  }, 30_000);
});
