// Programs of McpServers in containers, with a real container engine.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { storeEngines } from '../testing/background.ts';
import { cuttable, finderAt, startDocker, TEST_IMAGE, withoutDocker, type DockerEngine } from '../testing/docker-engine.ts';
import { openMcpWorld, type McpWorld } from '../testing/mcp/world.ts';
import { shellServer } from '../testing/mcp/shell-server.ts';
import { callFailure, toolCeilings } from '../testing/tool-deps.ts';
import type { ToolCeilings } from '../tools/ceilings.ts';
import { createDockerEngine } from '../tools/isolation/docker/docker-engine.ts';

const OWNER = `mcp-${process.pid}`;
const IMAGE = 'svc-test-mcp:1';
const cleanups: (() => Promise<unknown>)[] = [];
const problems: unknown[] = [];

const sandboxed = { transport: 'stdio', image: TEST_IMAGE, ...shellServer() };

describe.skipIf(withoutDocker('MCP servers in containers'))('the program of an McpServer with an image', () => {
  let docker: DockerEngine;
  beforeAll(async () => {
    docker = await startDocker();
    await docker.addImage(IMAGE, ['ENV PATH=/bin', 'ENV IMAGE_SAYS=hello', 'ENTRYPOINT ["/bin/sh"]']);
  }, 60_000);
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    await expect.poll(() => docker.ours(OWNER)).toEqual([]);
    expect(problems.splice(0)).toEqual([]);
  });
  afterAll(() => docker.stop(), 60_000);

  async function setup(spec: object, options: { ceilings?: Partial<ToolCeilings>; host?: string } = {}): Promise<McpWorld> {
    const ceilings = toolCeilings(options.ceilings);
    const engine = createDockerEngine({
      clock: systemClock,
      finder: finderAt(options.host ?? docker.host),
      owner: OWNER,
      defaultNetwork: 'none',
      ceilings,
      reportError: (error) => problems.push(error),
    });
    const store = await storeEngines[0]?.open(systemClock);
    if (!store) throw new Error('no store engine');
    const world = await openMcpWorld(store, { ceilings, isolation: { programsIn: () => engine } });
    cleanups.push(
      () => engine.stop(),
      () => world.close(),
    );
    await world.apply({ kind: 'McpServer', name: 'box', spec: { reconnect: { max_attempts: 0 }, ...spec } });
    await world.settle();
    return world;
  }

  it('has no root, no capabilities, no network and no writable file when it is sandboxed', async () => {
    const world = await setup(sandboxed);
    expect(await world.status('box')).toMatchObject({ phase: 'Ready', discoveredTools: ['die', 'eat', 'variables', 'where'] });
    const { output, isolation } = await world.call('box--where');
    expect(output).toBe('uid=65532 caps=0000000000000000 root=read-only interfaces=lo ');
    expect(isolation).toMatchObject({
      mode: 'sandboxed',
      backend: 'docker',
      image: TEST_IMAGE,
      network: 'none',
      memory_bytes: 134_217_728,
    });
    const [id = ''] = await docker.ours(OWNER);
    expect((await docker.client.getContainer(id).inspect()).Config.Labels).toMatchObject({ 'svc.mcp_server': 'default/box' });
    await world.remove('McpServer', 'box');
    await expect.poll(() => docker.ours(OWNER)).toEqual([]);
  });

  it('has the declared variables and no others', async () => {
    const env = [
      { name: 'PATH', value: '/bin' },
      { name: 'TOKEN', secretRef: 'token' },
    ];
    const world = await setup({ ...sandboxed, env });
    expect((await world.call('box--variables')).output).toMatch(/^PATH=\/bin (PWD=\/ )?(SHLVL=1 )?TOKEN=\*\*\* $/);
  });

  it('is what the image starts, with the variables of the image, where spec.command is absent', async () => {
    const { args } = shellServer();
    const world = await setup({ transport: 'stdio', image: IMAGE, args, isolation_mode: 'container' });
    expect((await world.call('box--variables')).output).toContain('IMAGE_SAYS=hello');
    expect((await world.call('box--where')).isolation).toMatchObject({ mode: 'container', disk: 'tmpfs' });
  });

  it('leaves no container when it ends by itself, and the call fails with its exit code', async () => {
    const world = await setup(sandboxed);
    const error = await callFailure(world.call('box--die'));
    expect(error).toMatchObject({
      code: 'execution_failed',
      reason: 'connection_lost',
      message: 'McpServer "default/box" ended with exit code 3',
    });
    await expect.poll(() => docker.ours(OWNER)).toEqual([]);
  });

  it('is ended when it needs more memory than its limit, which the error names', async () => {
    const world = await setup(sandboxed);
    const { message } = await callFailure(world.call('box--eat'));
    expect(message).toBe('McpServer "default/box" ended by SIGKILL; its container may have 128 MiB of memory');
  });

  it('is removed by force when it ignores the end of its input and SIGTERM', async () => {
    const world = await setup({ ...sandboxed, ...shellServer({ deaf: true }) });
    expect(await world.status('box')).toMatchObject({ phase: 'Ready' });
    await world.remove('McpServer', 'box');
    await expect.poll(() => docker.ours(OWNER)).toEqual([]);
  }, 20_000);

  it('ends with the connection of the process that held it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-mcp-cut-'));
    cleanups.push(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
    const at = join(folder, 'docker.sock');
    const way = cuttable(docker.host, at);
    const world = await setup(sandboxed, { host: `unix://${at}` });
    expect(await world.status('box')).toMatchObject({ phase: 'Ready' });
    way.cut();
    await expect.poll(() => docker.ours(OWNER)).toEqual([]);
    await world.close();
    // The engine that was cut off can confirm no removal.
    problems.splice(0);
  }, 30_000);

  it('is refused with its exit code where the engine learns of the wait late', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-mcp-late-'));
    cleanups.push(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
    const at = join(folder, 'docker.sock');
    const way = cuttable(docker.host, at, { late: /^POST [^ ]*\/wait\?/ });
    cleanups.push(() => Promise.resolve(way.cut()));
    const world = await setup({ ...sandboxed, command: '/bin/absent' }, { host: `unix://${at}` });
    expect((await world.status('box')).lastError).toContain('has no "/bin/absent"');
  });

  it.each([
    [
      { ...sandboxed, image: 'registry.example/not/listed:1' },
      { images: { patterns: ['svc-test-*'], digestsRequired: false } },
      '--allowed-images',
    ],
    [{ ...sandboxed, isolation_mode: 'container', network: 'tools' }, {}, '--allowed-container-networks'],
    [{ ...sandboxed, isolation_mode: 'container', network: 'host' }, { networks: ['host'] }, 'spec.network must not be "host"'],
    [{ ...sandboxed, command: '/bin/absent' }, {}, 'has no "/bin/absent"'],
    [{ ...sandboxed, args: ['-c', 'echo "no such root" >&2; exit 2'] }, {}, 'ended with exit code 2; it wrote: no such root'],
    [
      { ...sandboxed, image: 'svc-test-absent:1', image_pull_secret: 'absent' },
      {},
      'spec.image_pull_secret: the Secret "absent" could not be resolved',
    ],
  ])('is refused in words that name the remedy: %#', async (...[spec, ceilings, words]) => {
    const world = await setup(spec, { ceilings });
    const { phase, lastError } = await world.status('box');
    expect(phase).toBe('Error');
    expect(lastError).toContain(words);
  });
});

it('refuses a program in a container where the process has no engine', async () => {
  const store = await storeEngines[0]?.open(systemClock);
  if (!store) throw new Error('no store engine');
  const world = await openMcpWorld(store);
  await world.apply({ kind: 'McpServer', name: 'box', spec: { ...sandboxed, reconnect: { max_attempts: 0 } } });
  await world.settle();
  expect(await world.status('box')).toMatchObject({ phase: 'Error', lastError: expect.stringContaining('--tool-isolation-backend') });
  await world.close();
});
