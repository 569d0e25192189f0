// The one reader of flags and environment. Every flag `--some-flag` of svcd has the variable SVC_SOME_FLAG; the flag wins.
import { join } from 'node:path';
import { Option, type Command } from 'commander';
import { trimEnd } from '@svc/shared/trim-end';
import { ceilingFlags, ceilingProblem, modelFlags, toolCeilings, type CeilingOptions } from './config/ceilings.ts';
import { flagTable, variableOf } from './config/flag-table.ts';
import { isLocalDatabase, isLoopback, type ListenAddress, type VersionRetention } from './config/flag-values.ts';
import * as declare from './config/flags.ts';
import { isMaintenance, MAINTENANCE, parseMaintenance, type MaintenanceConfig, type MaintenanceName } from './config/maintenance.ts';
import { ownVariables } from './config/own-variables.ts';
import { COMMANDS, databaseUrlProblem, DOCTOR_COMMAND, newCommand, parseCommand, WORKER_COMMAND } from './config/parse-command.ts';
import type { AuditWebhook } from './audit/audit-webhook.ts';
import { basePathProblem } from './base-path.ts';
import type { TaskRetention } from './controllers/retention/limits.ts';
import type { LogFormat, LogLevel } from './log/log.ts';
import type { KubernetesConfig, ToolPortConfig } from './tools/runtime.ts';

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
  /** JWK set of the keys that may sign the cards of remote agents; undefined: signatures are not checked. */
  readonly a2aTrustedCardKeys: string | undefined;
  readonly a2aRequireSignedCards: boolean;
  /** Whether this process starts the programs of McpServers with transport stdio. */
  readonly mcpStdio: boolean;
  /** Whether ModelEndpoints with `allowPrivate` may be at loopback and private addresses. */
  readonly allowPrivateModelEndpoints: boolean;
  /** The address that clients and tools reach the servers by. */
  readonly publicUrl: string | undefined;
  readonly otlpEndpoint: string | undefined;
  /** A file, or `stdout`; undefined: nowhere. */
  readonly auditLog: string | undefined;
  /** Where audit events are sent, and the directory in which they wait. */
  readonly auditWebhook: (AuditWebhook & { readonly spool: string }) | undefined;
  /** Settings of the platform: OTEL_*, DOCKER_HOST, PATH. */
  readonly env: Environment;
  /** Where Secret references fall back to: no variable that configures svcd is in it. */
  readonly secretEnv: Environment;
}

/** How tools run, and what a call gets that no rule governs. */
interface ToolConfig extends ToolPortConfig {
  readonly defaultVerdict: 'allow' | 'deny';
}

export interface Config extends ProcessConfig {
  readonly addr: ListenAddress;
  readonly apiKey: string | undefined;
  /** Raw `SVC_API_TOKENS`. */
  readonly apiTokens: string | undefined;
  /** Users with names and passwords; undefined: there are none. */
  readonly native: { readonly setupToken: string | undefined } | undefined;
  readonly allowUnauthenticated: boolean;
  /** Address of the operator's authorizer; undefined: only roles decide. */
  readonly authorizerUrl: string | undefined;
  /** Start beside Secrets that this key does not open. */
  readonly allowOtherSecretKey: boolean;
  readonly embeddedWorker: boolean;
  readonly trustedProxies: readonly string[];
  /** Path prefix of requests, `/svc`; empty: none. */
  readonly basePath: string;
  readonly corsOrigins: readonly string[];
  readonly crdConflictPolicy: 'off' | 'warn' | 'reject';
  /** Every decision on an approval takes another person. */
  readonly approvalsNeedOther: boolean;
  /** Shells for admins in the console. */
  readonly enableTerminal: boolean;
  readonly offerEnvironmentKeys: boolean;
  /** Serve the web console. */
  readonly ui: boolean;
  readonly maxWatches: number;
  readonly maxWatchesPerIp: number;
  readonly maxConnections: number;
  /** Undefined: a quarter of the above, and any number from this machine. */
  readonly maxConnectionsPerIp: number | undefined;
  /** 0: any number. */
  readonly maxRequestsPerSecond: number;
  /** Inbound requests over A2A of one caller; undefined: any number. */
  readonly a2aRateLimit: { readonly perSecond: number; readonly burst: number } | undefined;
  /** PEM file of the key that signs agent cards; undefined: they are not signed. */
  readonly a2aCardSigningKey: string | undefined;
  /** Provider in agent cards; undefined: they name none. */
  readonly a2aProvider: { readonly organization: string; readonly url: string } | undefined;
  /** Newest rows of the change log that pruning keeps. */
  readonly changeRetention: number;
  readonly versionRetention: VersionRetention;
  /** Undefined: finished Tasks stay. */
  readonly taskRetention: TaskRetention | undefined;
  readonly approvalRetention: TaskRetention | undefined;
  readonly sessionRetention: TaskRetention | undefined;
  readonly chatRetention: TaskRetention;
}

export interface WorkerProcessConfig extends ProcessConfig {
  /** Where it answers probes; undefined: nowhere. */
  readonly addr: ListenAddress | undefined;
}

interface WorkerConfig {
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

/** First argument of a server that the desktop app starts; no variable sets it. */
const SUPERVISED_FLAG = '--supervised';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Command that argv requests: a server, a worker, work on the database alone, a server of the desktop app, or a text to print before the exit. */
export type Invocation =
  | { readonly kind: 'serve'; readonly config: Config; readonly warnings: readonly string[] }
  | { readonly kind: 'work'; readonly config: WorkerProcessConfig; readonly warnings: readonly string[] }
  | { readonly kind: 'maintain'; readonly config: MaintenanceConfig }
  | { readonly kind: 'examine'; readonly config: Config; readonly output: 'table' | 'json'; readonly strict: boolean }
  /** The settings come from the desktop app, which gives the flags beside them. */
  | { readonly kind: 'supervise'; readonly flags: readonly string[] }
  | { readonly kind: 'exit'; readonly code: number; readonly text: string };

function serverCommand(): Command {
  const command = newCommand('svcd', 'Agent Orchestration Service: the control plane server').usage(`[${COMMANDS.join(' | ')}] [options]`);
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
  modelFlags(flags, 'true with --addr on loopback, else false');
  declare.auditFlags(flags);
  declare.inboundA2aFlags(flags);
  return command
    .addHelpText(
      'before',
      'svcd serves the API. svcd worker runs tasks for servers on the same PostgreSQL; svcd worker --help lists its flags. svcd migrate brings the schema of a database up to date, svcd rotate-secrets replaces the encryption key, svcd seal-key prints the key that SealedSecrets are made with, svcd reset-admin resets the password of an admin. svcd doctor checks the flags of a server.\n',
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
  declare.dataDirFlag(flags, 'where files of this process live: audit-spool');
  declare.workerProcessFlags(flags);
  declare.workerFlags(flags);
  declare.workerAddressFlags(flags);
  declare.processFlags(flags);
  declare.toolFlags(flags);
  ceilingFlags(flags);
  modelFlags(flags, 'true with a database on this machine, else false');
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

/** Every flag of `svcd` and of its commands with flags of their own, in the order of their help. */
export function describeFlags(): Readonly<Record<'server' | 'worker' | MaintenanceName, FlagDescription[]>> {
  const { migrate, 'rotate-secrets': rotate, 'seal-key': sealKey, 'reset-admin': resetAdmin } = MAINTENANCE;
  return {
    server: describe(serverCommand()),
    worker: describe(workerCommand()),
    'rotate-secrets': describe(rotate.command()),
    'seal-key': describe(sealKey.command()),
    migrate: describe(migrate.command()),
    'reset-admin': describe(resetAdmin.command()),
  };
}

const own = ownVariables(
  [serverCommand(), workerCommand(), ...Object.values(MAINTENANCE).map(({ command }) => command())].flatMap(({ options }) =>
    options.flatMap((option) => [option.envVar ?? '', variableOf(option.name())]),
  ),
);

interface ToolOptions extends CeilingOptions {
  /** Undefined: not set. */
  readonly mcpStdio: boolean | undefined;
  readonly allowPrivateToolEndpoints: boolean;
  readonly a2aAllowPrivateEndpoints: boolean;
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
      | 'database'
      | 'secretEncryptionKeys'
      | 'worker'
      | 'env'
      | 'secretEnv'
      | 'shutdownGraceMs'
      | 'tools'
      | 'mcpStdio'
      | 'allowPrivateModelEndpoints'
      | 'auditWebhook'
    >,
    Omit<WorkerConfig, 'id' | 'leaseMs' | 'heartbeatMs' | 'takeoversMax' | 'maxConcurrentTasks'>,
    ToolOptions {
  /** Undefined: not set. */
  readonly allowPrivateModelEndpoints: boolean | undefined;
  readonly auditWebhook: string | undefined;
  readonly auditWebhookSecret: string | undefined;
  readonly auditSpool: string | undefined;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly databaseMaxConnections: number;
  readonly secretEncryptionKey: readonly string[];
  readonly shutdownGrace: number;
  readonly workerId: string | undefined;
  readonly taskLeaseDuration: number;
  readonly taskHeartbeatInterval: number | undefined;
  readonly taskMaxTakeovers: number;
}

interface ServerOptions
  extends SharedOptions, Omit<Config, keyof ProcessConfig | 'embeddedWorker' | 'apiTokens' | 'native' | 'basePath' | 'a2aProvider'> {
  readonly a2aProviderOrganization: string | undefined;
  readonly a2aProviderUrl: string | undefined;
  readonly basePath: string | undefined;
  readonly authMode: 'off' | 'native';
  readonly setupToken: string | undefined;
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

/** Refusals that need more than one flag to judge, or that must not quote the value; each is one line that names the flag. */
function crossCheck(options: SharedOptions): string | undefined {
  const problem = databaseUrlProblem(options.databaseUrl);
  if (problem !== undefined) return problem;
  if (heartbeatOf(options) * 2 > options.taskLeaseDuration)
    return "option '--task-heartbeat-interval' must be at most half of '--task-lease-duration', or a claim could lapse between two heartbeats";
  if (options.auditWebhook && !options.auditWebhookSecret?.trim())
    return "option '--audit-webhook-secret' is required by --audit-webhook: the receiver checks signatures with it";
  const prefixProblem = own.prefixProblem(options.secretEnvPrefix);
  if (prefixProblem) return `option '--secret-env-prefix' ${prefixProblem}`;
  return ceilingProblem(options);
}

function serverProblem(options: ServerOptions): string | undefined {
  if (options.offerEnvironmentKeys && options.allowUnauthenticated)
    return "option '--offer-environment-keys' cannot be combined with '--allow-unauthenticated': everybody who reaches the port could use the keys";
  if (options.enableTerminal && options.allowUnauthenticated)
    return "option '--enable-terminal' cannot be combined with '--allow-unauthenticated': everybody who reaches the port would get a shell";
  if (!options.a2aProviderOrganization?.trim() !== (options.a2aProviderUrl === undefined))
    return "options '--a2a-provider-organization' and '--a2a-provider-url' name the provider in agent cards: give both or neither";
  const { basePath, publicUrl } = options;
  const published = pathOfUrl(publicUrl);
  if (basePath === undefined) {
    const problem = basePathProblem(published);
    if (problem !== undefined) return `option '--public-url' has the path ${published}, which must ${problem}`;
  } else if (publicUrl !== undefined && published !== basePath)
    return `option '--base-path' is "${basePath}" and the path of --public-url is "${published}": give both the same, or leave --base-path out`;
  return crossCheck(options);
}

const pathOfUrl = (url: string | undefined): string => (url === undefined ? '' : trimEnd(new URL(url).pathname, '/'));

function providerOf({ a2aProviderOrganization: organization, a2aProviderUrl: url }: ServerOptions): Config['a2aProvider'] {
  return organization && url ? { organization: organization.trim(), url } : undefined;
}

function workerProblem(options: WorkerOptions): string | undefined {
  if (!options.databaseUrl)
    return "option '--database-url' is required: a worker shares a PostgreSQL database with its servers (a server on the embedded database runs tasks by itself)";
  return crossCheck(options);
}

const HEARTBEAT_DEFAULT_MS = 10_000;
const heartbeatOf = ({ taskHeartbeatInterval, taskLeaseDuration }: SharedOptions): number =>
  taskHeartbeatInterval ?? Math.min(HEARTBEAT_DEFAULT_MS, Math.floor(taskLeaseDuration / 3));

function sharedConfig(
  options: SharedOptions,
  env: Environment,
  maxConcurrentTasks: number,
): Omit<ProcessConfig, 'database' | 'allowPrivateModelEndpoints'> {
  const spool = options.auditSpool ?? join(options.dataDir, 'audit-spool');
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
      heartbeatMs: heartbeatOf(options),
      takeoversMax: options.taskMaxTakeovers,
    },
    logLevel: options.logLevel,
    logFormat: options.logFormat,
    shutdownGraceMs: options.shutdownGrace,
    tools: toolConfig(options),
    a2aTrustedCardKeys: options.a2aTrustedCardKeys || undefined,
    a2aRequireSignedCards: options.a2aRequireSignedCards,
    mcpStdio: options.mcpStdio ?? false,
    publicUrl: options.publicUrl,
    otlpEndpoint: options.otlpEndpoint,
    auditLog: options.auditLog || undefined,
    auditWebhook: options.auditWebhook ? { url: options.auditWebhook, secret: options.auditWebhookSecret ?? '', spool } : undefined,
    env,
    secretEnv: own.withoutOwn(env),
  };
}

function toolConfig(options: ToolOptions): ToolConfig {
  return {
    ceilings: toolCeilings(options),
    allowPrivateEndpoints: options.allowPrivateToolEndpoints,
    allowPrivateAgents: options.a2aAllowPrivateEndpoints,
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
    native: options.authMode === 'native' ? { setupToken: options.setupToken?.trim() || undefined } : undefined,
    allowUnauthenticated: options.allowUnauthenticated,
    authorizerUrl: options.authorizerUrl || undefined,
    allowOtherSecretKey: options.allowOtherSecretKey,
    mcpStdio: options.mcpStdio ?? options.embeddedWorker ?? embedded,
    embeddedWorker: options.embeddedWorker ?? embedded,
    trustedProxies: options.trustedProxies,
    basePath: options.basePath ?? pathOfUrl(options.publicUrl),
    corsOrigins: options.corsOrigins,
    crdConflictPolicy: options.crdConflictPolicy,
    approvalsNeedOther: options.approvalsNeedOther,
    enableTerminal: options.enableTerminal,
    offerEnvironmentKeys: options.offerEnvironmentKeys,
    ui: options.ui,
    maxWatches: options.maxWatches,
    maxWatchesPerIp: options.maxWatchesPerIp,
    maxConnections: options.maxConnections,
    maxConnectionsPerIp: options.maxConnectionsPerIp,
    maxRequestsPerSecond: options.maxRequestsPerSecond,
    a2aRateLimit: options.a2aRateLimit,
    a2aCardSigningKey: options.a2aCardSigningKey || undefined,
    a2aProvider: providerOf(options),
    changeRetention: options.changeRetention,
    versionRetention: options.versionRetention,
    taskRetention: options.taskRetention,
    approvalRetention: options.approvalRetention,
    sessionRetention: options.sessionRetention,
    chatRetention: options.chatRetention,
  };
}

function workerProcessConfig(options: WorkerOptions, env: Environment): WorkerProcessConfig {
  const { databaseUrl: url = '', databaseMaxConnections: maxConnections, addr } = options;
  return {
    ...sharedConfig(options, env, options.maxConcurrentTasks),
    database: { kind: 'postgres', url, maxConnections },
    addr,
    allowPrivateModelEndpoints: options.allowPrivateModelEndpoints ?? isLocalDatabase(url),
  };
}

/** Reads svcd's command line. Never throws and never ends the process: bad input is an `exit` with code 2 and one line. */
export function parseInvocation(argv: readonly string[], env: Environment): Invocation {
  const [name] = argv;
  if (name === SUPERVISED_FLAG) return { kind: 'supervise', flags: argv.slice(1) };
  const given = { argv: COMMANDS.some((command) => command === name) ? argv.slice(1) : argv, env };
  if (isMaintenance(name)) {
    const parsed = parseMaintenance(name, given);
    return 'text' in parsed ? { kind: 'exit', ...parsed } : { kind: 'maintain', config: parsed.config };
  }
  if (name === WORKER_COMMAND) {
    const parsed = parseCommand<WorkerOptions>(workerCommand(), given, workerProblem);
    if ('text' in parsed) return { kind: 'exit', ...parsed };
    return { kind: 'work', config: workerProcessConfig(parsed.options, env), warnings: parsed.warnings };
  }
  if (name === DOCTOR_COMMAND) {
    const parsed = parseCommand<DoctorOptions>(doctorCommand(), given, serverProblem);
    if ('text' in parsed) return { kind: 'exit', ...parsed };
    const { output, strict } = parsed.options;
    return { kind: 'examine', config: serverConfig(parsed.options, env), output, strict };
  }
  const parsed = parseCommand<ServerOptions>(serverCommand(), given, serverProblem);
  if ('text' in parsed) return { kind: 'exit', ...parsed };
  return { kind: 'serve', config: serverConfig(parsed.options, env), warnings: parsed.warnings };
}
