import { describe, expect, test } from 'vitest';
import { parseInvocation } from './config.ts';

const serve = (argv: string[], env = {}) => {
  const invocation = parseInvocation(argv, env);
  if (invocation.kind !== 'serve') throw new Error(invocation.text);
  return invocation;
};

describe('svcd flags', () => {
  test('defaults are those of the documentation', () => {
    expect(serve([]).config).toMatchObject({
      addr: { host: '127.0.0.1', port: 8080 },
      dataDir: './.svc-data',
      embeddedWorker: true,
      worker: { maxConcurrentTasks: 16, leaseMs: 30_000, heartbeatMs: 10_000, gpu: false, supportedModels: [] },
      shutdownGraceMs: 20_000,
      secretEnvPrefix: 'SVC_SECRET_',
      allowPrivateToolEndpoints: false,
      maxWatches: 1000,
      maxWatchesPerIp: 100,
    });
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
    [['--embedded-worker-max-concurrent-tasks', '0'], '--embedded-worker-max-concurrent-tasks'],
    [['--task-lease-duration', '10s', '--task-heartbeat-interval', '6s'], '--task-heartbeat-interval'],
    [['--database-url', 'postgres://x'], '--database-url'],
    [['--auth-mode', 'native'], '--auth-mode'],
    [['--default-tool-verdict', 'deny'], '--default-tool-verdict'],
    [['worker'], "argument 'worker'"],
    [['--public-url', 'ftp://host'], '--public-url'],
    [['--cors-origins', 'https://a.example,nonsense'], '--cors-origins'],
    [['--otlp-endpoint', 'nonsense'], '--otlp-endpoint'],
    [['--data-dir', ''], '--data-dir'],
  ])('%j ends with code 2 and one line that names the flag', (argv, named) => {
    const result = parseInvocation(argv, {});
    expect(result).toMatchObject({ kind: 'exit', code: 2 });
    const { text } = result as { text: string };
    expect(text).toContain(named);
    expect(text.trim().split('\n')).toHaveLength(1);
  });

  test('a bad variable is refused like a bad flag', () => {
    expect(parseInvocation([], { SVC_LOG_FORMAT: 'xml' })).toMatchObject({ kind: 'exit', code: 2 });
  });

  test('--help lists every flag and ends with code 0', () => {
    const result = parseInvocation(['--help'], {}) as { code: number; text: string };
    expect(result.code).toBe(0);
    for (const flag of ['--addr', '--data-dir', '--trusted-proxies', '--allow-private-tool-endpoints']) expect(result.text).toContain(flag);
  });

  test('a flag whose feature is not in this version is accepted with a warning', () => {
    expect(serve(['--otlp-endpoint', 'http://127.0.0.1:4318']).warnings).toEqual(['--otlp-endpoint has no effect in this version']);
  });
});
