import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { systemClock, type Clock } from '../../../clock.ts';
import { withDeadline } from '../../../egress/deadline.ts';
import { CallError, type CallProgress } from '../../../engine/ports.ts';
import { startKubernetesApi, type KubernetesApi, type KubernetesApiOptions } from '../../../testing/kubernetes-api.ts';
import { IMAGES } from '../../../testing/kubernetes-node.ts';
import { hang, startLoopbackServer } from '../../../testing/loopback-server.ts';
import { createTestAuthority, withoutOpenssl, type TestAuthority } from '../../../testing/test-certificates.ts';
import { callFailure, toolCall, toolDeps } from '../../../testing/tool-deps.ts';
import { createToolPort } from '../../create-tool-port.ts';
import type { IsolatedResult, IsolatedRun, IsolationEngine } from '../isolation.ts';
import type { ClusterEnvironment, ClusterFlags } from './cluster.ts';
import { createKubernetesEngine } from './kubernetes-engine.ts';

const MIB = 1024 * 1024;
const nowhere = { host: undefined, port: undefined, serviceAccountDir: '/nowhere' };
const problems: unknown[] = [];

function engineAt(flags: Partial<ClusterFlags>, environment: ClusterEnvironment = nowhere, clock: Clock = systemClock): IsolationEngine {
  const cluster = { apiUrl: undefined, namespace: 'tools', tokenFile: undefined, caFile: undefined, jobTtlMs: 300_000, ...flags };
  const owner = 'worker of/this test';
  return createKubernetesEngine({
    clock,
    cluster,
    environment,
    owner,
    diskMaxBytes: 16 * MIB,
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
      mode: 'kubernetes',
      image: IMAGES.runs,
      env: {},
      envBase: 'exact',
      outputMaxBytes: MIB,
      floodMaxBytes: 4 * MIB,
      what: 'Tool "t/x"',
      owner: { requestId: 'run/1:é', taskId: 't/task', tool: 't/x' },
      ...wanted,
      deadline: Date.now() + timeoutMs,
      signal: limited,
    }),
  );
}

const left = (api: KubernetesApi) =>
  ['jobs', 'pods', 'secrets'].flatMap((resource) => api.store.list(resource).map(({ metadata }) => metadata.name));

describe('a Job for each call', () => {
  let api: KubernetesApi;
  let engine: IsolationEngine;
  const start = async (options: KubernetesApiOptions = {}) => {
    api = await startKubernetesApi(options);
    engine = engineAt({ apiUrl: api.url });
  };
  beforeAll(() => start());
  const initial = () => ({
    forbidden: [],
    refusal: undefined,
    troubles: 0,
    lostLogs: false,
    admit: () => undefined,
    lateAttach: false,
    attachFailures: 0,
    cutAttachAfter: Infinity,
    full: false,
  });
  afterEach(() => {
    Object.assign(api.behaviour, initial(), { protocols: ['v5.channel.k8s.io', 'v4.channel.k8s.io'] });
    expect(problems.splice(0)).toEqual([]);
    expect(left(api)).toEqual([]);
  });
  afterAll(async () => {
    await engine.stop();
    await api.close();
  });
  const run = (wanted: Wanted) => runOn(engine, wanted);
  const sh = (script: string, wanted: Wanted = {}) => run({ command: ['/bin/sh', '-c', script], ...wanted });
  /** The command runs, and the engine watches it. */
  const running = () => expect.poll(() => [api.store.list('pods')[0]?.['status']?.phase, api.watches]).toEqual(['Running', 1]);

  test('both streams, the exit code and the input arrive as they are', async () => {
    const result = await sh('cat; echo to-stderr >&2; exit 7', { stdin: 'päyload\n' });
    expect(result).toMatchObject({ stdout: 'päyload\n', stderr: 'to-stderr\n', exitCode: 7, oomKilled: false });
    expect(result.truncated).toEqual({ stdout: false, stderr: false });
    expect(result.facts).toMatchObject({ streams: 'separate', exit_code: 7 });
  });

  test('a large input reaches the command, and one that nobody reads is not a failure', async () => {
    const stdin = 'x'.repeat(3 * MIB);
    expect((await sh('wc -c', { stdin })).stdout.trim()).toBe(String(stdin.length));
    expect((await sh('exec 0<&-; echo done', { stdin })).stdout).toBe('done\n');
  });

  test('reads the log, with both streams in one, of a command that ends before the attach', async () => {
    api.behaviour.lateAttach = true;
    const result = await sh('echo one; sleep 0.05; echo two >&2; exit 3');
    expect(result).toMatchObject({ stdout: 'one\ntwo\n', stderr: '', exitCode: 3, facts: { streams: 'merged' } });
  });

  test('a server without the fifth protocol gets the input and ends it by closing; the log has the outputs', async () => {
    api.behaviour.protocols = ['v4.channel.k8s.io'];
    const result = await sh('cat; echo end', { stdin: 'in\n' });
    expect(result).toMatchObject({ stdout: 'in\nend\n', exitCode: 0 });
  });

  test('an attach that is not taken at once is retried', async () => {
    api.behaviour.attachFailures = 2;
    expect((await sh('cat', { stdin: 'again' })).stdout).toBe('again');
  });

  test('a connection that breaks while the input is sent ends the call', async () => {
    api.behaviour.cutAttachAfter = 3;
    const error = await callFailure(sh('cat > /dev/null; sleep 20', { stdin: 'x'.repeat(16 * MIB) }));
    expect(error).toMatchObject({ code: 'execution_failed', reason: 'input_lost', retryable: false });
  });

  test('arguments arrive one by one, and Kubernetes puts no variables into them', async () => {
    const args = ['a b', '$(TOKEN)', '$$', '$(id)', '', '"; echo x', 'é\n'];
    const { stdout } = await run({
      command: ['/bin/sh', '-c', 'cat; for a in "$@"; do printf "<%s>" "$a"; done', 'sh', ...args],
      env: { TOKEN: 's3cret' },
      stdin: '',
    });
    expect(stdout).toBe(args.map((arg) => `<${arg}>`).join(''));
  });

  test('values of variables are in a Secret of the Job only', async () => {
    const { stdout } = await sh('cat; printf "$TOKEN $OTHER"', { env: { TOKEN: 's3cret-value', OTHER: 'line\nbreak' }, stdin: '' });
    expect(stdout).toBe('s3cret-value line\nbreak');
    const secret = api.secrets.at(-1);
    expect(secret).toMatchObject({ type: 'Opaque', metadata: { ownerReferences: [{ kind: 'Job', apiVersion: 'batch/v1' }] } });
    expect(api.seen.join()).not.toContain('s3cret-value');
  });

  test('registry logins become a pull Secret that the pod names', async () => {
    const registryLogins = { 'docker.io': { username: 'u', password: 'p4ss' }, 'r.example:5000': { username: 'v', password: 'w' } };
    await sh('true', { registryLogins });
    const secret = api.secrets.at(-1);
    expect(secret).toMatchObject({ type: 'kubernetes.io/dockerconfigjson' });
    expect(JSON.parse(secret?.['stringData']['.dockerconfigjson'])).toEqual({
      auths: {
        'https://index.docker.io/v1/': { username: 'u', password: 'p4ss', auth: Buffer.from('u:p4ss').toString('base64') },
        'r.example:5000': { username: 'v', password: 'w', auth: Buffer.from('v:w').toString('base64') },
      },
    });
  });

  test('the facts are what the API has of the pod', async () => {
    const { facts } = await sh('true');
    expect(facts).toMatchObject({
      mode: 'kubernetes',
      backend: 'kubernetes',
      image: IMAGES.runs,
      image_digest: `sha256:${'a'.repeat(64)}`,
      container_id: expect.any(String),
      pod: expect.stringMatching(/^svc-/),
      node: 'node-1',
      user: '65532:65532',
      read_only: true,
      capabilities: [],
      no_new_privileges: true,
      network: 'cluster',
      memory_bytes: 128 * MIB,
      cpu_cores: 0.5,
      disk_bytes: 16 * MIB,
      exit_code: 0,
    });
  });

  test('tools are routed here by their isolation mode, with their facts', async () => {
    const kubernetes = { apiUrl: api.url, namespace: 'tools', tokenFile: undefined, caFile: undefined, jobTtlMs: 1_000 };
    const deps = toolDeps({ kubernetes, containerImage: IMAGES.runs });
    const port = createToolPort(deps);
    const runtime = { isolation_mode: 'kubernetes' };
    const cli = { command: '/bin/cat', args: ['-'], image: IMAGES.runs, stdin_from_input: true };
    const command = await port.invoke(toolCall({ type: 'cli', runtime, cli }), { signal: new AbortController().signal });
    expect(command).toMatchObject({ output: '{"q":"tides"}', isolation: { backend: 'kubernetes', user: '65532:65532', exit_code: 0 } });
    const script = 'cat >/dev/null; printf \'{"status":"ok","output":{"result":{"at":"%s"}}}\' "$TOOL_ENDPOINT"';
    const contained = { type: 'external', endpoint: 'https://tool.example', runtime, cli: { command: '/bin/sh', args: ['-c', script] } };
    const reply = await port.invoke(toolCall(contained), { signal: new AbortController().signal });
    expect(JSON.parse(reply.output)).toEqual({ at: 'https://tool.example' });
    await port.close();
    for (const each of deps.isolation.engines) await each.stop();
    await deps.egress.close();
  });

  test('twenty calls at a time', async () => {
    const numbers = Array.from({ length: 20 }, (_, index) => String(index));
    const results = await Promise.all(numbers.map((stdin) => sh('cat', { stdin })));
    expect(results.map(({ stdout }) => stdout)).toEqual(numbers);
  });

  describe('output', () => {
    test('past its limit is dropped and reported', async () => {
      const result = await sh('cat; head -c 50000 /dev/zero | tr "\\0" a', { stdin: '', outputMaxBytes: 1000 });
      expect(result).toMatchObject({ stdout: 'a'.repeat(1000), truncated: { stdout: true, stderr: false } });
    });

    test('without end ends the call, attached or not', async () => {
      const flood = { floodMaxBytes: MIB, outputMaxBytes: 1000 };
      const attached = await callFailure(sh('cat; yes', { ...flood, stdin: '' }));
      expect(attached).toMatchObject({ code: 'execution_failed', reason: 'output_flood', isolation: { backend: 'kubernetes' } });
      api.behaviour.lateAttach = true;
      const logged = await callFailure(sh('head -c 3000000 /dev/zero', flood));
      expect(logged).toMatchObject({ code: 'execution_failed', reason: 'output_flood' });
    });
  });

  describe('ends', () => {
    test('out of memory', async () => {
      expect(await run({ image: IMAGES.outOfMemory, command: ['/bin/true'] })).toMatchObject({
        exitCode: 137,
        oomKilled: true,
        facts: { oom_killed: true },
      });
    });

    test('in time, or the Job is removed and the error has the facts', async () => {
      const error = await callFailure(sh('sleep 30', { timeoutMs: 700 }));
      expect(error).toMatchObject({ code: 'timeout', retryable: true, isolation: { user: '65532:65532', node: 'node-1' } });
    });

    test('at once when the call is canceled, running or not', async () => {
      const cancel = new AbortController();
      const failing = callFailure(sh('sleep 30', { signal: cancel.signal }));
      await running();
      cancel.abort();
      expect(await failing).toMatchObject({ code: 'canceled' });
      expect(await callFailure(sh('true', { signal: AbortSignal.abort() }))).toMatchObject({ code: 'canceled' });
    });

    test('as a timeout when the Job controller was faster', async () => {
      const failing = callFailure(sh('sleep 30'));
      await running();
      api.exceedDeadline();
      expect(await failing).toMatchObject({ code: 'timeout' });
    });

    test('when its pod is removed: the call fails, and is not repeated', async () => {
      const failing = callFailure(sh('sleep 30'));
      await running();
      const [pod] = api.store.list('pods');
      if (pod) api.store.remove('pods', pod);
      api.node.kill(pod?.metadata.name ?? '');
      expect(await failing).toMatchObject({ code: 'execution_failed', reason: 'pod_lost', retryable: false });
    });

    test('without a known output when no log can be read: it is not repeated', async () => {
      api.behaviour.lostLogs = true;
      const error = await callFailure(sh('true'));
      expect(error).toMatchObject({ code: 'execution_failed', reason: 'output_lost', retryable: false });
    });

    test('when its input is not taken: it is not repeated', async () => {
      api.behaviour.attachFailures = Infinity;
      const hurried: Clock = { now: () => Date.now(), sleep: (ms, signal) => systemClock.sleep(ms / 50, signal) };
      const error = await callFailure(runOn(engineAt({ apiUrl: api.url }, nowhere, hurried), { command: ['/bin/cat'], stdin: 'x' }));
      expect(error).toMatchObject({ code: 'isolation_unavailable', reason: 'attach_failed', retryable: false });
    });

    test('before it began when there is no such command', async () => {
      const error = await callFailure(run({ command: ['/no/such', 'x'] }));
      expect(error).toMatchObject({ code: 'execution_failed', reason: 'start_failed', retryable: false, isolation: { exit_code: 128 } });
      expect(error.message).toContain('"/no/such" could not be started');
    });
  });

  describe('watching', () => {
    test('resumes where a watch broke off, and lists again when that is too long ago', async () => {
      const result = sh('sleep 0.5; exit 4');
      await running();
      await expect.poll(() => api.dropWatches()).toBe(1);
      expect(await result).toMatchObject({ exitCode: 4 });
      const later = sh('sleep 0.5; exit 5');
      await running();
      await expect.poll(() => (api.store.compact(), api.dropWatches())).toBe(1);
      expect(await later).toMatchObject({ exitCode: 5 });
    });

    test('reports the reason why a pod waits', async () => {
      api.behaviour.full = true;
      const progress: CallProgress[] = [];
      const error = await callFailure(sh('true', { timeoutMs: 400, onProgress: (news) => progress.push(news) }));
      expect(error.code).toBe('timeout');
      expect(progress).toContainEqual({
        type: 'tool.pod_waiting',
        message: 'the pod of Tool "t/x" waits (Unschedulable): 0/1 nodes are available: 1 Insufficient cpu.',
        data: { reason: 'Unschedulable' },
      });
    });
  });

  describe('nothing runs', () => {
    test.each([
      ['an image that cannot be pulled', { image: IMAGES.unheardOf }, 'isolation_unavailable', 'image_pull_failed', 'ErrImagePull'],
      ['what is no image', { image: IMAGES.badName }, 'isolation_unavailable', 'image_invalid', 'InvalidImageName'],
      ['no image at all', { image: '' }, 'runtime_policy_invalid', 'pod_refused', 'Required value'],
      ['a network of its own', { network: 'bridge' }, 'runtime_policy_invalid', 'network_invalid', 'NetworkPolicy'],
    ])('with %s', async (_, wanted, code, reason, words) => {
      const error = await callFailure(sh('true', wanted));
      expect(error).toMatchObject({ code, reason, retryable: reason === 'image_pull_failed' });
      expect(error.message).toContain(words);
    });

    test('when admission loosens a pod', async () => {
      api.behaviour.admit = (pod) => {
        pod.spec.containers[0].securityContext.capabilities = { add: ['NET_ADMIN'], drop: ['ALL'] };
        pod.spec.containers[0].resources.limits.memory = '2Gi';
        delete pod.spec.containers[0].resources.limits['ephemeral-storage'];
      };
      const error = await callFailure(sh('sleep 5'));
      expect(error).toMatchObject({
        code: 'isolation_unavailable',
        reason: 'constraints_not_held',
        isolation: { capabilities: ['NET_ADMIN'], memory_bytes: 2 ** 31 },
      });
      expect(error.message).toContain('capabilities, memory_bytes, disk_bytes');
    });

    test.each(['create jobs', 'create secrets', 'patch jobs', 'list pods', 'watch pods', 'get pods/attach', 'get pods/log'])(
      'without the right to %s',
      async (permission) => {
        api.behaviour.forbidden = [permission];
        const error = await callFailure(sh('cat; sleep 1', { env: { A: 'b' }, stdin: 'x' }));
        expect(error).toMatchObject({ code: 'isolation_unavailable', reason: 'cluster_forbidden', retryable: false });
        expect(error.message).toContain(`its account needs "${permission.replace('jobs', 'jobs.batch')}" in namespace "tools"`);
      },
    );

    test('a refusal that repeats a variable is quoted without it', async () => {
      api.behaviour.refusal = `${'x'.repeat(280)} \n s3cret-value-of-a-variable`;
      api.behaviour.forbidden = ['create secrets'];
      const { message } = await callFailure(sh('true', { env: { TOKEN: 's3cret-value-of-a-variable' } }));
      expect(message).toContain('xxx ***');
    });

    test('while the API fails: the caller retries', async () => {
      api.behaviour.troubles = 1;
      expect(await callFailure(sh('true'))).toMatchObject({ code: 'isolation_unavailable', retryable: true });
    });

    test('in a namespace that does not exist', async () => {
      const other = engineAt({ apiUrl: api.url, namespace: 'elsewhere' });
      const error = await callFailure(runOn(other, { command: ['/bin/true'] }));
      expect(error).toMatchObject({ code: 'isolation_unavailable', reason: 'namespace_not_found' });
      await other.stop();
    });
  });

  test('a Job that could not be removed is reported, and swept once its time is over', async () => {
    api.behaviour.forbidden = ['delete jobs'];
    await sh('true', { timeoutMs: 5_000 });
    expect(problems.splice(0)).toEqual([expect.objectContaining({ reason: 'cluster_forbidden' })]);
    const [job] = api.store.list('jobs');
    api.behaviour.forbidden = [];
    const sweeping = engineAt({ apiUrl: api.url });
    sweeping.start();
    await expect.poll(() => api.seen.filter((line) => line.includes('labelSelector=svc.owner')).length).toBe(1);
    expect(left(api)).not.toEqual([]);
    await sweeping.stop();
    Object.assign(job?.metadata.annotations ?? {}, { 'svc.deadline': String(Date.now() - 61_000) });
    const later = engineAt({ apiUrl: api.url });
    later.start();
    await expect.poll(() => left(api)).toEqual([]);
    await later.stop();
  });

  describe('check', () => {
    test('is content where everything is permitted', () => engine.check());

    test('names what the account lacks', async () => {
      api.behaviour.forbidden = ['create secrets', 'get pods/log'];
      const error = await callFailure(engine.check());
      expect(error).toMatchObject({ code: 'isolation_unavailable', reason: 'cluster_forbidden' });
      expect(error.message).toContain('lacks "create secrets", "get pods/log" in namespace "tools"');
    });

    test('says that nothing answers', async () => {
      const error = await callFailure(engineAt({ apiUrl: 'http://127.0.0.1:1' }).check());
      expect(error).toMatchObject({ code: 'isolation_unavailable', retryable: true });
    });
  });
});

describe.skipIf(withoutOpenssl('a Kubernetes API over TLS'))('the cluster', () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-kubernetes-'));
  const file = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  let authority: TestAuthority;
  let api: KubernetesApi;
  beforeAll(async () => {
    authority = createTestAuthority();
    const { key, cert } = authority.issue('IP:127.0.0.1');
    api = await startKubernetesApi({ tls: { key, cert }, token: 'token-1' });
  });
  afterAll(async () => {
    await api?.close();
    authority?.remove();
    rmSync(directory, { recursive: true });
  });

  test('is trusted by its own authority and receives the token that is in the file now', async () => {
    const engine = engineAt({ apiUrl: api.url, caFile: file('ca', authority.ca), tokenFile: file('token', 'token-1\n') });
    expect((await runOn(engine, { command: ['/bin/cat'], stdin: 'by TLS' })).stdout).toBe('by TLS');
    api.behaviour.token = 'token-2';
    const error = await callFailure(engine.check());
    expect(error).toMatchObject({ code: 'isolation_unavailable', reason: 'cluster_unauthorized', retryable: false });
    expect(error.message).not.toContain('token-1');
    file('token', 'token-2');
    await engine.check();
    await engine.stop();
    api.behaviour.token = 'token-1';
  });

  test('with another authority receives no request', async () => {
    const engine = engineAt({ apiUrl: api.url, tokenFile: file('token', 'token-1') });
    const seen = api.seen.length;
    expect(await callFailure(engine.check())).toMatchObject({ code: 'isolation_unavailable' });
    expect(api.seen).toHaveLength(seen);
    await engine.stop();
  });

  test('around this process needs no flags', async () => {
    file('ca.crt', authority.ca);
    file('token', 'token-1');
    file('namespace', 'tools');
    const { hostname: host, port } = new URL(api.url);
    const environment = { host, port, serviceAccountDir: directory };
    const engine = engineAt({ namespace: undefined }, environment);
    expect((await runOn(engine, { command: ['/bin/cat'], stdin: 'inside' })).stdout).toBe('inside');
    await engine.stop();
  });

  test('without an answer delays a call by no more than the time for a removal', async () => {
    const silent = await startLoopbackServer(hang);
    const hurried: Clock = { now: () => Date.now(), sleep: (ms, signal) => systemClock.sleep(ms / 50, signal) };
    const engine = engineAt({ apiUrl: silent.url }, nowhere, hurried);
    const since = Date.now();
    expect(await callFailure(runOn(engine, { command: ['/bin/true'], timeoutMs: 200 }))).toMatchObject({ code: 'timeout' });
    expect(Date.now() - since).toBeLessThan(10_000);
    await engine.stop();
    await silent.close();
    problems.splice(0);
  });

  test.each([
    [{}, '--kubernetes-api-url'],
    [{ apiUrl: 'http://api.example' }, 'https'],
    [{ apiUrl: 'https://user:pw@api.example' }, 'without user'],
    [{ apiUrl: 'nonsense' }, 'https'],
    [{ apiUrl: 'https://api.example' }, '--kubernetes-token-file'],
    [{ apiUrl: 'https://api.example', tokenFile: '/nowhere/token' }, '--kubernetes-token-file cannot be read'],
    [{ apiUrl: 'https://api.example', tokenFile: '/etc/hostname', caFile: '/nowhere/ca' }, '--kubernetes-ca-file cannot be read'],
  ])('has to be described: %j', async (flags, words) => {
    const error = await callFailure(engineAt(flags).check());
    expect(error).toBeInstanceOf(CallError);
    expect(error).toMatchObject({ code: 'isolation_unavailable', reason: 'not_configured', retryable: false });
    expect(error.message).toContain(words);
    expect(error.message).not.toContain('pw@');
  });
});
