import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../clock.ts';
import type { CallError } from '../../../engine/ports.ts';
import { cuttable, finderAt, startDocker, TEST_IMAGE, withoutDocker, type DockerEngine } from '../../../testing/docker-engine.ts';
import { toolCeilings } from '../../../testing/tool-deps.ts';
import { createDockerEngine } from './docker-engine.ts';

const OWNER = `lost-${process.pid}`;

describe.skipIf(withoutDocker('an engine that goes away'))('an engine that is lost while a command runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lost-'));
  const at = join(folder, 'docker.sock');
  let docker: DockerEngine;
  let way: ReturnType<typeof cuttable>;
  beforeAll(async () => {
    docker = await startDocker();
    way = cuttable(docker.host, at);
  }, 60_000);
  afterAll(async () => {
    for (const id of await docker.ours(OWNER)) await docker.client.getContainer(id).remove({ force: true });
    await docker.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  test('ends the call long before its time limit, with the reason', async () => {
    const problems: unknown[] = [];
    const engine = createDockerEngine({
      clock: systemClock,
      finder: finderAt(`unix://${at}`),
      owner: OWNER,
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
      signal: new AbortController().signal,
    });
    const failed = call.then(
      () => Promise.reject(new Error('it should have failed')),
      (error: unknown) => error as CallError,
    );
    const running = async () => (await docker.client.listContainers({ filters: { label: [`svc.owner=${OWNER}`] } })).length;
    await expect.poll(running, { timeout: 10_000 }).toBe(1);
    way.cut();
    expect(await failed).toMatchObject({ code: 'isolation_unavailable', reason: 'engine_unreachable', retryable: true });
    expect(problems).toHaveLength(1);
  }, 20_000);
});
