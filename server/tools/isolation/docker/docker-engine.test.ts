import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../clock.ts';
import { withDeadline } from '../../../egress/deadline.ts';
import { CallError, type CallProgress } from '../../../engine/ports.ts';
import { toolCeilings } from '../../../testing/tool-deps.ts';
import { finderAt, startDocker, TEST_IMAGE, withoutDocker, type DockerEngine } from '../../../testing/docker-engine.ts';
import { startImageRegistry, type ImageRegistry } from '../../../testing/image-registry.ts';
import type { ToolCeilings } from '../../ceilings.ts';
import type { IsolatedResult, IsolatedRun, IsolationEngine } from '../isolation.ts';
import { createDockerEngine } from './docker-engine.ts';
import { Images } from './images.ts';

const MIB = 1024 * 1024;
const OWNER = `test-${process.pid}`;
const problems: unknown[] = [];

function engineAt(host: string, ceilings: Partial<ToolCeilings> = {}): IsolationEngine {
  return createDockerEngine({
    clock: systemClock,
    finder: finderAt(host),
    owner: OWNER,
    defaultNetwork: 'none',
    ceilings: toolCeilings(ceilings),
    reportError: (error) => problems.push(error),
  });
}

type Wanted = Partial<IsolatedRun> & { readonly timeoutMs?: number };

/** A run as the pipeline requests it: under a deadline. */
function runOn(
  engine: IsolationEngine,
  { timeoutMs = 20_000, signal = new AbortController().signal, ...wanted }: Wanted,
): Promise<IsolatedResult> {
  return withDeadline({ clock: systemClock, timeoutMs, signal, what: 'call of Tool "t/x"' }, (limited) =>
    engine.run({
      mode: 'sandboxed',
      image: TEST_IMAGE,
      env: {},
      envBase: 'exact',
      outputMaxBytes: MIB,
      floodMaxBytes: 4 * MIB,
      what: 'Tool "t/x"',
      owner: { requestId: 'r1', taskId: 't/task', tool: 't/x' },
      ...wanted,
      deadline: Date.now() + timeoutMs,
      signal: limited,
    }),
  );
}

const failureOf = (promise: Promise<unknown>): Promise<CallError> =>
  promise.then(
    () => Promise.reject(new Error('it should have failed')),
    (error: unknown) => {
      if (error instanceof CallError) return error;
      throw error;
    },
  );

describe.skipIf(withoutDocker('isolation by Docker'))('isolation by Docker', () => {
  let docker: DockerEngine;
  let engine: IsolationEngine;
  beforeAll(async () => {
    docker = await startDocker();
    engine = engineAt(docker.host);
  }, 60_000);
  afterAll(async () => {
    await docker.stop();
  }, 60_000);
  afterEach(async () => {
    expect(problems.splice(0)).toEqual([]);
    expect(await docker.ours(OWNER)).toEqual([]);
  });
  const run = (wanted: Wanted) => runOn(engine, wanted);
  const sh = (script: string, wanted: Wanted = {}) => run({ command: ['/bin/sh', '-c', script], ...wanted });

  test('the engine answers its check', () => engine.check());

  test('both streams, the exit code and the input arrive as they are', async () => {
    const result = await sh('cat; echo to-stderr >&2; exit 7', { stdin: 'päyload\n' });
    expect(result).toMatchObject({ stdout: 'päyload\n', stderr: 'to-stderr\n', exitCode: 7, oomKilled: false });
    expect(result.truncated).toEqual({ stdout: false, stderr: false });
  });

  test('a large input reaches the command, and one that nobody reads is not a failure', async () => {
    const stdin = 'x'.repeat(3 * MIB);
    expect((await sh('wc -c', { stdin })).stdout.trim()).toBe(String(stdin.length));
    expect((await sh('exec 0<&-; echo done', { stdin })).stdout).toBe('done\n');
  });

  test('arguments arrive one by one, whatever is in them', async () => {
    const args = ['a b', '$(id)', '', '"; echo x', '-n', '*', 'é\n'];
    const { stdout } = await run({ command: ['/bin/sh', '-c', 'for a in "$@"; do printf "<%s>" "$a"; done', 'sh', ...args] });
    expect(stdout).toBe(args.map((arg) => `<${arg}>`).join(''));
  });

  describe('sandboxed: the facts are what the process sees from inside', () => {
    let seen: Record<string, string>;
    let result: IsolatedResult;
    beforeAll(async () => {
      const script = [
        'echo "uid=$(id -u):$(id -g)"',
        'grep -E "^(CapEff|CapBnd|NoNewPrivs)" /proc/self/status | tr -d "\\t" | tr : =',
        'echo "interfaces=$(ls /sys/class/net | tr "\\n" " ")"',
        'touch /x 2>/dev/null && echo "root=writable" || echo "root=read-only"',
        'touch /tmp/x 2>/dev/null && echo "tmp=writable" || echo "tmp=read-only"',
        'echo "memory=$(cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null)"',
        'echo "pids=$(cat /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max 2>/dev/null)"',
        'echo "cpu=$(cat /sys/fs/cgroup/cpu.max /sys/fs/cgroup/cpu/cpu.cfs_quota_us 2>/dev/null)"',
      ].join('\n');
      result = await sh(script, { env: { PATH: '/bin' } });
      seen = Object.fromEntries(
        result.stdout
          .trim()
          .split('\n')
          .map((line) => line.split('=', 2) as [string, string]),
      );
    });

    test('from outside', async () => {
      const { Id } = await docker.client.getImage(TEST_IMAGE).inspect();
      expect(result.facts).toEqual({
        mode: 'sandboxed',
        backend: 'docker',
        image: TEST_IMAGE,
        image_digest: Id,
        container_id: expect.stringMatching(/^[0-9a-f]{64}$/),
        user: '65532:65532',
        read_only: true,
        disk: 'read-only',
        capabilities: [],
        no_new_privileges: true,
        network: 'none',
        memory_bytes: 134_217_728,
        cpu_cores: 0.5,
        pids_limit: 64,
        exit_code: 0,
      });
    });

    test('from inside', () => {
      expect(seen).toMatchObject({
        uid: '65532:65532',
        CapEff: '0000000000000000',
        CapBnd: '0000000000000000',
        NoNewPrivs: '1',
        interfaces: 'lo ',
        root: 'read-only',
        tmp: 'read-only',
        memory: '134217728',
        pids: '64',
      });
      expect(seen['cpu']).toMatch(/^50000( 100000)?$/);
    });
  });

  test('sandboxed: a volume that the image declares is not writable either', async () => {
    await docker.addImage('svc-test-volume:1', ['ENV PATH=/bin', 'VOLUME /data']);
    const result = await sh('touch /data/x 2>/dev/null && echo writable || echo read-only', { image: 'svc-test-volume:1' });
    expect(result).toMatchObject({ stdout: 'read-only\n', facts: { read_only: true } });
  });

  test('container: a bounded disk, few capabilities, limits, no new privileges', async () => {
    const { stdout, facts } = await sh('touch /tmp/x && id -u && grep CapEff /proc/self/status', { mode: 'container' });
    expect(stdout).toBe('0\nCapEff:\t00000000000000cb\n');
    expect(facts).toMatchObject({
      mode: 'container',
      user: '0:0',
      read_only: true,
      disk: 'tmpfs',
      capabilities: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'],
      no_new_privileges: true,
      network: 'none',
      memory_bytes: 1024 * MIB,
      cpu_cores: 1,
      pids_limit: 256,
    });
  });

  test('the environment is what was declared and nothing else', async () => {
    const variables = async (wanted: Wanted) => (await run({ command: ['env'], ...wanted })).stdout.trim().split('\n').sort();
    expect(await variables({})).toEqual(['']);
    expect(await variables({ command: ['/bin/env'], env: { A: 'b c=d' } })).toEqual(['A=b c=d']);
    expect(await variables({ env: { HOME: '/h', PATH: '/bin' } })).toEqual(['HOME=/h', 'PATH=/bin']);
    expect(await variables({ env: { A: 'b' }, envBase: 'image' })).toEqual([
      'A=b',
      'HOME=/',
      expect.stringMatching(/^HOSTNAME=/),
      'IMAGE_SAYS=hello',
      'PATH=/bin',
    ]);
  });

  test('a command without a path is found through the PATH of the tool, or else of the image', async () => {
    expect((await run({ command: ['echo', 'found'] })).stdout).toBe('found\n');
    expect(await failureOf(run({ command: ['echo'], env: { PATH: '/elsewhere' } }))).toMatchObject({ reason: 'command_not_found' });
  });

  test.each([
    ['sandboxed with a network', { network: 'bridge' }, 'sandbox_network'],
    ['the network of the host', { mode: 'container', network: 'host' }, 'shared_network'],
    ['the network of another container', { mode: 'container', network: 'container:db' }, 'shared_network'],
    ['a network that is no name', { mode: 'container', network: '../x' }, 'network_invalid'],
    ['a network that the operator does not list', { mode: 'container', network: 'bridge' }, 'network_not_allowed'],
    ['the default network by its other name', { mode: 'container', network: 'default' }, 'network_not_allowed'],
    ['a listed network in another case', { mode: 'container', network: 'Listed' }, 'network_not_allowed'],
    ['a working directory that is no path', { workingDir: 'here' }, 'container_refused'],
    ['an image that is no name', { image: 'Not An Image' }, 'image_invalid'],
  ] as const)('refused for good: %s', async (_what, wanted, reason) => {
    expect(await failureOf(run({ command: ['/bin/true'], ...wanted }))).toMatchObject({
      code: 'runtime_policy_invalid',
      retryable: false,
      reason,
    });
  });

  test('a listed network is passed to the engine, which knows none of that name', async () => {
    const permitting = engineAt(docker.host, { networks: ['none', 'listed'] });
    const failure = await failureOf(runOn(permitting, { command: ['/bin/true'], mode: 'container', network: 'listed' }));
    expect(failure).toMatchObject({ code: 'runtime_policy_invalid', reason: 'network_not_found' });
  });

  test.each([
    ['/bin/nothing', 'command_not_found'],
    ['nothing', 'command_not_found'],
    ['/etc', 'command_not_executable'],
  ])('a command that cannot start is reported: %s', async (command, reason) => {
    const failure = await failureOf(run({ command: [command] }));
    expect(failure).toMatchObject({ code: 'execution_failed', retryable: false, reason, isolation: { mode: 'sandboxed' } });
    expect(failure.message).toContain(`"${command}"`);
  });

  test('a container that hangs is ended at its deadline, with its facts', async () => {
    const began = Date.now();
    const failure = await failureOf(sh('trap "" TERM INT; while :; do sleep 1; done', { timeoutMs: 1_500 }));
    expect(failure).toMatchObject({ code: 'timeout', retryable: true, isolation: { backend: 'docker', exit_code: 137 } });
    expect(Date.now() - began).toBeLessThan(8_000);
  });

  test('a call that is canceled takes its container with it, at any moment', async () => {
    for (const ms of [0, 20, 60, 150, 400, 900]) {
      const abort = new AbortController();
      const failure = failureOf(sh('sleep 30', { signal: abort.signal }));
      setTimeout(() => abort.abort(new CallError('canceled', 'the task was canceled', { retryable: false })), ms);
      expect(await failure).toMatchObject({ code: 'canceled' });
      await expect.poll(() => docker.ours(OWNER)).toEqual([]);
    }
  });

  test('output past the limit is read and dropped', async () => {
    const result = await sh('dd if=/dev/zero bs=1024 count=2000 2>/dev/null | tr "\\0" y; echo end >&2');
    expect(result).toMatchObject({ truncated: { stdout: true, stderr: false }, stderr: 'end\n', exitCode: 0 });
    expect(result.stdout).toBe('y'.repeat(MIB));
  });

  test('a flood is ended', async () => {
    const failure = await failureOf(sh('exec yes'));
    expect(failure).toMatchObject({ code: 'execution_failed', retryable: false, reason: 'output_flood', isolation: { exit_code: 137 } });
  });

  test('the limit of processes holds', async () => {
    const result = await sh('i=0; while [ $i -lt 100 ]; do sleep 20 & i=$((i + 1)); done');
    expect(result.exitCode).not.toBe(0);
    expect(result.stderr).toContain("can't fork");
  });

  test('a fork bomb is ended with its call', async () => {
    // The command's own process forks once and becomes a sleep: it must not itself fail for lack of processes.
    const failure = await failureOf(sh('bomb() { bomb | bomb & }; bomb & exec sleep 30', { timeoutMs: 3_000 }));
    expect(failure).toMatchObject({ code: 'timeout', isolation: { pids_limit: 64 } });
  });

  test('too much memory ends the command, and the facts report it', async () => {
    const result = await sh('x=xxxxxxxxxxxxxxxx; while :; do x=$x$x; done');
    expect(result).toMatchObject({ exitCode: 137, oomKilled: true, facts: { oom_killed: true, exit_code: 137 } });
  });

  test('an end by signal is an exit code past 128', async () => {
    expect(await sh('sh -c "kill -SEGV \\$\\$"; exit $?', { env: { PATH: '/bin' } })).toMatchObject({ exitCode: 139 });
  });

  test('binary output does not break the frames', async () => {
    const { stdout } = await sh('printf "a\\000\\377\\001\\000\\000\\000\\000\\000\\000\\005b"');
    expect(stdout).toBe('a\0�\u0001\0\0\0\0\0\0\u0005b');
  });

  test('20 calls at once leave no container', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, (_, n) => sh(`echo ${n}`, { timeoutMs: 25_000 })));
    expect(results.map(({ stdout }) => stdout)).toEqual(Array.from({ length: 20 }, (_, n) => `${n}\n`));
  });

  describe('orphaned containers', () => {
    const orphan = async (labels: Record<string, string>) => {
      const container = await docker.client.createContainer({
        Image: TEST_IMAGE,
        Cmd: ['sleep', '60'],
        Labels: labels,
        HostConfig: { NetworkMode: 'none' },
      });
      await container.start();
      return container.id;
    };

    test('orphaned and expired containers are removed; those of living processes and of others stay', async () => {
      const future = String(Date.now() + 3_600_000);
      const { identityOf } = await import('../process-identity.ts');
      const own = identityOf(process.pid) ?? '';
      const dead = own.replace(/\/\d+$/, '/1');
      const gone = await Promise.all([
        orphan({ 'svc.owner': `${OWNER}-a`, 'svc.deadline': future, 'svc.process': dead }),
        orphan({ 'svc.owner': `${OWNER}-b`, 'svc.deadline': String(Date.now() - 61_000), 'svc.process': own }),
      ]);
      const kept = await Promise.all([
        orphan({ 'svc.owner': `${OWNER}-c`, 'svc.deadline': future, 'svc.process': own }),
        orphan({ 'svc.owner': `${OWNER}-d`, 'svc.deadline': future, 'svc.process': 'another-boot/1/1/1' }),
        orphan({ 'svc.owner': `${OWNER}-e`, 'svc.deadline': future }),
      ]);
      const stranger = await orphan({ other: 'x' });
      const sweeping = engineAt(docker.host);
      sweeping.start();
      await expect.poll(() => docker.ours(OWNER).then((ids) => ids.sort())).toEqual([...kept].sort());
      await sweeping.stop();
      expect(await docker.ours(OWNER)).not.toContain(gone[0]);
      for (const id of [...kept, stranger]) await docker.client.getContainer(id).remove({ force: true });
    });
  });

  describe('images from a registry', () => {
    let registry: ImageRegistry;
    let listing: IsolationEngine;
    const listingEngine = (...hosts: string[]) =>
      engineAt(docker.host, { images: { patterns: hosts.map((host) => `${host}/*`), digestsRequired: false } });
    beforeAll(async () => {
      registry = await startImageRegistry(randomUUID());
      listing = listingEngine(registry.host, '127.0.0.1:1');
    });
    afterAll(() => registry.close());
    let images = 0;
    const fresh = () => `${registry.host}/team/tool-${(images += 1)}:1`;
    const prepare = (image: string, more: Partial<IsolatedRun> = {}, from = listing) =>
      from.prepare({ mode: 'container', image, signal: new AbortController().signal, what: 'Tool "t/x"', ...more });

    test('are pulled once for all calls that wait, and each receives the progress', async () => {
      const image = fresh();
      const before = registry.layerRequests();
      const heard: CallProgress[][] = [[], [], []];
      await Promise.all(heard.map((list) => prepare(image, { onProgress: (progress) => list.push(progress) })));
      expect(registry.layerRequests()).toBe(before + 1);
      for (const list of heard) {
        expect(list[0]).toMatchObject({ type: 'tool.image_pull', data: { image, state: 'started' } });
        expect(list.at(-1)).toMatchObject({ data: { image, state: 'pulled', layers_total: 1, layers_done: 1 } });
      }
      await prepare(image, { onProgress: () => expect.unreachable('it is there already') });
    });

    test('need a login where the registry asks for one', async () => {
      registry.login = 'robot:hunter2-secret';
      const image = fresh();
      const logins = { [registry.host]: { username: 'robot', password: 'hunter2-secret' } };
      const denied = await failureOf(prepare(image));
      expect(denied).toMatchObject({ code: 'isolation_unavailable' });
      expect(denied.message).toContain('give image_pull_secret if the registry is private');
      const wrong = await failureOf(
        prepare(image, { registryLogins: { [registry.host]: { username: 'robot', password: 'wrong-password' } } }),
      );
      expect(wrong.message).not.toContain('wrong-password');
      await prepare(image, { registryLogins: logins });
      registry.login = undefined;
    });

    test('missing in their registry are a permanent error', async () => {
      expect(await failureOf(prepare(`${registry.host}/team/tool:2`))).toMatchObject({
        code: 'isolation_unavailable',
        retryable: false,
        reason: 'image_not_found',
      });
      expect(await failureOf(prepare('f'.repeat(64)))).toMatchObject({ retryable: false, reason: 'image_not_found' });
    });

    test('from a registry that is down or sends invalid data are a retryable error', async () => {
      expect(await failureOf(prepare('127.0.0.1:1/x:1'))).toMatchObject({
        code: 'isolation_unavailable',
        retryable: true,
        reason: 'image_pull_failed',
      });
      const other = await startImageRegistry(randomUUID());
      other.layer = 'broken';
      expect(await failureOf(prepare(`${other.host}/x:1`, {}, listingEngine(other.host)))).toMatchObject({
        code: 'isolation_unavailable',
        retryable: true,
        reason: 'image_pull_failed',
      });
      await other.close();
    });

    test('an unlisted registry on loopback gets no request, under its address or a name', async () => {
      const requests: string[] = [];
      const server = createServer((request, response) => {
        requests.push(`${request.method} ${request.url}`);
        response.writeHead(400, { 'content-type': 'application/json' }).end('{"errors":[{"code":"UNKNOWN","message":"internal-detail"}]}');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const images = new Images(docker.client, {
        clock: systemClock,
        policy: { patterns: ['*'], digestsRequired: false },
        resolve: (_host, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
      });
      for (const host of [`127.0.0.1:${port}`, `registry.example:${port}`]) {
        const failure = await failureOf(
          images.ensure({ mode: 'container', image: `${host}/meta/data:v1`, signal: new AbortController().signal, what: 'Tool "t/x"' }),
        );
        expect(failure).toMatchObject({ code: 'runtime_policy_invalid', reason: 'image_not_allowed', retryable: false });
      }
      expect(requests).toEqual([]);
      const listed = await failureOf(prepare(`127.0.0.1:${port}/meta/data:v1`, {}, listingEngine(`127.0.0.1:${port}`)));
      expect(listed.message).toContain('internal-detail');
      const words = new Images(docker.client, {
        clock: systemClock,
        policy: { patterns: ['*'], digestsRequired: false },
        resolve: (_host, callback) => callback(new Error('no such name'), []),
      });
      const unlisted = await failureOf(
        words.ensure({
          mode: 'container',
          image: `127.0.0.1:${port}/meta/data:v1`,
          signal: new AbortController().signal,
          what: 'Tool "t/x"',
        }),
      );
      expect(unlisted.message).not.toContain('internal-detail');
      expect(unlisted.message).toContain('--allowed-images');
      server.close();
      server.closeAllConnections();
    });

    test('are aborted when the call is canceled', async () => {
      const other = await startImageRegistry(randomUUID());
      other.layer = 'held';
      const abort = new AbortController();
      const failure = failureOf(prepare(`${other.host}/x:1`, { signal: abort.signal }, listingEngine(other.host)));
      await expect.poll(() => other.layerRequests()).toBe(1);
      abort.abort(new CallError('canceled', 'canceled', { retryable: false }));
      expect(await failure).toMatchObject({ code: 'canceled' });
      await other.close();
    });
  });
});

describe('without an engine', () => {
  const engine = engineAt('unix:///nonexistent/docker.sock');

  test('check, prepare and run report that it does not answer, as retryable', async () => {
    const expected = { code: 'isolation_unavailable', retryable: true, reason: 'engine_unreachable' };
    expect(await failureOf(engine.check())).toMatchObject(expected);
    expect(await failureOf(runOn(engine, { command: ['x'] }))).toMatchObject(expected);
    expect((await failureOf(engine.check())).message).toContain('DOCKER_HOST');
  });

  test('the sweeper waits for better times', async () => {
    engine.start();
    await engine.stop();
    await engine.stop();
  });
});
