// Secret references against the environment of svcd: no flag's variable can be read, under any prefix, through any consumer.
import { afterEach, describe, expect, test } from 'vitest';
import { describeFlags, parseInvocation } from '../config.ts';
import { createEgress } from '../egress/create-egress.ts';
import { createModelPort } from '../models/create-model-port.ts';
import type { SecretResolver } from '../secrets/ports.ts';
import { createSecretResolver } from '../secrets/resolver.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import { systemClock } from '../clock.ts';
import { json, startLoopbackServer } from '../testing/loopback-server.ts';
import { modelRequest } from '../testing/model-calls.ts';
import { callFailure, toolCall, toolDeps } from '../testing/tool-deps.ts';
import { createToolPort } from '../tools/create-tool-port.ts';
import { pullLogins, variablesOf } from '../tools/cli/cli-secrets.ts';
import { cliSettings } from '../tools/cli/cli-settings.ts';

type Command = 'server' | 'worker';

const VALUE = 'value-of-the-variable';
const KEY = 'ab'.repeat(32);
/** One of these is a valid value of any flag. */
const VALUES = [
  'true',
  '1',
  '5m',
  KEY,
  'off',
  'none',
  'allow',
  'info',
  'json',
  'admin',
  '127.0.0.1',
  '127.0.0.1:0',
  'http://127.0.0.1:9',
  '/agents',
  'MYAPP_',
  '10s',
  '1GiB',
];
const FOREIGN = ['SVC_API_KEY', 'SVC_API_TOKENS', 'SVCCTL_API_TOKEN', 'OTEL_EXPORTER_OTLP_HEADERS', 'PGPASSWORD', 'NODE_OPTIONS', 'PATH'];

const flags = describeFlags();
const variables = [...new Set([...flags.server, ...flags.worker].map(({ variable }) => variable)), ...FOREIGN].filter(Boolean);
const store = { getObject: () => Promise.resolve(undefined) };

/** A resolver as a process with these variables has it; undefined when the process does not start. */
function resolverOf(command: Command, env: Record<string, string>, prefix?: string): SecretResolver | undefined {
  const argv = command === 'worker' ? ['worker', '--database-url', 'postgres://db/svc'] : [];
  const invocation = parseInvocation(prefix === undefined ? argv : [...argv, `--secret-env-prefix=${prefix}`], env);
  if (!('config' in invocation) || invocation.kind === 'maintain') return undefined;
  const { secretEnvPrefix: envPrefix, secretEnv } = invocation.config;
  return createSecretResolver({ store, box: createSecretBox(), envPrefix, env: secretEnv });
}

/** Variables that another variable requires. */
const NEEDED: Readonly<Record<string, Record<string, string>>> = {
  SVC_AUDIT_WEBHOOK: { SVC_AUDIT_WEBHOOK_SECRET: VALUE },
  SVC_A2A_PROVIDER_ORGANIZATION: { SVC_A2A_PROVIDER_URL: 'http://127.0.0.1:9' },
  SVC_A2A_PROVIDER_URL: { SVC_A2A_PROVIDER_ORGANIZATION: VALUE },
};

/** An environment that a process starts in, with this variable set. */
function environmentWith(command: Command, variable: string): Record<string, string> {
  const needed = NEEDED[variable];
  const value = [VALUE, ...VALUES].find((each) => resolverOf(command, { [variable]: each, ...needed }));
  return { [variable]: value ?? 'postgres://db/svc', [variable.toLowerCase()]: VALUE, ...needed };
}

/** Names of Secrets whose fallback variable is the prefix with `rest` behind it. */
const namesOf = (rest: string): string[] => [...new Set([rest, rest.replaceAll('_', '-'), rest.toLowerCase()])];

describe.each(['server', 'worker'] as const)('in %s', (command) => {
  test.each(variables)('%s is read under no prefix and name', async (variable) => {
    const env = environmentWith(command, variable);
    expect(resolverOf(command, env), 'the process starts').toBeDefined();
    const prefixes = ['SVC_SECRET_', 'svc_secret_', ...Array.from(variable, (_, at) => variable.slice(0, at))];
    for (const prefix of prefixes.flatMap((each) => [each, each.toLowerCase()])) {
      const resolver = resolverOf(command, env, prefix);
      if (resolver === undefined || !variable.startsWith(prefix.toUpperCase())) continue;
      for (const name of namesOf(variable.slice(prefix.length)))
        await expect(resolver.resolveValue(`team/${name}`, 'team'), `${prefix}${name}`).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  test('variables of operators are read under the default prefix', async () => {
    expect(await resolverOf(command, { SVC_SECRET_db: VALUE })?.resolveValue('db', 'team')).toBe(VALUE);
  });

  test.each(['MYAPP_', 'SVC_SECRETS_', 'mine'])('variables of operators are read under the prefix %s', async (prefix) => {
    expect(await resolverOf(command, { [`${prefix}db_1`]: VALUE }, prefix)?.resolveValue('db-1', 'team')).toBe(VALUE);
  });

  test.each(['', 'SVC_', 'svc_', 'S', 'SVC_SECRET_E', 'SVC_SECRET', 'svc_secret_', 'SVC_API_', 'SVCCTL_', 'OTEL_', 'OTEL_X_'])(
    'prefix %j is refused',
    (prefix) => expect(resolverOf(command, {}, prefix)).toBeUndefined(),
  );

  test.each(['PG', 'PGPASS', 'P', 'NODE_', 'N', 'H', 'DOCKER_', 'A-B', 'A=', 'A B'])('prefix %j is refused', (prefix) =>
    expect(resolverOf(command, {}, prefix)).toBeUndefined(),
  );

  test('properties of every object count as no variable', async () => {
    await expect(resolverOf(command, {}, 'const')?.resolveValue('ructor', 'team')).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('refused prefixes end with code 2 and a sentence that names a variable and an alternative', () => {
  expect(parseInvocation(['--secret-env-prefix', 'SVC_D'], {})).toEqual({
    kind: 'exit',
    code: 2,
    text: `error: option '--secret-env-prefix' must not be "SVC_D", because variables of svcd or its platform begin with it (SVC_DATA_DIR); choose another, such as MYAPP_SECRET_\n`,
  });
});

describe.each(['ENCRYPTION-KEY', 'ENCRYPTION_KEY', 'encryption-key', 'other/ENCRYPTION-KEY', 'ENV-PREFIX'])('reference to %s', (ref) => {
  const env = { SVC_SECRET_ENCRYPTION_KEY: KEY, SVC_SECRET_encryption_key: KEY, SVC_SECRET_ENV_PREFIX: 'SVC_SECRET_' };
  const secrets = resolverOf('worker', env)!;
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
  });

  async function reach(): Promise<{ url: string; seen: readonly unknown[]; egress: ReturnType<typeof createEgress> }> {
    const [server, egress] = [await startLoopbackServer(json({})), createEgress()];
    cleanups.push(
      () => server.close(),
      () => egress.close(),
    );
    return { url: server.url, seen: server.seen, egress };
  }

  test('lets no model call use a credential', async () => {
    const { url, seen, egress } = await reach();
    const spec = {
      provider: 'gateway-a-compatible',
      base_url: `${url}/v1`,
      default_model: 'm',
      allowPrivate: true,
      auth: { secretRef: ref },
    };
    const port = createModelPort({ secrets, egress, clock: systemClock, allowPrivate: true });
    const signal = new AbortController().signal;
    const call = port.complete({ namespace: 'team', name: 'evil', spec }, modelRequest(), { signal });
    expect(await callFailure(call)).toMatchObject({ code: 'secret_resolution_failed' });
    expect(seen).toEqual([]);
  });

  test.each(['bearer', 'basic', 'api_key_header', 'oauth2_client_credentials'])(
    'gives no tool call a credential by %s',
    async (profile) => {
      const { url, seen, egress } = await reach();
      const auth = { profile, secretRef: ref, headerName: 'x-key', tokenURL: `${url}/token`, scopes: [] };
      const port = createToolPort({ ...toolDeps(), egress, secrets });
      cleanups.push(() => port.close());
      const call = port.invoke(toolCall({ type: 'http', endpoint: url, auth }), { signal: new AbortController().signal });
      expect(await callFailure(call)).toMatchObject({ code: 'secret_resolution_failed' });
      expect(seen).toEqual([]);
    },
  );

  test('gives no command a variable or a registry login', async () => {
    const call = toolCall({
      type: 'cli',
      cli: { command: 'x', env_from: [{ name: 'N', secretRef: ref }], image: 'i:1', image_pull_secret: ref },
    });
    const settings = cliSettings(call.tool);
    const concealing = { tool: call.tool, conceal: () => undefined };
    expect(await callFailure(variablesOf(settings, concealing, secrets))).toMatchObject({ code: 'secret_resolution_failed' });
    expect(await callFailure(pullLogins(settings, concealing, secrets))).toMatchObject({ code: 'secret_resolution_failed' });
  });
});
