// Isolation as users see it: tools in containers of a real engine, a server that dies with one running, and a server that has no engine.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDocker, TEST_IMAGE, withoutDocker, type DockerEngine } from '../../server/testing/docker-engine.ts';
import { startImageRegistry, type ImageRegistry } from '../../server/testing/image-registry.ts';
import { startTestServer } from '../../server/testing/running-server.ts';
import { startRunWorld, SECRET, type RunWorld } from '../../server/testing/run-world.ts';

const OWNER = `isolation-${process.pid}`;
const TOOL_IMAGE = 'svc-test-tool:1';
const hang = () => undefined;

/** A system of one agent that calls `tool` once and then repeats the result. */
async function callOnce(world: RunWorld, tool: string, input: object): Promise<void> {
  await world.model(`m-${tool}`, [[tool, input, 'c1']], 'done');
  await world.system(`s-${tool}`, { [`a-${tool}`]: { model_ref: `m-${tool}`, tools: [tool] } });
}

const traced = (task: Awaited<ReturnType<RunWorld['run']>>, type: string) => task.status.trace.find((entry) => entry['type'] === type);
const capability = async (world: RunWorld, id: string) => {
  const { body } = await world.request('GET', '/v1/capabilities');
  return (body as any).capabilities.find((entry: { id: string }) => entry.id === id);
};

describe.skipIf(withoutDocker('tools in containers of a server'))('with an engine', () => {
  let docker: DockerEngine;
  let world: RunWorld;
  let registry: ImageRegistry;
  beforeAll(async () => {
    docker = await startDocker();
    await docker.addImage(TOOL_IMAGE, [
      'ENV PATH=/bin',
      'ENTRYPOINT ["sh","-c","cat >/tmp/in; echo \\"$TOOL_AUTH_BEARER for $TOOL_ENDPOINT\\""]',
    ]);
    registry = await startImageRegistry(randomUUID());
    const listed = ['--allowed-images', `*,${registry.host}/*,127.0.0.1:1/*`];
    const args = [...listed, '--tool-isolation-backend', 'docker', '--tool-container-image', TOOL_IMAGE, '--worker-id', OWNER];
    world = await startRunWorld(args, { DOCKER_HOST: docker.host });
  }, 120_000);
  afterAll(async () => {
    await world?.close();
    await registry?.close();
    await docker?.stop();
  }, 60_000);

  test('capabilities, readiness and the Worker report an engine that answers', async () => {
    expect(await capability(world, 'isolation-docker')).toMatchObject({ enabled: true });
    expect((await world.request('GET', '/readyz')).body).toMatchObject({
      checks: expect.arrayContaining([{ name: 'isolation', ok: true }]),
    });
    const { body } = await world.request('GET', '/v1/workers');
    const docker = {
      backend: 'docker',
      modes: ['container', 'sandboxed'],
      available: true,
      engine: expect.stringMatching(/^Docker [0-9.]+\S* at /),
    };
    expect(body).toMatchObject([{ status: { isolation: expect.arrayContaining([docker]) } }]);
  });

  test('a command runs sandboxed, and the trace reports under which constraints', async () => {
    const cli = { command: 'sh', args: ['-c', 'echo "$1 as $(id -u)"', 'sh', '{{ .word }}'], image: TEST_IMAGE };
    await world.put('Tool', 'say', { type: 'cli', cli, runtime: { isolation_mode: 'sandboxed' } });
    await callOnce(world, 'say', { word: 'hello there' });
    const task = await world.run('say-1', { system: 's-say' });
    expect(task.status).toMatchObject({ phase: 'Succeeded' });
    expect(traced(task, 'tool_call')).toMatchObject({
      output: 'hello there as 65532\n',
      isolation: {
        mode: 'sandboxed',
        backend: 'docker',
        user: '65532:65532',
        read_only: true,
        capabilities: [],
        network: 'none',
        memory_bytes: 134_217_728,
      },
    });
    expect(await docker.ours(OWNER)).toEqual([]);
  });

  test("an http tool of high risk runs in the operator's image, and its credential is in no record", async () => {
    await world.put('Tool', 'risky', {
      endpoint: 'https://x.example/',
      auth: { secretRef: 'key' },
      runtime: { isolation_mode: 'container' },
    });
    await callOnce(world, 'risky', { a: 1 });
    const task = await world.run('risky-1', { system: 's-risky' });
    expect(traced(task, 'tool_call')).toMatchObject({
      output: '*** for https://x.example/\n',
      isolation: { mode: 'container', image: TOOL_IMAGE, disk: 'tmpfs', read_only: true },
    });
    expect(JSON.stringify(task)).not.toContain(SECRET);
  });

  test('the model receives errors for a missing template field and a missing image', async () => {
    await world.put('Tool', 'wants', { type: 'cli', cli: { command: 'echo', args: ['{{ .needed }}'], image: TEST_IMAGE } });
    await callOnce(world, 'wants', { other: 1 });
    const first = await world.run('wants-1', { system: 's-wants' });
    expect(first.status.phase).toBe('Succeeded');
    expect(traced(first, 'tool_error')).toMatchObject({ error_code: 'invalid_input', error_reason: 'template_input' });
    await world.put('Tool', 'lost', { type: 'cli', cli: { command: 'echo', image: '127.0.0.1:1/no/such:1' } });
    await callOnce(world, 'lost', {});
    const second = await world.run('lost-1', { system: 's-lost' });
    expect(traced(second, 'tool_error')).toMatchObject({ error_code: 'isolation_unavailable', error_reason: 'image_pull_failed' });
  });

  test.each([
    ['a network', 'bridged', { image: TEST_IMAGE, network: 'bridge' }, 'network_not_allowed', '--allowed-container-networks'],
    ['an image', 'probing', { image: 'localhost:1/meta/data:v1' }, 'image_not_allowed', '--allowed-images'],
  ])('%s above the ceiling fails the call and names the option', async (_what, name, cli, reason, option) => {
    await world.put('Tool', name, { type: 'cli', cli: { command: 'ip', args: ['addr'], ...cli } });
    await callOnce(world, name, {});
    const task = await world.run(`${name}-1`, { system: `s-${name}` });
    expect(traced(task, 'tool_error')).toMatchObject({
      error_code: 'runtime_policy_invalid',
      error_reason: reason,
      message: expect.stringContaining(option),
    });
  });

  test('events report the pull of an image', async () => {
    const image = `${registry.host}/team/empty:1`;
    await world.put('Tool', 'fetched', { type: 'cli', cli: { command: 'nothing', image } });
    await callOnce(world, 'fetched', {});
    const task = await world.run('fetched-1', { system: 's-fetched' });
    expect(traced(task, 'tool_error')).toMatchObject({ error_reason: 'command_not_found', isolation: { image, backend: 'docker' } });
    const pulls = async () => ((await world.request('GET', '/v1/events?type=tool.image_pull')).body as any[]).map(({ data }) => data);
    await expect.poll(pulls).toContainEqual(expect.objectContaining({ image, state: 'pulled', layers_total: 1 }));
  });

  const sleeper = {
    type: 'cli',
    cli: { command: 'sleep', args: ['600'], image: TEST_IMAGE },
    runtime: { timeout: '20m', on_unknown_outcome: 'ask' },
  };

  test('cancelling a Task removes its container', async () => {
    await world.put('Tool', 'idle', sleeper);
    await callOnce(world, 'idle', {});
    await world.put('Task', 'idle-1', { system: 's-idle' });
    await expect.poll(() => docker.ours(OWNER)).toHaveLength(1);
    await world.request('POST', '/v1/tasks/idle-1/cancel');
    await world.ended('idle-1');
    await expect.poll(() => docker.ours(OWNER)).toEqual([]);
  });

  test('containers of a dead server are removed by another server', async () => {
    await world.put('Tool', 'held', sleeper);
    await callOnce(world, 'held', {});
    await world.put('Task', 'held-1', { system: 's-held' });
    await expect.poll(() => docker.ours(OWNER)).toHaveLength(1);
    await world.restart('SIGKILL');
    await expect.poll(() => docker.ours(OWNER)).toEqual([]);
  });
});

describe('without an engine', () => {
  const nowhere = { DOCKER_HOST: 'unix:///nonexistent/docker.sock' };
  const tool = { type: 'cli', cli: { command: 'echo', image: TEST_IMAGE } };
  let world: RunWorld;
  beforeAll(async () => {
    world = await startRunWorld([], nowhere);
    await world.put('Tool', 'say', tool);
  }, 60_000);
  afterAll(() => world?.close());

  test('a call fails closed, and the server stays ready', async () => {
    await callOnce(world, 'say', {});
    const task = await world.run('say-1', { system: 's-say' });
    expect(traced(task, 'tool_error')).toMatchObject({
      error_code: 'isolation_unavailable',
      error_reason: 'engine_unreachable',
      retryable: true,
    });
    expect(await capability(world, 'isolation-docker')).toMatchObject({
      enabled: false,
      description: expect.stringContaining('DOCKER_HOST'),
    });
    expect((await world.request('GET', '/readyz')).status).toBe(200);
  });

  test('explain names the tool that cannot run', async () => {
    await world.model('m-hang', hang);
    await world.system('hanging', { waiter: { model_ref: 'm-hang', tools: ['say'] } });
    await world.put('Task', 'hanging-1', { system: 'hanging' });
    await world.called('m-hang', 1);
    const { body } = await world.request('GET', '/v1/tasks/hanging-1/explain');
    expect((body as any).reasons).toContainEqual(
      expect.objectContaining({ code: 'isolation_unavailable', message: expect.stringContaining('Tool default/say, which is container') }),
    );
    await world.request('POST', '/v1/tasks/hanging-1/cancel');
  });
});

test('a server that requires an engine is not ready without one, and names the check', async () => {
  const server = await startTestServer(['--tool-isolation-backend', 'docker'], { DOCKER_HOST: 'unix:///nonexistent/docker.sock' });
  const answer = await fetch(`${server.url}/readyz`);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({
    checks: [
      { name: 'store', ok: true },
      { name: 'secrets', ok: true },
      { name: 'decisions', ok: true },
      { name: 'worker', ok: true },
      { name: 'isolation', ok: false, message: expect.stringContaining('does not answer') },
    ],
  });
  await server.stop();
});
