// The one reader of flags and environment. Every flag `--some-flag` of svcd has the variable SVC_SOME_FLAG; the flag wins.
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '@svc/shared/duration';
import { installedVersion } from './installation.ts';
import { LOG_LEVELS, type LogFormat, type LogLevel } from './telemetry/log.ts';

export interface Config {
  readonly addr: { readonly host: string; readonly port: number };
  readonly dataDir: string;
  readonly apiKey: string | undefined;
  /** Raw `SVC_API_TOKENS`. */
  readonly apiTokens: string | undefined;
  readonly allowUnauthenticated: boolean;
  readonly secretEncryptionKey: string | undefined;
  readonly secretEnvPrefix: string;
  readonly embeddedWorker: boolean;
  readonly worker: WorkerConfig;
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly publicUrl: string | undefined;
  readonly logLevel: LogLevel;
  /** Undefined: pretty on a terminal, else json. */
  readonly logFormat: LogFormat | undefined;
  readonly shutdownGraceMs: number;
  readonly enableKubernetesIsolation: boolean;
  readonly allowPrivateToolEndpoints: boolean;
  readonly crdConflictPolicy: 'off' | 'warn' | 'reject';
  readonly maxWatches: number;
  readonly maxWatchesPerIp: number;
  /** Newest rows of the change log that pruning keeps. */
  readonly changeRetention: number;
  /** Where Secret references fall back to. */
  readonly env: Environment;
}

export interface WorkerConfig {
  readonly id: string | undefined;
  readonly region: string | undefined;
  readonly gpu: boolean;
  readonly supportedModels: readonly string[];
  readonly maxConcurrentTasks: number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** What argv asked for: run with a config, or print a text and leave. */
export type Invocation =
  | { readonly kind: 'serve'; readonly config: Config; readonly warnings: readonly string[] }
  | { readonly kind: 'exit'; readonly code: number; readonly text: string };

const fail = (message: string): never => {
  throw new InvalidArgumentError(message);
};

function parseAddr(value: string): { host: string; port: number } {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(value);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) return fail('It must be host:port, such as 127.0.0.1:8080.');
  return { host: match[1] ?? (match[2] || '0.0.0.0'), port };
}

const parseBool = (value: string): boolean => {
  if (/^(true|1|yes|on)$/i.test(value)) return true;
  return /^(false|0|no|off)$/i.test(value) ? false : fail('It must be true or false.');
};
const parseCount = (value: string): number =>
  /^[1-9]\d{0,8}$/.test(value) ? Number(value) : fail('It must be a whole number of at least 1.');
const parseMs = (value: string): number => {
  const ms = parseDuration(value);
  return ms !== undefined && ms > 0 ? ms : fail('It must be a duration above zero, such as 30s or 2m.');
};
const parseList = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
const isHttpUrl = (value: string): boolean => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
const parseUrl = (value: string): string => (isHttpUrl(value) ? value.replace(/\/+$/, '') : fail('It must be an http or https URL.'));
const isOrigin = (value: string): boolean => value === '*' || (isHttpUrl(value) && new URL(value).origin === value.toLowerCase());
const parseOrigins = (value: string): string[] => {
  const origins = parseList(value);
  return origins.every(isOrigin) ? origins : fail('It must be origins such as https://console.example, or *.');
};
const parsePath = (value: string): string => (value.trim() === '' ? fail('It must be a path.') : value);

/** Said of flags that are part of the interface but whose feature is not in this version: accepted, checked, and warned about. */
const NO_EFFECT = 'no effect in this version';

const variableOf = (name: string): string => `SVC_${name.replaceAll('-', '_').toUpperCase()}`;

interface FlagTable {
  text(name: string, spec: { value: string; help: string; fallback?: string }): void;
  bool(name: string, help: string, fallback?: boolean): void;
  choice(name: string, spec: { values: readonly string[]; help: string; fallback?: string }): void;
  typed<T>(name: string, spec: { value: string; parse: (value: string) => T; help: string; fallback: T; shown?: string }): void;
}

function flagTable(command: Command): FlagTable {
  const add = (option: Option, name: string) => command.addOption(option.env(variableOf(name)));
  return {
    text: (name, { value, help, fallback }) => add(new Option(`--${name} <${value}>`, help).default(fallback), name),
    bool: (name, help, fallback = false) =>
      add(new Option(`--${name} [bool]`, help).preset('true').argParser(parseBool).default(fallback), name),
    choice: (name, { values, help, fallback }) => add(new Option(`--${name} <value>`, help).choices(values).default(fallback), name),
    typed: (name, { value, parse, help, fallback, shown }) =>
      add(new Option(`--${name} <${value}>`, help).argParser(parse).default(fallback, shown), name),
  };
}

function serverFlags(flags: FlagTable): void {
  flags.typed('addr', {
    value: 'host:port',
    parse: parseAddr,
    help: 'address to listen on; port 0 picks a free one',
    fallback: { host: '127.0.0.1', port: 8080 },
    shown: '127.0.0.1:8080',
  });
  flags.typed('data-dir', { value: 'dir', parse: parsePath, help: 'where the embedded database lives', fallback: './.svc-data' });
  flags.text('database-url', { value: 'url', help: 'postgres://… for shared state (not in this version)' });
  flags.choice('auth-mode', {
    values: ['off', 'native'],
    help: 'sign-in for people; bearer tokens work in either (native: not in this version)',
    fallback: 'off',
  });
  flags.bool('allow-unauthenticated', 'listen beyond loopback although no token is set');
  flags.text('secret-encryption-key', {
    value: 'key',
    help: '256-bit key, 64 hex or 44 base64 characters, that encrypts Secret values at rest',
  });
  flags.text('secret-env-prefix', {
    value: 'prefix',
    help: 'prefix of the variables that Secret references fall back to',
    fallback: 'SVC_SECRET_',
  });
  flags.typed('trusted-proxies', {
    value: 'cidrs',
    parse: parseList,
    help: 'comma-separated addresses whose X-Forwarded-* headers count',
    fallback: [],
    shown: 'none',
  });
  flags.typed('cors-origins', {
    value: 'origins',
    parse: parseOrigins,
    help: 'comma-separated browser origins that may call the API',
    fallback: [],
    shown: 'none',
  });
  flags.typed('public-url', {
    value: 'url',
    parse: parseUrl,
    help: 'the address clients use, when it is not the listen address',
    fallback: undefined as string | undefined,
  });
  flags.choice('log-level', { values: LOG_LEVELS, help: 'least severe level to log', fallback: 'info' });
  flags.choice('log-format', { values: ['json', 'pretty'], help: 'log line format (default: pretty on a terminal, else json)' });
  flags.typed('shutdown-grace', { value: 'duration', parse: parseMs, help: 'longest a shutdown may take', fallback: 20_000, shown: '20s' });
  flags.bool('enable-kubernetes-isolation', 'accept tools with isolation_mode kubernetes');
  flags.bool('allow-private-tool-endpoints', 'let tools reach loopback and private addresses');
  flags.choice('crd-conflict-policy', {
    values: ['off', 'warn', 'reject'],
    help: 'what an API write to a CRD-managed object gets',
    fallback: 'off',
  });
  flags.typed('max-watches', { value: 'count', parse: parseCount, help: 'open watch streams in this process', fallback: 1000 });
  flags.typed('max-watches-per-ip', { value: 'count', parse: parseCount, help: 'open watch streams of one client address', fallback: 100 });
  flags.typed('change-retention', {
    value: 'count',
    parse: parseCount,
    help: 'changes kept for watches to resume from',
    fallback: 200_000,
  });
}

function workerFlags(flags: FlagTable): void {
  flags.bool('embedded-worker', 'run tasks in this process', true);
  flags.typed('embedded-worker-max-concurrent-tasks', {
    value: 'count',
    parse: parseCount,
    help: 'tasks the embedded worker runs at once',
    fallback: 16,
  });
  flags.typed('task-lease-duration', {
    value: 'duration',
    parse: parseMs,
    help: 'how long a claim holds without a heartbeat',
    fallback: 30_000,
    shown: '30s',
  });
  flags.typed('task-heartbeat-interval', {
    value: 'duration',
    parse: parseMs,
    help: 'how often a claim is renewed',
    fallback: 10_000,
    shown: '10s',
  });
  flags.text('worker-id', { value: 'id', help: 'name of the embedded worker (default: the host name and process id)' });
  flags.text('region', { value: 'name', help: 'region the worker offers' });
  flags.bool('gpu', 'the worker offers a GPU');
  flags.typed('supported-models', {
    value: 'names',
    parse: parseList,
    help: 'comma-separated models the worker serves; none means any',
    fallback: [],
    shown: 'any',
  });
}

function notYetFlags(flags: FlagTable): void {
  const later = (name: string, value: string, help: string) => flags.text(name, { value, help: `${help} (${NO_EFFECT})` });
  flags.bool('ui', `serve the console (${NO_EFFECT})`, true);
  flags.choice('default-tool-verdict', {
    values: ['allow', 'deny'],
    help: 'what a tool that an agent lists gets when no ToolPermission governs it (deny: not in this version)',
    fallback: 'allow',
  });
  flags.choice('tool-isolation-backend', {
    values: ['auto', 'docker', 'none'],
    help: `container engine for tools (${NO_EFFECT})`,
    fallback: 'auto',
  });
  later('container-network', 'mode', 'network of tool containers');
  later('tool-container-image', 'image', 'default image of tool containers');
  flags.typed('cli-tool-max-argv-length', {
    value: 'bytes',
    parse: parseCount,
    help: `longest command line of a cli tool (${NO_EFFECT})`,
    fallback: 4096,
  });
  flags.bool('a2a-allow-private-endpoints', `let A2A reach private addresses (${NO_EFFECT})`);
  later('a2a-trusted-card-keys', 'keys', 'keys that may sign Agent Cards');
  flags.bool('a2a-require-signed-cards', `refuse unsigned Agent Cards (${NO_EFFECT})`);
  later('a2a-rate-limit', 'rate', 'inbound A2A requests');
  later('setup-token', 'token', 'token the first admin must present');
  later('audit-log', 'file', 'where audit events go');
  flags.typed('otlp-endpoint', {
    value: 'url',
    parse: parseUrl,
    help: `where traces go (${NO_EFFECT})`,
    fallback: undefined as string | undefined,
  });
}

function svcdCommand(): Command {
  const command = new Command('svcd')
    .description('Agent Orchestration Service: the control plane server')
    .version(installedVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .showSuggestionAfterError(false)
    .allowExcessArguments()
    .exitOverride()
    .configureHelp({ showGlobalOptions: false });
  command.addOption(
    new Option(
      '--api-key <token>',
      'one admin token, used when SVC_API_TOKENS is empty; prefer the variable, flags show in process listings',
    ).env('SVC_API_TOKEN'),
  );
  const flags = flagTable(command);
  serverFlags(flags);
  workerFlags(flags);
  notYetFlags(flags);
  command.addHelpText(
    'after',
    '\nEvery flag has a variable: --data-dir is SVC_DATA_DIR. SVC_API_TOKENS holds name:token:role entries, comma-separated.',
  );
  return command;
}

/** One flag of svcd as its reference page shows it. */
export interface FlagDescription {
  /** With its value, `--addr <host:port>`. */
  readonly flag: string;
  readonly variable: string;
  readonly defaultText: string;
  readonly values: readonly string[];
  readonly help: string;
}

/** Every flag of svcd, in the order of `svcd --help`. */
export function describeFlags(): FlagDescription[] {
  return svcdCommand().options.map((option) => ({
    flag: option.flags,
    variable: option.envVar ?? '',
    defaultText: option.defaultValueDescription ?? (option.defaultValue === undefined ? '' : String(option.defaultValue)),
    values: option.argChoices ?? [],
    help: option.description,
  }));
}

/** What commander hands back for the flags above; each was parsed by its flag's own parser. */
interface ParsedOptions
  extends
    Omit<Config, 'apiTokens' | 'worker' | 'env' | 'shutdownGraceMs'>,
    Omit<WorkerConfig, 'id' | 'leaseMs' | 'heartbeatMs' | 'maxConcurrentTasks'> {
  readonly databaseUrl: string | undefined;
  readonly authMode: string;
  readonly defaultToolVerdict: string;
  readonly shutdownGrace: number;
  readonly workerId: string | undefined;
  readonly embeddedWorkerMaxConcurrentTasks: number;
  readonly taskLeaseDuration: number;
  readonly taskHeartbeatInterval: number;
}

/** Refusals that need more than one flag to judge; each is one line that names the flag. */
function crossCheck(options: ParsedOptions): string | undefined {
  if (options.databaseUrl !== undefined)
    return "option '--database-url': PostgreSQL is not available in this version; leave it out to use the embedded database";
  if (options.authMode === 'native')
    return "option '--auth-mode': native sign-in is not available in this version; set SVC_API_TOKEN to require a token";
  if (options.defaultToolVerdict === 'deny')
    return "option '--default-tool-verdict': this version does not enforce ToolPermissions yet, so it cannot deny; leave it at allow";
  if (options.taskHeartbeatInterval * 2 > options.taskLeaseDuration)
    return "option '--task-heartbeat-interval' must be at most half of '--task-lease-duration', or a claim could lapse between two heartbeats";
  return undefined;
}

function toConfig(options: ParsedOptions, env: Environment): Config {
  const { workerId, region, gpu, supportedModels, embeddedWorkerMaxConcurrentTasks, taskLeaseDuration, taskHeartbeatInterval, ...rest } =
    options;
  return {
    ...rest,
    apiKey: options.apiKey || undefined,
    secretEncryptionKey: options.secretEncryptionKey || undefined,
    apiTokens: env['SVC_API_TOKENS'] || undefined,
    shutdownGraceMs: options.shutdownGrace,
    worker: {
      id: workerId || undefined,
      region,
      gpu,
      supportedModels,
      maxConcurrentTasks: embeddedWorkerMaxConcurrentTasks,
      leaseMs: taskLeaseDuration,
      heartbeatMs: taskHeartbeatInterval,
    },
    env,
  };
}

/** The environment as arguments, to stand before argv so that a flag wins. Empty variables count as unset. The one variable of another name, SVC_API_TOKEN, wins over SVC_API_KEY. */
function environmentArguments(command: Command, env: Environment): string[] {
  return command.options.flatMap((option) => {
    const value = env[option.envVar ?? ''] || env[variableOf(option.name())];
    return value === undefined || value === '' ? [] : [`${option.long}=${value}`];
  });
}

/** Reads svcd's command line. Never throws and never ends the process: bad input is an `exit` with code 2 and one line. */
export function parseInvocation(argv: readonly string[], env: Environment): Invocation {
  const command = svcdCommand();
  let text = '';
  command.configureOutput({ writeOut: (s) => (text += s), writeErr: (s) => (text += s) });
  try {
    command.parse([...environmentArguments(command, env), ...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { kind: 'exit', code: error.exitCode === 0 ? 0 : 2, text };
  }
  const options = command.opts<ParsedOptions>();
  const [stray] = command.args;
  const problem = stray === undefined ? crossCheck(options) : `argument '${stray}': this version of svcd has no commands, only flags`;
  if (problem !== undefined) return { kind: 'exit', code: 2, text: `error: ${problem}\n` };
  const warnings = command.options
    .filter((option) => option.description.includes(NO_EFFECT) && command.getOptionValueSource(option.attributeName()) === 'cli')
    .map((option) => `${option.long} has no effect in this version`);
  return { kind: 'serve', config: toConfig(options, env), warnings };
}
