// Parts that a server and a worker process share: the store with its measurements, the registry, Secrets and their key.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { isUnavailable } from '@svc/shared/errors';
import { a2aHooks, a2aRunListener, a2aTurnListener } from '../a2a/create-a2a.ts';
import type { Clock } from '../clock.ts';
import type { ProcessConfig } from '../config.ts';
import { createEgress } from '../egress/create-egress.ts';
import { createDecisionLog } from '../decisions/decision-log.ts';
import type { DecisionLog } from '../decisions/record-decision.ts';
import { createApprovalHooks } from '../engine/approvals/approval-hooks.ts';
import type { ApprovalDeps } from '../engine/approvals/conclude.ts';
import type { Governance, PlanCall, ToolCheck } from '../engine/ports.ts';
import { createRunListeners, type RunListeners } from '../engine/run-listeners.ts';
import { createTaskHooks } from '../engine/runs/task-hooks.ts';
import { createGovernance } from '../governance/create-governance.ts';
import { createGovernanceHooks } from '../governance/rules-version.ts';
import { installedVersion } from '../installation.ts';
import type { Isolation } from '../tools/isolation/isolation.ts';
import { ownSurroundings } from '../tools/isolation/docker/engine-places.ts';
import { createIsolation, type IsolationOptions } from '../tools/isolation/create-isolation.ts';
import type { Memories } from '../memory/create-memories.ts';
import { McpConnections, type McpConnectionsOptions } from '../mcp/connections.ts';
import { createMcpServerHooks } from '../mcp/sync/server-hooks.ts';
import { createRegistry, type RegistryOptions } from '../registry/create-registry.ts';
import type { IsProvided } from '../registry/missing-references.ts';
import type { KindHooks, Registry } from '../registry/registry.ts';
import { createUuidV7 } from '../registry/uuid-v7.ts';
import { checkKey, createKeyCheck, refuseOtherKey, type KeyCheck } from '../secrets/key-check.ts';
import type { SecretResolver } from '../secrets/ports.ts';
import { createSecretResolver, createValueLookup, createVariableCheck } from '../secrets/resolver.ts';
import { createSecretBox, type SecretBox } from '../secrets/secret-box.ts';
import { createSessionHooks } from '../sessions/session-hooks.ts';
import { Bindings } from '../sessions/bindings.ts';
import { createSessionRunListener } from '../sessions/run-listener.ts';
import type { SessionDeps } from '../sessions/run-orders.ts';
import { createOpenRecord } from '../sessions/session-run.ts';
import type { OnMigrating } from '../store/sqlite/migrate.ts';
import type { BeforeUpgrade, Store } from '../store/store.ts';
import { createTelemetry, type Telemetry } from '../telemetry/create-telemetry.ts';
import type { Logger } from '../log/log.ts';
import { createInputChecks, type ClosableInputChecks } from '../tools/input-check.ts';
import { workerHooks } from '../worker/registration/worker-hooks.ts';
import { defaultWorkerId } from '../worker/registration/worker-name.ts';
import { createExperimentHooks, experimentRunListener } from '../experiments/experiment-hooks.ts';
import { scheduleRunListener } from '../triggers/schedules/run-ended.ts';
import { createRecheckHooks } from '../triggers/recheck.ts';
import { createScheduleHooks } from '../triggers/schedules/schedule-hooks.ts';
import { createWebhookHooks } from '../triggers/webhooks/webhook-hooks.ts';
import { openAudit, type ProcessAudit } from './audit.ts';
import { openRemoteAgents, type RemoteAgents } from './remote-agents.ts';
import { openStore } from './open-store.ts';
import type { OwnProviders } from './own-providers.ts';
import { openMemories } from './process-memory.ts';
import { sealedParts } from './database-work.ts';
import { planCall } from '../tools/call-plan.ts';
import { PERMITTED_BY } from '../tools/runtime.ts';
import { createServerToolCheck, createWriteRules } from './write-rules.ts';

export interface ProcessContextOptions {
  readonly config: ProcessConfig;
  readonly log: Logger;
  readonly clock: Clock;
  /** Options of this process's write path beyond the common ones. */
  readonly admission: Pick<
    RegistryOptions,
    'crdConflictPolicy' | 'kubernetesIsolation' | 'versionsMax' | 'judgeReferences' | 'judgeRemovals'
  >;
  /** Every decision on an approval that this process takes needs another person. */
  readonly needOther: boolean;
  /** Whether this process shows changes of other processes at once, as a server does. */
  readonly listensToChanges: boolean;
  /** Reports an upgrade of an embedded database, step by step. */
  readonly onMigrating?: OnMigrating | undefined;
  /** This process refuses a database that is sealed with another key, so it does not upgrade it either. */
  readonly refusesOtherKey?: boolean;
  readonly providers?: OwnProviders | undefined;
}

export interface ProcessContext {
  readonly config: ProcessConfig;
  readonly log: Logger;
  readonly clock: Clock;
  /** The id of this process's worker. */
  readonly id: string;
  /** Distinguishes this process from all others, including an earlier one with the same id. */
  readonly instance: string;
  readonly store: Store;
  readonly telemetry: Telemetry;
  readonly registry: Registry;
  /** References that lead to a variable of this process. */
  readonly isProvided: IsProvided;
  /** The judge of calls, of all runs of this process together. */
  readonly governance: Governance;
  readonly secrets: SecretResolver;
  /** For references to Secrets that are used as one value. */
  readonly lookUpSecret: ReturnType<typeof createValueLookup>;
  readonly secretBox: SecretBox;
  /** Whether a tool can run, by the state of this process and the Ready workers. */
  readonly canRun: ToolCheck;
  readonly planCall: PlanCall;
  readonly keyCheck: KeyCheck;
  readonly decisions: DecisionLog;
  /** Checks of tool inputs, with the threads that make the slow ones. */
  readonly inputs: ClosableInputChecks;
  /** Engines of containers, for tools and for MCP servers. */
  readonly isolation: Isolation;
  /** Connections to MCP servers, for calls and for the sync. */
  readonly mcp: McpConnections;
  /** Remote agents, for calls and for the registry. */
  readonly remoteAgents: RemoteAgents;
  readonly providers: OwnProviders;
  /** Memories of agents, for calls, for people and for the check of their backends. */
  readonly memory: Memories;
  /** Dependencies of deciding an approval. */
  readonly approvals: ApprovalDeps;
  /** Parts that follow the ends and suspensions of runs. */
  readonly runListeners: RunListeners;
  readonly sessions: SessionDeps;
  readonly audit: ProcessAudit;
  readonly reportError: (error: unknown) => void;
  /** After everything that uses the store. Idempotent. */
  close(): Promise<void>;
}

/** Rejects with a ServiceError, in one sentence, when the store or the configuration cannot be used; nothing is left open then. */
export async function createProcessContext(options: ProcessContextOptions): Promise<ProcessContext> {
  const { config, log, clock } = options;
  const audit = await openAudit(config, { log, clock });
  try {
    return await composeContext(audit, options);
  } catch (error) {
    await audit.close();
    throw error;
  }
}

async function composeContext(audit: ProcessAudit, options: ProcessContextOptions): Promise<ProcessContext> {
  const { config, log, clock, admission, needOther, providers = {} } = options;
  const remoteAgents = openRemoteAgents(config, clock);
  const inputs = createInputChecks();
  const box = createSecretBox(...config.secretEncryptionKeys);
  const id = config.worker.id ?? defaultWorkerId(hostname(), process.pid);
  const opened = await openProcessStore(options, { box, id });
  try {
    const { otlpEndpoint, env } = config;
    const { observers } = audit;
    const version = installedVersion();
    const telemetry = await createTelemetry({ store: opened, clock, log, version, instance: id, otlpEndpoint, observers, env });
    const decisions = openDecisions(telemetry.store, { secretBox: box, clock, log });
    const { store, recordDecision } = audit.writes(telemetry.store, decisions.record);
    const approvals: ApprovalDeps = { clock, recordDecision, inputs, needOther };
    const canRun = createServerToolCheck(config);
    const { sessions, runListeners } = followRuns({ store, clock, log, registry: () => registry });
    const common = { store, clock, runListeners, approvals, registry: () => registry };
    const variables = { envPrefix: config.secretEnvPrefix, env: config.secretEnv };
    const isProvided = createVariableCheck(variables);
    const rules = { hooks: [...ownHooks(common), ...createWriteRules({ canRun, config, clock })], isProvided, ...admission };
    const registry: Registry = createRegistry({ store, clock, secretBox: box, newUid: createUuidV7(clock), ...rules });
    const secrets = createSecretResolver({ store, box, ...variables });
    const isolation = openIsolation(config, { clock, log, owner: id });
    const mcp = openMcp(config, { store, clock, log, secrets, version, isolation });
    const memory = openMemories(config, { store, clock, secrets, providers });
    return {
      config,
      log,
      clock,
      id,
      instance: randomUUID(),
      store,
      telemetry,
      registry,
      isProvided,
      governance: createGovernance({ defaultVerdict: config.tools.defaultVerdict }),
      lookUpSecret: createValueLookup(variables),
      secrets,
      isolation,
      mcp: mcp.connections,
      remoteAgents,
      memory,
      providers,
      secretBox: box,
      canRun,
      planCall: (tool, input) => planCall(tool, input, config.tools),
      keyCheck: createKeyCheck({ store, box, parts: sealedParts(box) }),
      decisions,
      approvals,
      runListeners,
      sessions,
      inputs,
      audit,
      // Work that fails in an outage of the database runs again after it.
      reportError: (error) => log[isUnavailable(error) ? 'warn' : 'error']({ err: error }, 'background work failed'),
      async close() {
        await Promise.all([mcp.close(), memory.close(), remoteAgents.close(), ...isolation.engines.map((engine) => engine.stop())]);
        await inputs.close();
        await telemetry.stop();
        await opened.close();
        await audit.close();
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

function openProcessStore(
  { config, clock, log, listensToChanges, onMigrating, refusesOtherKey }: ProcessContextOptions,
  { box, id }: { readonly box: SecretBox; readonly id: string },
): Promise<Store> {
  const beforeUpgrade: BeforeUpgrade = async (reader) => {
    if (refusesOtherKey) refuseOtherKey(await checkKey(reader, box));
  };
  return openStore(config.database, { clock, log, applicationName: `svcd ${id}`, listensToChanges, onMigrating, beforeUpgrade });
}

/** Sessions, and the parts that follow the runs behind them. */
function followRuns({ store, clock, log, registry }: Pick<SessionDeps, 'store' | 'clock' | 'registry'> & { readonly log: Logger }) {
  const runs = (): RunListeners => runListeners;
  const sessions: SessionDeps = {
    store,
    clock,
    registry,
    bindings: new Bindings(),
    runListeners: runs,
    onTurnEnded: a2aTurnListener(clock),
  };
  const listeners = [createSessionRunListener(sessions), a2aRunListener(sessions), scheduleRunListener, experimentRunListener];
  const runListeners = createRunListeners(listeners, log, createOpenRecord({ ...sessions, log }));
  return { sessions, runListeners };
}

interface HookDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly runListeners: RunListeners;
  readonly approvals: ApprovalDeps;
  readonly registry: () => Registry;
}

function ownHooks({ store, clock, runListeners, approvals, registry }: HookDeps): (readonly [kind: string, hooks: KindHooks])[] {
  return [
    ['Task', createTaskHooks({ store, clock, runListeners })],
    ['Session', createSessionHooks({ store, clock })],
    ...createRecheckHooks(),
    ...a2aHooks(clock),
    ...createWebhookHooks(clock),
    ...createScheduleHooks(clock),
    ...createExperimentHooks({ clock, registry, runListeners: () => runListeners }),
    ['McpServer', createMcpServerHooks(registry)],
    ['ToolApproval', createApprovalHooks(approvals, store)],
    ['TaskApproval', createApprovalHooks(approvals, store)],
    workerHooks,
    ...createGovernanceHooks(),
  ];
}

function openDecisions(...[store, { secretBox, clock, log }]: [Store, Pick<ProcessContext, 'secretBox' | 'clock' | 'log'>]): DecisionLog {
  const reportFault = (problem: string) => log.error({ problem }, 'decision records were tampered with');
  return createDecisionLog({ store, secretBox, clock, reportFault });
}

/** No engine is contacted before the first use. */
function openIsolation({ env, tools }: ProcessConfig, deps: Pick<IsolationOptions, 'clock' | 'log' | 'owner'>): Isolation {
  const cluster = { host: env['KUBERNETES_SERVICE_HOST'], port: env['KUBERNETES_SERVICE_PORT'] };
  return createIsolation({ ...deps, config: tools, around: ownSurroundings(env), cluster });
}

/** No program and no connection is started before the first use. */
function openMcp(
  { env, tools, mcpStdio }: ProcessConfig,
  deps: Pick<McpConnectionsOptions, 'store' | 'clock' | 'log' | 'secrets' | 'version' | 'isolation'>,
) {
  const egress = createEgress();
  const connections = new McpConnections({
    ...deps,
    egress,
    allowPrivate: tools.allowPrivateEndpoints,
    permittedBy: PERMITTED_BY,
    searchPath: env['PATH'] ?? '',
    stdio: mcpStdio,
    ceilings: tools.ceilings,
  });
  return {
    connections,
    async close() {
      await connections.close();
      await egress.close();
    },
  };
}
