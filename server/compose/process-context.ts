// Parts that a server and a worker process share: the store with its measurements, the registry, Secrets and their key.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../clock.ts';
import type { ProcessConfig } from '../config.ts';
import { storedDecisionKey } from '../decisions/decision-key.ts';
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
import { createRegistry, type RegistryOptions } from '../registry/create-registry.ts';
import type { KindHooks, Registry } from '../registry/registry.ts';
import { createUuidV7 } from '../registry/uuid-v7.ts';
import { createKeyCheck, type KeyCheck } from '../secrets/key-check.ts';
import type { SecretResolver } from '../secrets/ports.ts';
import { createSecretResolver } from '../secrets/resolver.ts';
import { createSecretBox, type SecretBox } from '../secrets/secret-box.ts';
import { storedSecrets } from '../secrets/stored-secrets.ts';
import { createSessionHooks } from '../sessions/session-hooks.ts';
import { createSessionRunListener } from '../sessions/run-listener.ts';
import type { SessionDeps } from '../sessions/run-orders.ts';
import type { Store } from '../store/store.ts';
import { createTelemetry, type Telemetry } from '../telemetry/create-telemetry.ts';
import type { Logger } from '../log/log.ts';
import { createInputChecks, type ClosableInputChecks } from '../tools/input-check.ts';
import { defaultWorkerId } from '../worker/registration/worker-name.ts';
import { openAudit, type ProcessAudit } from './audit.ts';
import { openStore } from './open-store.ts';
import { planCall } from '../tools/call-plan.ts';
import { createServerToolCheck, createWriteAdvice } from './write-advice.ts';

export interface ProcessContextOptions {
  readonly config: ProcessConfig;
  readonly log: Logger;
  readonly clock: Clock;
  /** Options of this process's write path beyond the common ones. */
  readonly admission: Pick<RegistryOptions, 'crdConflictPolicy' | 'kubernetesIsolation'>;
  /** Every decision on an approval that this process takes needs another person. */
  readonly needOther: boolean;
  /** Whether this process shows changes of others as they come, as a server does. */
  readonly hearsChanges: boolean;
}

export interface ProcessContext {
  readonly config: ProcessConfig;
  readonly log: Logger;
  readonly clock: Clock;
  /** The id of this process's worker. */
  readonly id: string;
  /** Distinguishes this process from all others, also from an earlier one with the same id. */
  readonly instance: string;
  readonly store: Store;
  readonly telemetry: Telemetry;
  readonly registry: Registry;
  /** The judge of calls, of all runs of this process together. */
  readonly governance: Governance;
  readonly secrets: SecretResolver;
  readonly secretBox: SecretBox;
  /** Whether a tool can run, as far as this process and the Ready workers know. */
  readonly canRun: ToolCheck;
  readonly planCall: PlanCall;
  readonly keyCheck: KeyCheck;
  readonly decisions: DecisionLog;
  /** Checks of tool inputs, with the threads that make the slow ones. */
  readonly inputs: ClosableInputChecks;
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

/** Rejects with a ServiceError, in one sentence, when the store or the configuration is no ground to stand on: nothing is left open then. */
export async function createProcessContext(options: ProcessContextOptions): Promise<ProcessContext> {
  const { config, log, clock } = options;
  const audit = await openAudit(config.auditLog, { log, clock });
  try {
    return await composeContext(audit, options);
  } catch (error) {
    await audit.close();
    throw error;
  }
}

async function composeContext(
  audit: ProcessAudit,
  { config, log, clock, admission, needOther, hearsChanges }: ProcessContextOptions,
): Promise<ProcessContext> {
  const inputs = createInputChecks();
  const box = createSecretBox(...config.secretEncryptionKeys);
  const id = config.worker.id ?? defaultWorkerId(hostname(), process.pid);
  const opened = await openStore(config.database, { clock, log, applicationName: `svcd ${id}`, hearsChanges });
  try {
    const { otlpEndpoint, env } = config;
    const { observers } = audit;
    const version = installedVersion();
    const telemetry = await createTelemetry({ store: opened, clock, log, version, instance: id, otlpEndpoint, observers, env });
    const decisions = createDecisionLog({
      store: telemetry.store,
      secretBox: box,
      clock,
      reportFault: (problem) => log.error({ problem }, 'decision records were tampered with'),
    });
    const { store, recordDecision } = audit.writes(telemetry.store, decisions.record);
    const approvals: ApprovalDeps = { clock, recordDecision, inputs, needOther };
    const canRun = createServerToolCheck(config);
    const sessions: SessionDeps = { store, clock, registry: () => registry, runListeners: () => runListeners };
    const runListeners: RunListeners = createRunListeners([createSessionRunListener(sessions)], log);
    const hooks: (readonly [kind: string, hooks: KindHooks])[] = [
      ['Task', createTaskHooks({ store, clock, runListeners })],
      ['Session', createSessionHooks({ store, clock })],
      ['ToolApproval', createApprovalHooks(approvals, store)],
      ['TaskApproval', createApprovalHooks(approvals, store)],
      ...createGovernanceHooks(),
      ...createWriteAdvice(canRun, config),
    ];
    const registry: Registry = createRegistry({ store, clock, secretBox: box, newUid: createUuidV7(clock), hooks, ...admission });
    return {
      config,
      log,
      clock,
      id,
      instance: randomUUID(),
      store,
      telemetry,
      registry,
      governance: createGovernance({ defaultVerdict: config.tools.defaultVerdict }),
      secrets: createSecretResolver({ store, box, envPrefix: config.secretEnvPrefix, env: config.secretEnv }),
      secretBox: box,
      canRun,
      planCall: (tool, input) => planCall(tool, input, config.tools),
      keyCheck: createKeyCheck({ store, box, parts: [storedSecrets(box), storedDecisionKey(box)] }),
      decisions,
      approvals,
      runListeners,
      sessions,
      inputs,
      audit,
      reportError: (error) => log.error({ err: error }, 'background work failed'),
      async close() {
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
