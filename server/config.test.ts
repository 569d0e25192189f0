import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { describeFlags, parseInvocation } from './config.ts';
import { SVCD_EXAMPLES } from './config/examples.ts';

const serve = (argv: string[], env = {}) => {
  const invocation = parseInvocation(argv, env);
  if (invocation.kind !== 'serve') throw new Error(JSON.stringify(invocation));
  return invocation;
};

afterEach(() => void vi.unstubAllEnvs());

describe('svcd flags', () => {
  test('defaults are those of the documentation', () => {
    expect(serve([]).config).toMatchObject({
      addr: { host: '127.0.0.1', port: 8080 },
      database: { kind: 'embedded', dataDir: './.svc-data' },
      embeddedWorker: true,
      enableTerminal: false,
      worker: { maxConcurrentTasks: 16, leaseMs: 30_000, heartbeatMs: 10_000, takeoversMax: 3, gpu: false, supportedModels: [] },
      shutdownGraceMs: 20_000,
      secretEnvPrefix: 'SVC_SECRET_',
      tools: {
        allowPrivateEndpoints: false,
        defaultVerdict: 'allow',
        isolationBackend: 'auto',
        containerNetwork: 'none',
        containerImage: undefined,
        unisolatedCli: 'admin',
        cliArgvMaxBytes: 4096,
        kubernetes: undefined,
      },
      maxWatches: 1000,
      maxWatchesPerIp: 100,
      maxConnections: 4096,
      maxConnectionsPerIp: undefined,
    });
  });

  test('a short lease alone shortens the interval of heartbeats', () => {
    expect(serve(['--task-lease-duration', '6s']).config.worker).toMatchObject({ leaseMs: 6_000, heartbeatMs: 2_000 });
    expect(serve(['--task-lease-duration', '60s']).config.worker).toMatchObject({ heartbeatMs: 10_000 });
  });

  test('finished tasks stay by default', () => {
    expect(serve([]).config.taskRetention).toBeUndefined();
    expect(serve([], { SVC_TASK_RETENTION: '' }).config.taskRetention).toBeUndefined();
    expect(serve([]).config.chatRetention).toEqual({ general: { ageMs: 7 * 24 * 3_600_000, count: 10_000 }, namespaces: new Map() });
    expect(serve(['--chat-retention', 'none']).config.chatRetention).toEqual({ namespaces: new Map() });
    const limits = { general: { ageMs: 86_400_000, count: 10 }, namespaces: new Map([['team-a', { count: 5 }]]) };
    expect(serve(['--task-retention', '24h,10,team-a=5']).config.taskRetention).toEqual(limits);
    expect(serve([], { SVC_TASK_RETENTION: '24h,10,team-a=5' }).config.taskRetention).toEqual(limits);
  });

  test.each([
    [['--task-retention', '30 days'], {}],
    [[], { SVC_TASK_RETENTION: 'team-a=0' }],
  ])('limits of finished tasks %j %j are refused by name', (argv, env) => {
    expect(parseInvocation(argv, env)).toMatchObject({ kind: 'exit', code: 2, text: expect.stringContaining('--task-retention') });
    expect(parseInvocation(['worker', '--database-url', 'postgres://h/d', '--task-retention', '1h'], {})).toMatchObject({ code: 2 });
  });

  test('versions have an age and a count, or none are kept', () => {
    const read = (...argv: string[]) => serve(argv).config.versionRetention;
    const DAY_MS = 24 * 3_600_000;
    expect(read()).toEqual({ ageMs: 365 * DAY_MS, count: 100 });
    expect(read('--version-retention', '90d')).toEqual({ ageMs: 90 * DAY_MS, count: 100 });
    expect(read('--version-retention', '20')).toEqual({ count: 20 });
    expect(read('--version-retention', 'none')).toEqual({ count: 0 });
  });

  test.each(['0', '10001', 'team-a=5', 'a lot'])('limits of versions %j are refused by name', (value) => {
    expect(parseInvocation(['--version-retention', value], {})).toMatchObject({
      code: 2,
      text: expect.stringContaining('--version-retention'),
    });
  });

  test('ceilings are closed by default and follow their flags', () => {
    const MIB = 1024 * 1024;
    expect(serve([]).config.tools.ceilings).toEqual({
      images: { patterns: ['*'], digestsRequired: false },
      networks: ['none'],
      containerDiskMaxBytes: 1024 * MIB,
      containerMemoryMaxBytes: 1024 * MIB,
      containerCpusMax: 1,
      wasmMemoryMaxBytes: 256 * MIB,
      wasmMemoryTotalBytes: 1024 * MIB,
    });
    const networks = ['--container-network', 'tools', '--allowed-container-networks', 'db, tools'];
    const images = ['--allowed-images', 'r.example/team/*,127.0.0.1:5000/*', '--require-image-digests'];
    const disk = ['--container-disk-max', '16MiB'];
    const containers = ['--container-memory-max', '512MiB', '--container-cpus-max', '0.75'];
    const memory = ['--wasm-memory-max', '64MiB', '--wasm-memory-total', '128m'];
    expect(serve([...networks, ...images, ...disk, ...containers, ...memory]).config.tools.ceilings).toEqual({
      images: { patterns: ['r.example/team/*', '127.0.0.1:5000/*'], digestsRequired: true },
      networks: ['none', 'tools', 'db'],
      containerDiskMaxBytes: 16 * MIB,
      containerMemoryMaxBytes: 512 * MIB,
      containerCpusMax: 0.75,
      wasmMemoryMaxBytes: 64 * MIB,
      wasmMemoryTotalBytes: 128 * MIB,
    });
    expect(serve(['--container-disk-max', '0']).config.tools.ceilings).toMatchObject({ containerDiskMaxBytes: 0 });
  });

  test.each([
    [[], true],
    [['--addr', '[::1]:0'], true],
    [['--addr', '0.0.0.0:8080'], false],
    [['--addr', '10.0.0.1:8080'], false],
    [['--allow-private-model-endpoints=false'], false],
    [['--addr', '0.0.0.0:8080', '--allow-private-model-endpoints'], true],
  ])('private model endpoints with %j: %s', (argv, allowed) => {
    expect(serve(argv).config.allowPrivateModelEndpoints).toBe(allowed);
  });

  test.each([
    ['postgres://svc@127.0.0.1/svc', true],
    ['postgres://svc@[::1]:5432/svc', true],
    ['postgres://svc@localhost/svc?host=/run/postgresql', true],
    ['postgres://svc@/svc?host=/run/postgresql', true],
    ['postgres://svc@db.example/svc', false],
    ['postgres://svc@localhost/svc?host=db.example', false],
  ])('private model endpoints of a worker with the database %s: %s', (url, allowed) => {
    const work = (argv: string[]) => parseInvocation(['worker', '--database-url', url, ...argv], {});
    expect(work([])).toMatchObject({ config: { allowPrivateModelEndpoints: allowed } });
    expect(work(['--allow-private-model-endpoints'])).toMatchObject({ config: { allowPrivateModelEndpoints: true } });
    expect(work(['--allow-private-model-endpoints=false'])).toMatchObject({ config: { allowPrivateModelEndpoints: false } });
  });

  test('a variable sets a flag and the flag on the command line wins', () => {
    expect(serve([], { SVC_ADDR: '127.0.0.1:9000' }).config.addr.port).toBe(9000);
    expect(serve(['--addr', '[::1]:9001'], { SVC_ADDR: '127.0.0.1:9000' }).config.addr).toEqual({ host: '::1', port: 9001 });
    expect(serve([], { SVC_API_TOKEN: 'token', SVC_API_KEY: 'other' }).config.apiKey).toBe('token');
    expect(serve([], { SVC_API_KEY: 'other' }).config.apiKey).toBe('other');
  });

  test.each([
    [['--embedded-worker=false'], false],
    [['--embedded-worker', 'false'], false],
    [['--embedded-worker'], true],
  ])('booleans: %j', (argv, expected) => expect(serve(argv).config.embeddedWorker).toBe(expected));

  test.each([
    [['--no-such-flag'], '--no-such-flag'],
    [['--addr', 'nonsense'], '--addr'],
    [['--addr', '127.0.0.1:99999'], '--addr'],
    [['--log-level', 'loud'], '--log-level'],
    [['--task-lease-duration', 'soon'], '--task-lease-duration'],
    [['--task-lease-duration', '99ms'], 'It must be at least 100ms'],
    [['--task-heartbeat-interval', '9ms'], 'It must be at least 10ms'],
    [['--shutdown-grace', '25d'], 'It must be at most 24h'],
    [['--embedded-worker-max-concurrent-tasks', '0'], '--embedded-worker-max-concurrent-tasks'],
    [['--task-lease-duration', '10s', '--task-heartbeat-interval', '6s'], '--task-heartbeat-interval'],
    [['--task-lease-duration', '10s', '--task-heartbeat-interval', '10s'], '--task-heartbeat-interval'],
    [['--database-url', 'nonsense'], '--database-url'],
    [['--database-url', 'postgres:x'], '--database-url'],
    [['--database-url', 'mysql://x'], '--database-url'],
    [['--database-max-connections', '0'], '--database-max-connections'],
    [['--auth-mode', 'saml'], '--auth-mode'],
    [['--default-tool-verdict', 'ask'], '--default-tool-verdict'],
    [['--tool-isolation-backend', 'podman'], '--tool-isolation-backend'],
    [['--tool-container-image', 'https://registry.example/tool'], '--tool-container-image'],
    [['serve'], "argument 'serve': svcd knows the commands worker, migrate, rotate-secrets, seal-key, reset-admin and doctor"],
    [['wroker'], 'argument \'wroker\' is not a command; did you mean "worker"?'],
    [['seal-key', '--data-dir', '/tmp'], "option '--secret-encryption-key' is required"],
    [['seal-key', 'now', '--secret-encryption-key', 'ab'.repeat(32)], "argument 'now': svcd seal-key takes flags only"],
    [['--port', '9090'], "unknown option '--port'; the address is --addr HOST:PORT, such as --addr 127.0.0.1:9090"],
    [['worker', '-p', '1'], "unknown option '-p'; the address is --addr"],
    [['rotate-secret'], 'did you mean "rotate-secrets"?'],
    [['--gpu', 'true', 'worker'], 'a command comes first'],
    [['--worker-id', 'a b'], '--worker-id'],
    [['worker'], '--database-url'],
    [['worker', '--database-url', 'postgres://x', 'more'], "argument 'more'"],
    [['worker', '--database-url', 'postgres://x', '--max-concurrent-tasks', '0'], '--max-concurrent-tasks'],
    [['worker', '--database-url', 'postgres://x', '--ui', 'false'], '--ui'],
    [['worker', '--database-url', 'postgres://x', '--default-tool-verdict', 'ask'], '--default-tool-verdict'],
    [['--public-url', 'ftp://host'], '--public-url'],
    [['--public-url', 'https://host/v1'], "option '--public-url' has the path /v1"],
    [['--base-path', '/svc/'], '--base-path'],
    [['--base-path', '/v1'], 'not begin with /v1'],
    [['--public-url', 'https://host/a', '--base-path', '/b'], 'give both the same'],
    [['--a2a-provider-organization', 'Example'], 'give both or neither'],
    [['--a2a-provider-url', 'https://example.com', '--a2a-provider-organization', ' '], 'give both or neither'],
    [['--cors-origins', 'https://a.example,nonsense'], '--cors-origins'],
    [['--trusted-proxies', '10.0.0.1,1.2.3'], '"1.2.3" is neither an address nor a CIDR range'],
    [['--otlp-endpoint', 'nonsense'], '--otlp-endpoint'],
    [['--data-dir', ''], '--data-dir'],
    [['--allowed-container-networks', 'tools,host'], '--allowed-container-networks'],
    [['--allowed-container-networks', 'container:db'], '--allowed-container-networks'],
    [['--allowed-images', 'r.example/a*'], '--allowed-images'],
    [['--container-disk-max', '-1'], '--container-disk-max'],
    [['--container-disk-max', '512KiB'], '--container-disk-max'],
    [['--container-memory-max', '8MiB'], '--container-memory-max'],
    [['--container-memory-max', '0'], '--container-memory-max'],
    [['--container-cpus-max', '0'], '--container-cpus-max'],
    [['--container-cpus-max', '1.255'], '--container-cpus-max'],
    [['--wasm-memory-max', 'much'], '--wasm-memory-max'],
    [['--wasm-memory-max', '2GiB'], '--wasm-memory-total'],
    [['--tool-container-image', '127.0.0.1:5000/x'], '--tool-container-image'],
    [['--tool-container-image', 'busybox:1', '--require-image-digests'], '--tool-container-image'],
    [['--tool-container-image', 'busybox:1', '--allowed-images', 'r.example/*'], '--tool-container-image'],
  ])('%j ends with code 2 and one line that names the flag', (argv, named) => {
    const result = parseInvocation(argv, {});
    expect(result).toMatchObject({ kind: 'exit', code: 2 });
    const { text } = result as { text: string };
    expect(text).toContain(named);
    expect(text.trim().split('\n')).toHaveLength(1);
  });

  test.each([
    [{ SVC_LOG_FORMAT: 'xml' }, 'SVC_LOG_FORMAT'],
    [{ SVC_MAX_WATCHES: 'many' }, 'SVC_MAX_WATCHES'],
    [{ SVC_DATABASE_URL: 'mysql://h/d' }, 'SVC_DATABASE_URL'],
    [{ SVC_TASK_LEASE_DURATION: '1s', SVC_TASK_HEARTBEAT_INTERVAL: '1s' }, 'SVC_TASK_HEARTBEAT_INTERVAL and SVC_TASK_LEASE_DURATION'],
  ])('%j is refused in one line with the name of the variable', (env, named) => {
    const { code, text } = parseInvocation([], env) as { code: number; text: string };
    expect([code, text.trim().split('\n').length]).toEqual([2, 1]);
    for (const name of named.split(' and ')) expect(text).toContain(name);
  });

  test('a flag wins over an invalid variable, and the help needs no valid one', () => {
    expect(serve(['--log-level', 'debug'], { SVC_LOG_LEVEL: 'loud' }).config).toMatchObject({ logLevel: 'debug' });
    expect(parseInvocation(['--help'], { SVC_LOG_LEVEL: 'loud' })).toMatchObject({ code: 0 });
  });

  test('empty variables of the process count as unset, and those of options without a value have no effect', () => {
    vi.stubEnv('SVC_MAX_WATCHES', '');
    vi.stubEnv('SVC_VERSION', '7');
    expect(serve([], process.env).config).toMatchObject({ maxWatches: 1000 });
  });

  test.each([
    [['--database-url', 'mysql://user:hunter2@host/db'], {}],
    [['--database-urls=postgres://user:hunter2@host/db'], {}],
    [['postgres://user:hun@ter2@host/db'], {}],
    [['postgres://host/db?user=me&password=hunter2'], {}],
    [['--addr', 'postgres://user:hunter2@host/db'], {}],
    [[], { SVC_DATABASE_URL: 'mysql://user:hunter2@host/db' }],
  ])('%j %j is refused without a password in the answer', (argv, env) => {
    const result = parseInvocation(argv, env) as { code: number; text: string };
    expect(result.code).toBe(2);
    expect(result.text).not.toMatch(/hunter2|ter2/);
  });

  test.each([
    ['postgres://db.example/svc', [], { kind: 'postgres', url: 'postgres://db.example/svc', maxConnections: 10 }, false],
    ['postgresql://u:p@db.example/svc', ['--embedded-worker'], { kind: 'postgres', url: 'postgresql://u:p@db.example/svc' }, true],
    ['', [], { kind: 'embedded' }, true],
  ])('--database-url %j %j selects the database, and whether tasks run here', (url, more, database, embeddedWorker) => {
    expect(serve(['--database-url', url, ...more]).config).toMatchObject({ database, embeddedWorker });
    expect(serve(more, { SVC_DATABASE_URL: url }).config).toMatchObject({ database, embeddedWorker });
  });

  test('--help lists every flag and ends with code 0', () => {
    const result = parseInvocation(['--help'], {}) as { code: number; text: string };
    expect(result.code).toBe(0);
    for (const flag of ['--addr', '--data-dir', '--trusted-proxies', '--allow-private-tool-endpoints']) expect(result.text).toContain(flag);
  });

  test.each(Object.values(SVCD_EXAMPLES).flat())('the example %s is a command that svcd takes', (line) => {
    const words = line
      .replace(/ > .*/, '')
      .replace(/<([^>]*) key>/g, () => randomBytes(32).toString('base64'))
      .split(' ');
    const at = words.indexOf('svcd');
    const env = Object.fromEntries(words.slice(0, at).map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]));
    expect(
      parseInvocation(words.slice(at + 1), { SVC_SECRET_ENCRYPTION_KEY: randomBytes(32).toString('base64'), ...env }),
    ).not.toMatchObject({ kind: 'exit' });
  });

  test('the help of each command ends with its examples', () => {
    for (const [command, [first = '']] of Object.entries(SVCD_EXAMPLES)) {
      const { text } = parseInvocation([...command.split(' ').slice(1), '--help'], {}) as { text: string };
      expect(text).toContain(`Examples:\n  ${first}\n`);
    }
  });

  test('a directory flag that has no use is warned about, and a variable of an image is not', () => {
    expect(serve(['--data-dir', 'x', '--database-url', 'postgres://db/svc']).warnings).toEqual([
      '--data-dir has no effect beside --database-url without --audit-webhook',
    ]);
    expect(serve(['--database-url', 'postgres://db/svc'], { SVC_DATA_DIR: '/var/lib/svc' }).warnings).toEqual([]);
  });

  test('the console is served unless it is not wanted', () => {
    expect(serve([])).toMatchObject({ config: { ui: true }, warnings: [] });
    expect(serve(['--ui', 'false'])).toMatchObject({ config: { ui: false }, warnings: [] });
    expect(serve(['--ui'], { SVC_UI: 'false' }).config.ui).toBe(true);
  });

  test('flags of remote agents reach servers and workers', () => {
    const flags = ['--a2a-allow-private-endpoints', '--a2a-trusted-card-keys', 'keys.json', '--a2a-require-signed-cards'];
    const expected = { a2aTrustedCardKeys: 'keys.json', a2aRequireSignedCards: true, tools: { allowPrivateAgents: true } };
    expect(serve(flags)).toMatchObject({ config: expected, warnings: [] });
    expect(parseInvocation(['worker', '--database-url', 'postgres://db/svc', ...flags], {})).toMatchObject({ config: expected });
  });

  test('tool flags reach the tool configuration; Kubernetes is present only when its flag is given', () => {
    const given = ['--container-network', 'bridge', '--tool-container-image', 'tools:1', '--default-tool-verdict', 'deny'];
    expect(serve([...given, '--kubernetes-namespace', 'jobs']).config.tools).toMatchObject({
      containerNetwork: 'bridge',
      containerImage: 'tools:1',
      defaultVerdict: 'deny',
      kubernetes: undefined,
    });
    const { tools } = serve(['--enable-kubernetes-isolation', '--kubernetes-namespace', 'jobs']).config;
    expect(tools.kubernetes).toMatchObject({ namespace: 'jobs', jobTtlMs: 300_000 });
  });
});

describe('svcd worker flags', () => {
  const work = (argv: string[], env = {}) => {
    const invocation = parseInvocation(['worker', ...argv], env);
    if (invocation.kind !== 'work') throw new Error(JSON.stringify(invocation));
    return invocation.config;
  };
  const database = ['--database-url', 'postgres://db/svc'];

  test('defaults are those of the documentation', () => {
    expect(work(database)).toMatchObject({
      database: { kind: 'postgres', url: 'postgres://db/svc', maxConnections: 10 },
      addr: undefined,
      worker: {
        id: undefined,
        region: undefined,
        gpu: false,
        supportedModels: [],
        maxConcurrentTasks: 16,
        leaseMs: 30_000,
        heartbeatMs: 10_000,
        takeoversMax: 3,
      },
      shutdownGraceMs: 20_000,
    });
  });

  test('every flag has its variable', () => {
    const env = {
      SVC_DATABASE_URL: 'postgres://db/svc',
      SVC_DATABASE_MAX_CONNECTIONS: '3',
      SVC_WORKER_ID: 'w-1',
      SVC_REGION: 'eu',
      SVC_GPU: 'true',
      SVC_SUPPORTED_MODELS: 'a, b',
      SVC_MAX_CONCURRENT_TASKS: '2',
      SVC_ADDR: '127.0.0.1:0',
      SVC_AUDIT_LOG: 'audit.jsonl',
      SVC_PUBLIC_URL: 'https://svc.example/',
    };
    const flags = ['--worker-id', 'w-1', '--region', 'eu', '--gpu', '--supported-models', 'a, b', '--max-concurrent-tasks', '2'];
    const more = [
      '--database-max-connections',
      '3',
      '--addr',
      '127.0.0.1:0',
      '--audit-log',
      'audit.jsonl',
      '--public-url',
      'https://svc.example',
    ];
    const { env: _env, ...config } = work([], env);
    expect({ ...config, env: {} }).toEqual(work([...database, ...flags, ...more]));
    expect(config.worker).toMatchObject({ id: 'w-1', region: 'eu', gpu: true, supportedModels: ['a', 'b'], maxConcurrentTasks: 2 });
  });

  test('audit events wait for a webhook in the data directory of a server, unless a directory is named', () => {
    const webhook = ['--audit-webhook', 'https://siem.example/', '--audit-webhook-secret', 'k'];
    const spoolOf = (...args: string[]) => serve([...webhook, ...args]).config.auditWebhook?.spool;
    expect(spoolOf('--data-dir', '/var/lib/svc')).toBe('/var/lib/svc/audit-spool');
    expect(spoolOf('--data-dir', '/var/lib/svc', '--audit-spool', '/spool')).toBe('/spool');
    expect(spoolOf()).toBe('.svc-data/audit-spool');
    expect(work([...database, ...webhook]).auditWebhook?.spool).toBe('.svc-data/audit-spool');
    expect(work([...database, ...webhook, '--data-dir', '/data']).auditWebhook?.spool).toBe('/data/audit-spool');
  });

  test('each command lists its own flags', () => {
    const { server, worker } = describeFlags();
    const names = (flags: typeof server) => flags.map(({ flag }) => flag.split(' ')[0]);
    expect(names(worker)).toContain('--max-concurrent-tasks');
    expect(names(server)).not.toContain('--max-concurrent-tasks');
    expect(names(worker)).not.toContain('--embedded-worker');
    for (const flags of [server, worker])
      expect(flags.filter(({ variable }) => !/^SVC_[A-Z0-9_]+$/.test(variable) && variable !== '')).toEqual([]);
    expect(parseInvocation(['worker', '--help'], {})).toMatchObject({ code: 0, text: expect.stringContaining('--max-concurrent-tasks') });
  });
});
