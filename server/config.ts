// The one reader of flags and environment. Every flag `--some-flag` of svcd has the variable SVC_SOME_FLAG; the flag wins.
import { Command, CommanderError, Option } from 'commander';
import { ceilingFlags, ceilingProblem, modelFlags, toolCeilings, type CeilingOptions } from './config/ceilings.ts';
import { flagTable, variableOf } from './config/flag-table.ts';
import { isDatabaseUrl, isLoopback, withoutCredentials, type ListenAddress } from './config/flag-values.ts';
import * as declare from './config/flags.ts';
import { ownVariables } from './config/own-variables.ts';
import type { TaskRetention } from './controllers/retention/limits.ts';
import { installedVersion } from './installation.ts';
import { withSuggestions } from './suggesting-command.ts';
import { didYouMean } from '@svc/shared/nearest-word';
import type { LogFormat, LogLevel } from './log/log.ts';
import type { ToolCeilings } from './tools/ceilings.ts';

/** Where the state lives: in a file of this process's own, or in a server that many processes share. */
export type DatabaseConfig =
  | { readonly kind: 'embedded'; readonly dataDir: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly maxConnections: number };

/** Settings that a server and a worker process share. */
export interface ProcessConfig {
  readonly database: DatabaseConfig;
  /** Newest first. */
  readonly secretEncryptionKeys: readonly string[];
  readonly secretEnvPrefix: string;
  readonly worker: WorkerConfig;
  readonly logLevel: LogLevel;
  /** Undefined: pretty on a terminal, else json. */
  readonly logFormat: LogFormat | undefined;
  readonly shutdownGraceMs: number;
  readonly tools: ToolConfig;
  /** Whether ModelEndpoints with `allowPrivate` may be at loopback and private addresses. */
  readonly allowPrivateModelEndpoints: boolean;
  /** The address that clients and tools reach the servers by. */
  readonly publicUrl: string | undefined;
  readonly otlpEndpoint: string | undefined;
  /** A file, or `stdout`; undefined: nowhere. */
  readonly auditLog: string | undefined;
  /** Settings of the platform: OTEL_*, DOCKER_HOST, PATH. */
  readonly env: Environment;
  /** Where Secret references fall back to: no variable that configures svcd is in it. */
  readonly secretEnv: Environment;
}

/** How tools run, and what a call gets that no rule governs. */
export interface ToolConfig {
  readonly ceilings: ToolCeilings;
  readonly allowPrivateEndpoints: boolean;
  readonly defaultVerdict: 'allow' | 'deny';
  readonly isolationBackend: 'auto' | 'docker' | 'none';
  /** Docker's network mode for containers that name none. */
  readonly containerNetwork: string;
  /** Image of containers of tools that are not of type cli. */
  readonly containerImage: string | undefined;
  readonly unisolatedCli: 'admin' | 'never';
  readonly cliArgvMaxBytes: number;
  /** Undefined: tools with isolation_mode kubernetes are refused. */
  readonly kubernetes: KubernetesConfig | undefined;
}

/** Absent members: what the cluster this process runs in gives it. */
export interface KubernetesConfig {
  readonly apiUrl: string | undefined;
  readonly namespace: string | undefined;
  readonly tokenFile: string | undefined;
  readonly caFile: string | undefined;
  readonly jobTtlMs: number;
}

export interface Config extends ProcessConfig {
  readonly addr: ListenAddress;
  readonly apiKey: string | undefined;
  /** Raw `SVC_API_TOKENS`. */
  readonly apiTokens: string | undefined;
  readonly allowUnauthenticated: boolean;
  /** Start beside Secrets that this key does not open. */
  readonly allowOtherSecretKey: boolean;
  readonly embeddedWorker: boolean;
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly crdConflictPolicy: 'off' | 'warn' | 'reject';
  /** Every decision on an approval takes another person. */
  readonly approvalsNeedOther: boolean;
  /** Serve the web console. */
  readonly ui: boolean;
  readonly maxWatches: number;
  readonly maxWatchesPerIp: number;
  readonly maxConnections: number;
  /** 0: any number. */
  readonly maxRequestsPerSecond: number;
  /** Newest rows of the change log that pruning keeps. */
  readonly changeRetention: number;
  /** Undefined: finished Tasks stay. */
  readonly taskRetention: TaskRetention | undefined;
}

export interface WorkerProcessConfig extends ProcessConfig {
  /** Where it answers probes; undefined: nowhere. */
  readonly addr: ListenAddress | undefined;
}

export interface WorkerConfig {
  /** Undefined: named after host and process. */
  readonly id: string | undefined;
  readonly region: string | undefined;
  readonly gpu: boolean;
  readonly supportedModels: readonly string[];
  readonly maxConcurrentTasks: number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** Takeovers without progress after which a run is dead-lettered; 0: never. */
  readonly takeoversMax: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** `svcd rotate-secrets`. */
export interface RotationConfig {
  readonly database: DatabaseConfig;
  /** Newest first. */
  readonly secretEncryptionKeys: readonly string[];
  readonly adoptUnsealed: boolean;
}

/** Command that argv requests: a server, a worker, a rotation of keys, or a text to print before the exit. */
export type Invocation =
  | { readonly kind: 'serve'; readonly config: Config; readonly warnings: readonly string[] }
  | { readonly kind: 'work'; readonly config: WorkerProcessConfig; readonly warnings: readonly string[] }
  | { readonly kind: 'rotate'; readonly config: RotationConfig }
  | { readonly kind: 'examine'; readonly config: Config; readonly output: 'table' | 'json'; readonly strict: boolean }
  | { readonly kind: 'exit'; readonly code: number; readonly text: string };

const WORKER_COMMAND = 'worker';
const ROTATE_COMMAND = 'rotate-secrets';
const DOCTOR_COMMAND = 'doctor';

const newCommand = (name: string, description: string): Command =>
  withSuggestions(new Command(name))
    .description(description)
    .version(installedVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .allowExcessArguments()
    .exitOverride()
    .configureHelp({ showGlobalOptions: false });

function serverCommand(): Command {
  const command = newCommand('svcd', 'Agent Orchestration Service: the control plane server').usage(
    '[worker | rotate-secrets | doctor] [options]',
  );
  declare.apiKeyFlag(command);
  const flags = flagTable(command);
  declare.serverAddressFlags(flags);
  declare.databaseFlags(flags, 'absent: the embedded database in --data-dir');
  declare.serverFlags(flags);
  declare.processFlags(flags);
  declare.embeddedWorkerFlags(flags);
  declare.workerFlags(flags);
  declare.toolFlags(flags);
  ceilingFlags(flags);
  modelFlags(flags, { value: undefined, shown: 'true with --addr on loopback, else false' });
  declare.auditFlags(flags);
  declare.laterServerFlags(flags);
  return command
    .addHelpText(
      'before',
      'svcd serves the API. svcd worker runs tasks for servers on the same PostgreSQL; svcd worker --help lists its flags. svcd rotate-secrets replaces the encryption key. svcd doctor judges the flags of a server.\n',
    )
    .addHelpText(
      'after',
      '\nEvery flag has a variable: --data-dir is SVC_DATA_DIR. SVC_API_TOKENS holds name:token:role entries, comma-separated.',
    );
}

function workerCommand(): Command {
  const command = newCommand(
    'svcd worker',
    'Agent Orchestration Service: a worker that runs the tasks of the servers on one PostgreSQL database',
  );
  const flags = flagTable(command);
  declare.databaseFlags(flags, 'required, the same as the servers have');
  declare.workerProcessFlags(flags);
  declare.workerFlags(flags);
  declare.workerAddressFlags(flags);
  declare.processFlags(flags);
  declare.toolFlags(flags);
  ceilingFlags(flags);
  modelFlags(flags, { value: false });
  declare.auditFlags(flags);
  return command.addHelpText('after', '\nEvery flag has a variable: --worker-id is SVC_WORKER_ID.');
}

/** With every flag of the server that it examines. */
function doctorCommand(): Command {
  return serverCommand()
    .name('svcd doctor')
    .addOption(new Option('--output <format>', 'how the findings are printed').choices(['table', 'json']).default('table'))
    .addOption(new Option('--strict', 'end with exit code 1 for warnings too').default(false));
}

function rotateCommand(): Command {
  const command = newCommand('svcd rotate-secrets', 'Encrypts what is stored with the newest key, while servers run');
  declare.rotationFlags(flagTable(command));
  return command.addHelpText(
    'after',
    '\nGive SVC_SECRET_ENCRYPTION_KEY the new key first, then those in use. On PostgreSQL every server and worker needs the same list before.\n' +
      'A server on an embedded database does this itself when it starts with the new key first.',
  );
}

/** One flag of svcd as its reference page shows it. */
export interface FlagDescription {
  /** Flag with its value, such as `--addr <host:port>`. */
  readonly flag: string;
  readonly variable: string;
  readonly defaultText: string;
  readonly values: readonly string[];
  readonly help: string;
}

const describe = (command: Command): FlagDescription[] =>
  command.options.map((option) => ({
    flag: option.flags,
    variable: option.envVar ?? '',
    defaultText: option.defaultValueDescription ?? (option.defaultValue === undefined ? '' : String(option.defaultValue)),
    values: option.argChoices ?? [],
    help: option.description,
  }));

/** Every flag of `svcd`, `svcd worker` and `svcd rotate-secrets`, in the order of their help. */
export function describeFlags(): Readonly<Record<'server' | 'worker' | 'rotation', FlagDescription[]>> {
  return { server: describe(serverCommand()), worker: describe(workerCommand()), rotation: describe(rotateCommand()) };
}

const own = ownVariables(
  [serverCommand(), workerCommand(), rotateCommand()].flatMap(({ options }) =>
    options.flatMap((option) => [option.envVar ?? '', variableOf(option.name())]),
  ),
);

interface ToolOptions extends CeilingOptions {
  readonly allowPrivateToolEndpoints: boolean;
  readonly defaultToolVerdict: ToolConfig['defaultVerdict'];
  readonly toolIsolationBackend: ToolConfig['isolationBackend'];
  readonly containerNetwork: string;
  readonly toolContainerImage: string | undefined;
  readonly unisolatedCliTools: ToolConfig['unisolatedCli'];
  readonly cliToolMaxArgvLength: number;
  readonly enableKubernetesIsolation: boolean;
  readonly kubernetesApiUrl: string | undefined;
  readonly kubernetesNamespace: string | undefined;
  readonly kubernetesTokenFile: string | undefined;
  readonly kubernetesCaFile: string | undefined;
  readonly toolJobTtl: number;
}

/** Values from commander for the flags that both commands have; each was parsed by its flag's own parser. */
interface SharedOptions
  extends
    Omit<
      ProcessConfig,
      'database' | 'secretEncryptionKeys' | 'worker' | 'env' | 'secretEnv' | 'shutdownGraceMs' | 'tools' | 'allowPrivateModelEndpoints'
    >,
    Omit<WorkerConfig, 'id' | 'leaseMs' | 'heartbeatMs' | 'takeoversMax' | 'maxConcurrentTasks'>,
    ToolOptions {
  /** Undefined: nobody has said. */
  readonly allowPrivateModelEndpoints: boolean | undefined;
  readonly databaseUrl: string | undefined;
  readonly databaseMaxConnections: number;
  readonly secretEncryptionKey: readonly string[];
  readonly shutdownGrace: number;
  readonly workerId: string | undefined;
  readonly taskLeaseDuration: number;
  readonly taskHeartbeatInterval: number;
  readonly taskMaxTakeovers: number;
}

interface ServerOptions extends SharedOptions, Omit<Config, keyof ProcessConfig | 'embeddedWorker' | 'apiTokens'> {
  readonly dataDir: string;
  readonly authMode: string;
  readonly embeddedWorker: boolean | undefined;
  readonly embeddedWorkerMaxConcurrentTasks: number;
}

interface DoctorOptions extends ServerOptions {
  readonly output: 'table' | 'json';
  readonly strict: boolean;
}

interface WorkerOptions extends SharedOptions, Pick<WorkerProcessConfig, 'addr'> {
  readonly maxConcurrentTasks: number;
}

function urlProblem(databaseUrl: string | undefined): string | undefined {
  if (!databaseUrl || isDatabaseUrl(databaseUrl)) return undefined;
  return "option '--database-url' must be a PostgreSQL URL, postgres://user@host:5432/database; its value is not shown as it may hold a password";
}

/** Refusals that need more than one flag to judge, or that must not quote the value; each is one line that names the flag. */
function crossCheck(options: SharedOptions): string | undefined {
  const problem = urlProblem(options.databaseUrl);
  if (problem !== undefined) return problem;
  if (options.taskHeartbeatInterval * 2 > options.taskLeaseDuration)
    return "option '--task-heartbeat-interval' must be at most half of '--task-lease-duration', or a claim could lapse between two heartbeats";
  const prefixProblem = own.prefixProblem(options.secretEnvPrefix);
  if (prefixProblem) return `option '--secret-env-prefix' ${prefixProblem}`;
  return ceilingProblem(options);
}

function serverProblem(options: ServerOptions): string | undefined {
  if (options.authMode === 'native')
    return "option '--auth-mode': native sign-in is not available in this version; set SVC_API_TOKEN to require a token";
  return crossCheck(options);
}

function workerProblem(options: WorkerOptions): string | undefined {
  if (!options.databaseUrl)
    return "option '--database-url' is required: a worker shares a PostgreSQL database with its servers (a server on the embedded database runs tasks by itself)";
  return crossCheck(options);
}

function sharedConfig(options: SharedOptions, env: Environment, maxConcurrentTasks: number): Omit<ProcessConfig, 'database'> {
  return {
    secretEncryptionKeys: options.secretEncryptionKey,
    secretEnvPrefix: options.secretEnvPrefix,
    worker: {
      id: options.workerId,
      region: options.region?.trim() || undefined,
      gpu: options.gpu,
      supportedModels: options.supportedModels,
      maxConcurrentTasks,
      leaseMs: options.taskLeaseDuration,
      heartbeatMs: options.taskHeartbeatInterval,
      takeoversMax: options.taskMaxTakeovers,
    },
    logLevel: options.logLevel,
    logFormat: options.logFormat,
    shutdownGraceMs: options.shutdownGrace,
    tools: toolConfig(options),
    allowPrivateModelEndpoints: options.allowPrivateModelEndpoints ?? false,
    publicUrl: options.publicUrl,
    otlpEndpoint: options.otlpEndpoint,
    auditLog: options.auditLog || undefined,
    env,
    secretEnv: own.withoutOwn(env),
  };
}

function toolConfig(options: ToolOptions): ToolConfig {
  return {
    ceilings: toolCeilings(options),
    allowPrivateEndpoints: options.allowPrivateToolEndpoints,
    defaultVerdict: options.defaultToolVerdict,
    isolationBackend: options.toolIsolationBackend,
    containerNetwork: options.containerNetwork,
    containerImage: options.toolContainerImage,
    unisolatedCli: options.unisolatedCliTools,
    cliArgvMaxBytes: options.cliToolMaxArgvLength,
    kubernetes: options.enableKubernetesIsolation ? kubernetesConfig(options) : undefined,
  };
}

function kubernetesConfig(options: ToolOptions): KubernetesConfig {
  return {
    apiUrl: options.kubernetesApiUrl || undefined,
    namespace: options.kubernetesNamespace || undefined,
    tokenFile: options.kubernetesTokenFile || undefined,
    caFile: options.kubernetesCaFile || undefined,
    jobTtlMs: options.toolJobTtl,
  };
}

function serverConfig(options: ServerOptions, env: Environment): Config {
  const { databaseUrl: url, databaseMaxConnections: maxConnections, dataDir } = options;
  const embedded = !url;
  return {
    ...sharedConfig(options, env, options.embeddedWorkerMaxConcurrentTasks),
    database: embedded ? { kind: 'embedded', dataDir } : { kind: 'postgres', url, maxConnections },
    addr: options.addr,
    allowPrivateModelEndpoints: options.allowPrivateModelEndpoints ?? isLoopback(options.addr),
    apiKey: options.apiKey || undefined,
    apiTokens: env['SVC_API_TOKENS'] || undefined,
    allowUnauthenticated: options.allowUnauthenticated,
    allowOtherSecretKey: options.allowOtherSecretKey,
    embeddedWorker: options.embeddedWorker ?? embedded,
    trustedProxies: options.trustedProxies,
    corsOrigins: options.corsOrigins,
    crdConflictPolicy: options.crdConflictPolicy,
    approvalsNeedOther: options.approvalsNeedOther,
    ui: options.ui,
    maxWatches: options.maxWatches,
    maxWatchesPerIp: options.maxWatchesPerIp,
    maxConnections: options.maxConnections,
    maxRequestsPerSecond: options.maxRequestsPerSecond,
    changeRetention: options.changeRetention,
    taskRetention: options.taskRetention,
  };
}

function workerProcessConfig(options: WorkerOptions, env: Environment): WorkerProcessConfig {
  const { databaseUrl: url = '', databaseMaxConnections: maxConnections, addr } = options;
  return { ...sharedConfig(options, env, options.maxConcurrentTasks), database: { kind: 'postgres', url, maxConnections }, addr };
}

interface RotationOptions extends Pick<SharedOptions, 'databaseUrl' | 'databaseMaxConnections' | 'secretEncryptionKey'> {
  readonly dataDir: string;
  readonly adoptUnsealed: boolean;
}

function rotationProblem({ databaseUrl, secretEncryptionKey }: RotationOptions): string | undefined {
  if (secretEncryptionKey.length === 0) return "option '--secret-encryption-key' is required: the new key first, then those in use";
  return urlProblem(databaseUrl);
}

function rotationConfig({ dataDir, adoptUnsealed, ...options }: RotationOptions): RotationConfig {
  const { databaseUrl: url, databaseMaxConnections: maxConnections, secretEncryptionKey: secretEncryptionKeys } = options;
  const database: DatabaseConfig = url ? { kind: 'postgres', url, maxConnections } : { kind: 'embedded', dataDir };
  return { database, secretEncryptionKeys, adoptUnsealed };
}

/** The environment as arguments, to stand before argv so that a flag wins. Empty variables count as unset. The one variable of another name, SVC_API_TOKEN, wins over SVC_API_KEY. */
function environmentArguments(command: Command, env: Environment): string[] {
  return command.options.flatMap((option) => {
    const value = env[option.envVar ?? ''] || env[variableOf(option.name())];
    return value === undefined || value === '' ? [] : [`${option.long}=${value}`];
  });
}

type Parsed<T> = { readonly options: T; readonly warnings: string[] } | { readonly code: number; readonly text: string };

const refusal = (problem: string) => ({ code: 2, text: `error: ${problem}\n` });

/** `judge` answers with what is wrong with options that are each right by themselves. */
function parse<T>(
  command: Command,
  given: { argv: readonly string[]; env: Environment },
  judge: (options: T) => string | undefined,
): Parsed<T> {
  let text = '';
  command.configureOutput({ writeOut: (s) => (text += s), writeErr: (s) => (text += s) });
  try {
    command.parse([...environmentArguments(command, given.env), ...given.argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? { code: 0, text } : { code: 2, text: withoutCredentials(text) };
  }
  const [stray] = command.args;
  if (stray !== undefined) return refusal(withoutCredentials(strayArgument(command.name(), stray)));
  const options = command.opts<T & Record<string, unknown>>();
  const problem = judge(options);
  if (problem !== undefined) return refusal(problem);
  return { options, warnings: ineffective(command) };
}

function strayArgument(command: string, stray: string): string {
  if (command !== 'svcd') return `argument '${stray}': ${command} takes flags only`;
  if (stray === WORKER_COMMAND || stray === ROTATE_COMMAND || stray === DOCTOR_COMMAND)
    return `argument '${stray}': a command comes first, before every flag: svcd ${stray} --database-url …`;
  const near = didYouMean(stray, [WORKER_COMMAND, ROTATE_COMMAND, DOCTOR_COMMAND]);
  if (near !== '') return `argument '${stray}' is no command${near}`;
  return `argument '${stray}': svcd knows the commands worker, rotate-secrets and doctor; without one it serves and takes flags only`;
}

function ineffective(command: Command): string[] {
  const given = (name: string) => command.getOptionValueSource(name) === 'cli';
  const warnings = command.options
    .filter((option) => option.description.includes(declare.NO_EFFECT) && given(option.attributeName()))
    .map((option) => `${option.long} has no effect in this version`);
  const unused = given('dataDir') && Boolean(command.getOptionValue('databaseUrl'));
  return unused ? [...warnings, '--data-dir has no effect beside --database-url'] : warnings;
}

/** Reads svcd's command line. Never throws and never ends the process: bad input is an `exit` with code 2 and one line. */
export function parseInvocation(argv: readonly string[], env: Environment): Invocation {
  if (argv[0] === WORKER_COMMAND) {
    const parsed = parse<WorkerOptions>(workerCommand(), { argv: argv.slice(1), env }, workerProblem);
    if ('text' in parsed) return { kind: 'exit', ...parsed };
    return { kind: 'work', config: workerProcessConfig(parsed.options, env), warnings: parsed.warnings };
  }
  if (argv[0] === ROTATE_COMMAND) {
    const parsed = parse<RotationOptions>(rotateCommand(), { argv: argv.slice(1), env }, rotationProblem);
    return 'text' in parsed ? { kind: 'exit', ...parsed } : { kind: 'rotate', config: rotationConfig(parsed.options) };
  }
  if (argv[0] === DOCTOR_COMMAND) {
    const parsed = parse<DoctorOptions>(doctorCommand(), { argv: argv.slice(1), env }, serverProblem);
    if ('text' in parsed) return { kind: 'exit', ...parsed };
    const { output, strict } = parsed.options;
    return { kind: 'examine', config: serverConfig(parsed.options, env), output, strict };
  }
  const parsed = parse<ServerOptions>(serverCommand(), { argv, env }, serverProblem);
  if ('text' in parsed) return { kind: 'exit', ...parsed };
  return { kind: 'serve', config: serverConfig(parsed.options, env), warnings: parsed.warnings };
}
