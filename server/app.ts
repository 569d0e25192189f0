// The composition root: config → parts → start, stop, for a server and for a worker process. It imports every part and holds no rules.
import { ServiceError } from '@svc/shared/errors';
import { trimEnd } from '@svc/shared/trim-end';
import { a2aTimers, createA2a } from './a2a/create-a2a.ts';
import type { AuthService } from './auth/auth.ts';
import { createAuth } from './auth/create-auth.ts';
import type { IdentitySource } from './auth/identity-source.ts';
import type { Launch } from './auth/launch-sessions.ts';
import { createBundleService } from './bundles/create-bundle-service.ts';
import type { Authorize } from './authorizer/authorizer.ts';
import type { GuardedServices } from './authorizer/guard.ts';
import { composeAgentCards } from './compose/agent-cards.ts';
import { createGuard, type Guard } from './compose/guard.ts';
import { shortTokenProblems } from './auth/tokens.ts';
import { SIGN_IN_EXPIRY } from './auth/sign-in-documents.ts';
import { systemClock, timestamp, type Clock } from './clock.ts';
import { capabilitiesOf } from './compose/capabilities.ts';
import { createTrials, type ServerTrials } from './compose/model-trials.ts';
import { openFilesLimit, openFilesProblem } from './compose/open-files.ts';
import { createProcessContext, type ProcessContext } from './compose/process-context.ts';
import { composeTerminals } from './compose/terminals.ts';
import type { OwnProviders } from './compose/own-providers.ts';
import { createProcessWorker, type ProcessWorker } from './compose/process-worker.ts';
import { rotateOwnDatabase } from './compose/database-work.ts';
import { requireLongTokens, requireSafeAddress } from './compose/safe-address.ts';
import type { Config, WorkerProcessConfig } from './config.ts';
import type { ListenAddress } from './config/flag-values.ts';
import type { DesktopServices } from './control/conversation.ts';
import { createControllers, type Controllers } from './controllers/create-controllers.ts';
import { createMissingReferences } from './controllers/missing-references/controller.ts';
import { createPeriodicLoop } from './controllers/runtime/loop.ts';
import type { DecisionLog } from './decisions/record-decision.ts';
import { createApprovalExpiry } from './engine/approvals/expiry.ts';
import { createDenialTimer } from './engine/runs/end-denied.ts';
import { createRunService } from './engine/runs/create-run-service.ts';
import { createEnvironmentKeys } from './environment-keys/environment-keys.ts';
import { keysOf, NO_KEYS, type EnvironmentKeySource } from './environment-keys/source.ts';
import { TASK_QUEUE } from './engine/task-queue.ts';
import { createExportService } from './exports/export-service.ts';
import { createExperimentService } from './experiments/experiment-service.ts';
import { createExperimentTimers } from './experiments/timers.ts';
import type { Gateway } from './gateway/gateway.ts';
import { createAccessCheck } from './governance/access-check.ts';
import { reachableUrl } from './compose/reachable-url.ts';
import { retentionLoops } from './compose/retention-loops.ts';
import { createProbeServer, type ProbeServer } from './http/probe-server.ts';
import { createReadiness, type CheckReady, type ReadinessCheck } from './http/readiness.ts';
import { HttpFrontend } from './http/server.ts';
import { isConsoleBuilt } from './http/ui/console-files.ts';
import { builtConsoleDirectory, installedVersion } from './installation.ts';
import { createMemoryController } from './memory/controller.ts';
import { createMemoryService } from './memory/memory-service.ts';
import { createMcpCalls } from './mcp/endpoint/service.ts';
import { createMcpSync, MCP_STDIO_LEADER, type McpSyncOptions } from './mcp/sync/controller.ts';
import { createPreferences, forgetPreferences } from './preferences/preferences.ts';
import { createTextIndexer } from './registry/text-indexer.ts';
import { createReferenceIndexer } from './registry/reference-indexer.ts';
import { createWatchService } from './registry/watch/watch-service.ts';
import { refuseOtherKey, requireKey } from './secrets/key-check.ts';
import { createChatService } from './sessions/chat-service.ts';
import { createUnsealing } from './sealing/controller.ts';
import { createSealingKeys, type SealingKeys } from './sealing/sealing-key.ts';
import { createSessionService } from './sessions/create-session-service.ts';
import { createSessionTimers } from './sessions/timers.ts';
import { createStatistics } from './statistics/create-statistics.ts';
import { createRunCounter } from './statistics/run-counter.ts';
import { sweepExpired } from './store/expiring-documents.ts';
import type { OnMigrating } from './store/sqlite/migrate.ts';
import type { Claim } from './store/store.ts';
import type { Logger } from './log/log.ts';
import type { TerminalService } from './terminal/terminals.ts';
import { TerminalTokens } from './terminal/tokens.ts';
import { createScheduleService } from './triggers/schedules/schedule-service.ts';
import { createClockWatch } from './triggers/schedules/clock-watch.ts';
import { createTriggerTimers } from './triggers/timers.ts';
import { createWebhookService } from './triggers/webhooks/create-webhook-service.ts';
import { EVENT_EXPIRY } from './triggers/webhooks/records.ts';
import type { ClosableWebhookService } from './triggers/webhooks/webhook-service.ts';
import { createToolCallbacks } from './tools/webhook-callback/accept-reply.ts';
import { CALLBACK_EXPIRY } from './tools/webhook-callback/callback-records.ts';

const MINUTE_MS = 60_000;
/** Delay of the status after a write: a client can continue with the version in its answer. */
const UNSEAL_AFTER_MS = 300;

/** Replacements that tests supply for real components. */
export interface Overrides {
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Rules of a program that embeds the server; wins over --authorizer-url. */
  readonly authorize?: Authorize;
  readonly providers?: OwnProviders;
  /** Present in a server that the desktop app supervises. */
  readonly supervision?: Supervision;
}

interface Supervision {
  /** Signs the window in; turns authentication on. */
  readonly launchSecret: string;
  /** No controllers run: no schedule starts anything. */
  readonly safeMode: boolean;
  readonly onMigrating: OnMigrating;
  /** Other servers that the window shows. */
  readonly gateway: Gateway;
  /** Keys of providers in the environment of the person at the desktop. */
  readonly environmentKeys: EnvironmentKeySource;
}

export interface RunningServer {
  /** The address it listens on, `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly desktop: Omit<DesktopServices, 'gateway' | 'environmentKeys' | 'remote'>;
  /**
   * Stops accepting, ends streams, releases runs at their safe points, closes the store. Cuts requests after half of the grace; that of the
   * configuration is the default. Idempotent.
   */
  stop(graceMs?: number): Promise<void>;
}

export interface RunningWorker {
  readonly workerId: string;
  /** Where it answers probes. */
  readonly probes: { readonly url: string; readonly host: string; readonly port: number } | undefined;
  /** Aborts with a ServiceError when this process must stop. */
  readonly failed: AbortSignal;
  /** Releases runs at their safe points, closes the store. Idempotent. */
  stop(): Promise<void>;
}

/** Starts a server. Rejects with a ServiceError, in one sentence, when it cannot: nothing is left running then. */
export async function startServer(config: Config, log: Logger, overrides: Overrides = {}): Promise<RunningServer> {
  const { crdConflictPolicy, approvalsNeedOther: needOther } = config;
  const kubernetesIsolation = config.tools.kubernetes !== undefined;
  const clock = overrides.clock ?? systemClock;
  const guard = createGuard(config, overrides, clock);
  const { judgeReferences, judgeRemovals } = guard;
  const judges = { judgeReferences, judgeRemovals };
  const admission = { crdConflictPolicy, kubernetesIsolation, versionsMax: config.versionRetention.count, ...judges };
  const context = await createProcessContext({
    config,
    log,
    clock,
    admission,
    needOther,
    listensToChanges: true,
    refusesOtherKey: !config.allowOtherSecretKey,
    onMigrating: overrides.supervision?.onMigrating,
    providers: overrides.providers,
  });
  let parts: ServerParts | undefined;
  try {
    await judgeKey(context, config);
    await prepareDecisions(context);
    parts = await composeServer({ ...context, guard }, config, overrides);
    await parts.http.listen();
    const fewFiles = openFilesProblem(await openFilesLimit(), config.maxConnections);
    if (fewFiles !== undefined) log.warn(fewFiles);
    await parts.worker?.start();
    if (!overrides.supervision?.safeMode) parts.controllers.start();
    const running = parts;
    return { ...running.http.address, desktop: running.desktop, stop: once((graceMs) => stopServer(context, running, graceMs)) };
  } catch (error) {
    await Promise.all([
      parts?.http.close(0),
      parts?.worker?.stop(),
      parts?.webhooks.close(),
      guard.close(),
      parts?.trials.close(),
      parts?.terminals.stop(),
    ]);
    await context.close();
    throw error;
  }
}

/** Starts a worker. Rejects with a ServiceError, in one sentence, when it cannot: nothing is left running then. */
export async function startWorkerProcess(config: WorkerProcessConfig, log: Logger, overrides: Overrides = {}): Promise<RunningWorker> {
  const clock = overrides.clock ?? systemClock;
  // A worker writes no kind that keeps versions.
  const admission = { crdConflictPolicy: 'off', kubernetesIsolation: false, versionsMax: 0 } as const;
  const { providers } = overrides;
  const context = await createProcessContext({ config, log, clock, admission, needOther: false, listensToChanges: false, providers });
  const failed = new AbortController();
  const { id } = context;
  const onReplaced = () => failed.abort(new ServiceError('conflict', `another process now uses the worker id "${id}"`));
  const worker = createProcessWorker(context, {
    random: overrides.random ?? Math.random,
    callbackUrl: () => config.publicUrl,
    onReplaced,
  });
  const probes = config.addr && createProbes(context, config.addr, worker);
  try {
    await probes?.listen();
    await worker.start();
  } catch (error) {
    await Promise.all([probes?.close(), worker.stop()]);
    await context.close();
    throw error;
  }
  // While the database is away nothing but timers that let the process end may be left.
  const stayUp = setInterval(() => undefined, config.shutdownGraceMs);
  const stop = once(async () => {
    await worker.stop();
    await probes?.close();
    await context.close();
    clearInterval(stayUp);
  });
  return { workerId: id, probes: probes?.address, failed: failed.signal, stop };
}

/** Secrets written beside those of another key would be lost to every process that has that key. */
async function judgeKey(context: ProcessContext, { allowOtherSecretKey }: Config): Promise<void> {
  refuseOtherKey(await context.keyCheck.settle({ takeOver: allowOtherSecretKey }));
  await rotateOwnDatabase(context);
}

/** A server that cannot sign still serves: it refuses decisions. */
async function prepareDecisions({ decisions, log }: ProcessContext): Promise<void> {
  const problem = await decisions.prepare();
  if (problem !== undefined) log.error(problem);
}

async function requireTrusted(decisions: DecisionLog): Promise<void> {
  const fault = await decisions.fault();
  if (fault !== undefined) throw new ServiceError('unavailable', fault);
}

/** Address of the server for its clients, without a slash at the end. */
const ownUrl = ({ publicUrl, basePath }: Config, address: HttpFrontend['address']): string =>
  trimEnd(publicUrl ?? `${reachableUrl(address)}${basePath}`, '/');

interface ServerParts {
  readonly http: HttpFrontend;
  readonly worker: ProcessWorker | undefined;
  readonly webhooks: ClosableWebhookService;
  readonly guard: Guard;
  readonly trials: ServerTrials;
  readonly terminals: TerminalService;
  readonly controllers: Controllers;
  readonly desktop: Omit<DesktopServices, 'gateway' | 'environmentKeys' | 'remote'>;
}

interface ServerContext extends ProcessContext {
  readonly guard: Guard;
}

interface AuthParts {
  /** Sign-ins of the desktop window. */
  readonly launch: Launch | undefined;
  readonly sources: readonly IdentitySource[];
}

/** Authentication of callers. Rejects for an address that would be open to everybody. */
async function composeAuth(
  { store, clock, log, audit }: ProcessContext,
  config: Config,
  { launch, sources }: AuthParts,
): Promise<AuthService> {
  const { apiKey, apiTokens, native, addr, allowUnauthenticated } = config;
  const auth = audit.auth(
    await createAuth({ store, clock, apiKey, apiTokens, launch, sources, onDeleted: forgetPreferences, ...(native && { native }) }),
  );
  for (const warning of requireLongTokens(addr, { problems: shortTokenProblems(config), allowUnauthenticated })) log.warn(warning);
  requireSafeAddress(addr, { authEnabled: auth.enabled(), allowUnauthenticated });
  return auth;
}

/** Services that judge their callers. */
function callerServices(context: ProcessContext, given: Pick<GuardedServices, 'watches' | 'runs' | 'auth' | 'webhooks'>): GuardedServices {
  const { store, clock, registry, audit, sessions } = context;
  return {
    ...given,
    registry,
    sessions: createSessionService(sessions),
    chats: createChatService(sessions),
    mcpCalls: createMcpCalls({ ...context, ...given }),
    statistics: createStatistics({ store, clock }),
    schedules: createScheduleService(context),
    experiments: createExperimentService(context),
    memories: audit.memories(createMemoryService({ registry, ...context.memory })),
  };
}

async function composeServer(context: ServerContext, config: Config, overrides: Overrides): Promise<ServerParts> {
  const { store, clock, log, telemetry, decisions, audit, reportError, guard } = context;
  const watches = createWatchService({ store, clock, reportError });
  const runs = createRunService({ ...context, observer: telemetry.observer, ...context.approvals });
  const tokens = new TerminalTokens();
  const launch = launchOf(overrides, () => http.address.port);
  const auth = await composeAuth(context, config, { launch, sources: [tokens] });
  const random = overrides.random ?? Math.random;
  const onReplaced = () => log.error({ worker: context.id }, 'the worker in this server has stopped: another process uses its id');
  const callbackUrl = () => config.publicUrl ?? reachableUrl(http.address);
  const worker = config.embeddedWorker ? createProcessWorker(context, { random, callbackUrl, onReplaced }) : undefined;
  const access = createAccessCheck({ ...context, defaultVerdict: config.tools.defaultVerdict, needOther: config.approvalsNeedOther });
  const sealing = createSealingKeys(context);
  const webhooks = createWebhookService(context);
  const uiDir = builtConsoleDirectory();
  const consoleBuilt = isConsoleBuilt(uiDir);
  const guarded = guard.guard(callerServices(context, { watches, runs, auth, webhooks }));
  const trials = createTrials(context, guarded.registry, config);
  const terminals = await composeTerminals({
    ...{ config, clock, tokens, auth: () => auth, onEvent: audit.onTerminal },
    serverUrl: () => `${reachableUrl(http.address)}${config.basePath}`,
  });
  const cardSettings = () => ({
    ...{ baseUrl: ownUrl(config, http.address), authEnabled: auth.enabled(), push: true },
    provider: config.a2aProvider,
  });
  const http: HttpFrontend = new HttpFrontend(
    {
      ...guarded,
      a2a: createA2a({ ...context.sessions, ...context.remoteAgents.outbound, secretBox: context.secretBox, runs: guarded.runs }),
      agentCards: composeAgentCards(config, { store, clock, settings: cardSettings, directory: context.remoteAgents.directory }),
      authorizer: guard.authorizer,
      modelTrials: trials.modelTrials,
      environmentKeys: createEnvironmentKeys({ registry: guarded.registry, source: keySource(config, overrides) }),
      terminals,
      gateway: overrides.supervision?.gateway,
      access,
      decisions,
      bundles: createBundleService({ registry: guarded.registry, signer: decisions, clock, version: installedVersion() }),
      exports: createExportService({ registry: guarded.registry, clock, version: installedVersion() }),
      sealing,
      toolCallbacks: createToolCallbacks({ store, clock, queue: TASK_QUEUE }),
      preferences: createPreferences({ store }),
      clock,
      log,
      metrics: telemetry.metrics,
      checkReady: readiness(context, worker, [
        { name: 'secrets', check: () => requireKey(context.keyCheck) },
        { name: 'decisions', check: () => requireTrusted(decisions) },
      ]),
      onRefused: audit.onRefused,
    },
    {
      ...httpOptions(config, overrides),
      capabilities: () =>
        capabilitiesOf(config, { backends: worker?.tools.backends(), consoleBuilt, terminalsUnavailable: terminals.unavailable }),
      uiDir: config.ui ? uiDir : undefined,
    },
  );
  return {
    http,
    worker,
    webhooks,
    guard,
    trials,
    terminals,
    desktop: desktopServices(guarded, worker),
    controllers: serverControllers(context, config, { random, sealing, auth }),
  };
}

const launchOf = ({ supervision }: Overrides, port: Launch['port']): Launch | undefined =>
  supervision && { secret: supervision.launchSecret, port };

const keySource = ({ offerEnvironmentKeys, env }: Config, { supervision }: Overrides): EnvironmentKeySource =>
  supervision?.environmentKeys ?? (offerEnvironmentKeys ? keysOf(env) : NO_KEYS);

const desktopServices = (guarded: GuardedServices, worker: ProcessWorker | undefined): ServerParts['desktop'] => ({
  ...guarded,
  drain: async () => worker?.stop(),
  pause: async (paused) => worker?.pause(paused),
  wake: () => worker?.wake(),
});

/** Options of the HTTP front that follow from the configuration alone. */
const httpOptions = (config: Config, { supervision }: Overrides) => ({
  ...config.addr,
  version: installedVersion(),
  publicUrl: config.publicUrl,
  basePath: config.basePath,
  corsOrigins: config.corsOrigins,
  strictOrigins: supervision !== undefined,
  trustedProxies: config.trustedProxies,
  maxWatches: config.maxWatches,
  maxWatchesPerIp: config.maxWatchesPerIp,
  maxConnections: config.maxConnections,
  maxConnectionsPerIp: config.maxConnectionsPerIp,
  maxRequestsPerSecond: config.maxRequestsPerSecond,
  a2aRate: config.a2aRateLimit,
});

interface ControllerParts {
  readonly random: () => number;
  readonly sealing: SealingKeys;
  readonly auth: Pick<AuthService, 'principal'>;
}

/** Controllers of a server: those that one server at a time runs (pruning included) and those that every server runs. */
function serverControllers(context: ServerContext, config: Config, { random, sealing: keys, auth }: ControllerParts): Controllers {
  const { store, clock, log, id, instance, registry, reportError } = context;
  const { leaseMs } = config.worker;
  const { ageMs: versionAgeMs } = config.versionRetention;
  const sweep = (intervalMs: number, run: () => Promise<unknown>) => () => createPeriodicLoop({ clock, intervalMs, run, reportError });
  const mcpSync = (claim: Claim, transport: McpSyncOptions['transport']) =>
    createMcpSync({ store, registry, clock, log, random, claim, transport, connections: context.mcp, coalesceMs: UNSEAL_AFTER_MS });
  return createControllers({
    store,
    registry,
    clock,
    log,
    random,
    expireApproval: createApprovalExpiry(context.approvals),
    timers: [
      createDenialTimer({ ...context, observer: context.telemetry.observer }),
      ...createSessionTimers(context.sessions),
      ...createTriggerTimers({ ...context, registry: () => registry }),
      ...createExperimentTimers({ clock, registry: () => registry, runListeners: () => context.runListeners }),
      ...a2aTimers({
        ...{ ...context, ...context.remoteAgents.outbound, random },
        principal: (name) => auth.principal(name),
        authorizer: context.guard.authorizer,
      }),
    ],
    owner: `${id}/${instance}`,
    leaseMs,
    // Workers renew their claims and report at the same pace, so a silent one loses both at once.
    workerTimeoutMs: leaseMs,
    leasedLoops: config.mcpStdio ? { [MCP_STDIO_LEADER]: (claim) => mcpSync(claim, 'stdio') } : {},
    leaderLoops: [
      () => createReferenceIndexer({ store, clock, reportError }),
      () => createTextIndexer({ store, clock, reportError }),
      (claim) => createUnsealing({ store, registry, clock, log, random, claim, keys, coalesceMs: UNSEAL_AFTER_MS }),
      (claim) => mcpSync(claim, 'http'),
      (claim) => createMemoryController({ store, clock, log, random, claim, memory: context.memory, coalesceMs: UNSEAL_AFTER_MS }),
      (claim) => createMissingReferences({ store, clock, log, random, claim, isProvided: context.isProvided, coalesceMs: UNSEAL_AFTER_MS }),
      (claim) => createRunCounter({ store, clock, claim, reportError }),
      sweep(MINUTE_MS, () => store.pruneChanges({ keepNewest: config.changeRetention })),
      ...(versionAgeMs === undefined
        ? []
        : [sweep(10 * MINUTE_MS, () => store.pruneVersions({ replacedBefore: timestamp(clock.now() - versionAgeMs) }))]),
      sweep(MINUTE_MS, createClockWatch({ store, clock })),
      sweep(MINUTE_MS, () => sweepExpired(store, CALLBACK_EXPIRY, clock.now())),
      sweep(MINUTE_MS, () => sweepExpired(store, EVENT_EXPIRY, clock.now())),
      sweep(10 * MINUTE_MS, () => sweepExpired(store, SIGN_IN_EXPIRY, clock.now())),
      ...retentionLoops(context, config),
    ],
  });
}

function createProbes(context: ProcessContext, addr: ListenAddress, worker: ProcessWorker): ProbeServer {
  const { telemetry, reportError } = context;
  return createProbeServer({ ...addr, checkReady: readiness(context, worker), metrics: telemetry.metrics, reportError });
}

function readiness({ store, log }: ProcessContext, worker: ProcessWorker | undefined, more: readonly ReadinessCheck[] = []): CheckReady {
  const reportError = (error: unknown, check: string) => log.error({ err: error, check }, 'readiness check failed');
  const checks = [{ name: 'store', check: () => store.checkHealth() }];
  const workerChecks = worker ? [{ name: 'worker', check: () => worker.checkReady() }, ...worker.tools.readiness] : [];
  return createReadiness([...checks, ...more, ...workerChecks], { reportError });
}

/** The order of a shutdown: no new requests, runs back at their safe points, then the store. */
async function stopServer(
  context: ProcessContext,
  { http, worker, controllers, webhooks, guard, trials, terminals }: ServerParts,
  graceMs = context.config.shutdownGraceMs,
): Promise<void> {
  // After the last connection has closed only timers may be left that let the process end before runs are released.
  const stayUp = setInterval(() => undefined, graceMs);
  try {
    await Promise.all([terminals.stop(), http.close(graceMs / 2), worker?.stop(), controllers.stop()]);
    await Promise.all([webhooks.close(), guard.close(), trials.close()]);
    await context.close();
  } finally {
    clearInterval(stayUp);
  }
}

function once(action: (graceMs?: number) => Promise<void>): (graceMs?: number) => Promise<void> {
  let running: Promise<void> | undefined;
  return (graceMs) => (running ??= action(graceMs));
}
