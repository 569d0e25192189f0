// The worker of a process, registered as a Worker object: the same in a server and in a process of its own.
import { ServiceError } from '@svc/shared/errors';
import { createEgress } from '../egress/create-egress.ts';
import { builtInProviders } from '../models/built-in-providers.ts';
import { createModelPort } from '../models/create-model-port.ts';
import { keyProblem, type KeyCheck } from '../secrets/key-check.ts';
import { createSessionRunContexts } from '../sessions/run-context.ts';
import { Registration } from '../worker/registration/registration.ts';
import { createPausableWorker, type PausableWorker } from '../worker/pausable-worker.ts';
import type { ProcessContext } from './process-context.ts';
import { createProcessTools, type ProcessTools } from './process-tools.ts';

export interface ProcessWorker {
  /** Takes the Worker object, then claims. Rejects with `conflict` when another living process has the same id. */
  start(): Promise<void>;
  /** Reports that it drains, releases its runs at safe points, and reports that it has stopped. Idempotent; safe when never started. */
  stop(): Promise<void>;
  /** Releases its runs at safe points and claims nothing, until it is called with false. */
  pause(paused: boolean): Promise<void>;
  /** Renews its claims and polls for work at once. Does nothing unless started. */
  wake(): void;
  /** Throws `unavailable` while it takes no tasks. */
  checkReady(): void;
  /** Its tools: whether they can be isolated, and where. */
  readonly tools: Pick<ProcessTools, 'backends' | 'readiness'>;
}

/** Least time between two polls of a worker that shares its database. */
const SHARED_CLAIM_SPACING_MS = 4;

/**
 * Tasks that a new process claims before it opens them. A Task that kills its worker while it is opened within the claim leaves no trace;
 * it comes to the front of the queue, so the processes that follow meet it among their first.
 */
const WARY_TASKS = 32;

export interface ProcessWorkerOptions {
  readonly random: () => number;
  /** The URL under which tools reach the API; undefined when this process knows none. */
  readonly callbackUrl: () => string | undefined;
  /** Another process has this worker's id now. The worker stops by itself. */
  readonly onReplaced: () => void;
}

type State = 'new' | 'working' | 'stopped';

export function createProcessWorker(context: ProcessContext, { random, callbackUrl, onReplaced }: ProcessWorkerOptions): ProcessWorker {
  const { config, log, clock, store, registry, secrets, id, telemetry } = context;
  const { leaseMs, heartbeatMs, takeoversMax, id: _given, ...offer } = config.worker;
  const soleOwner = config.database.kind === 'embedded';
  let state: State = 'new';
  const registration = new Registration({
    ...{ store, registry, clock, log, id },
    instance: context.instance,
    offer,
    leaseMs,
    heartbeatMs,
    soleOwner,
    secretsProblem: secretsProblem(context.keyCheck),
    isolation: () => tools.backends(),
    mcpStdio: config.mcpStdio,
    held: () => worker.held(),
    onChange: () => worker.wake(),
    onReplaced() {
      state = 'stopped';
      void worker.stop();
      onReplaced();
    },
  });
  const egress = createEgress();
  const tools = createProcessTools(context, { egress, random, callbackUrl });
  const http = { secrets, egress, clock, allowPrivate: config.allowPrivateModelEndpoints };
  const worker = createPausableWorker({
    store,
    clock,
    log,
    id,
    leaseMs,
    heartbeatMs,
    maxConcurrentTasks: registration.maxConcurrentTasks,
    capabilities: registration.capabilities,
    stopGraceMs: config.shutdownGraceMs / 2,
    takeoversMax,
    contexts: createSessionRunContexts(context.sessions.bindings),
    waryTasks: WARY_TASKS,
    claimSpacingMs: soleOwner ? 0 : SHARED_CLAIM_SPACING_MS,
    drive: {
      models: createModelPort(http, builtInProviders(http, context.providers.models)),
      tools: tools.port,
      governance: context.governance,
      random,
      observer: telemetry.observer,
      runListeners: context.runListeners,
    },
  });
  return {
    async start() {
      await tools.start();
      await registration.register();
      registration.start();
      worker.start();
      state = 'working';
    },
    async stop() {
      state = 'stopped';
      await Promise.all([registration.drain(), worker.stop()]);
      await Promise.all([registration.stop(), tools.close(), egress.close()]);
    },
    pause: (paused) => worker.pause(paused),
    wake: () => void (state === 'working' && renewAll(worker, registration)),
    tools,
    checkReady: () => requireWorking(state),
  };
}

function requireWorking(state: State): void {
  if (state !== 'working') throw new ServiceError('unavailable', state === 'new' ? 'it has not started yet' : 'it has stopped');
}

/** None of these rejects. */
async function renewAll(worker: PausableWorker, registration: Registration): Promise<void> {
  await Promise.all([worker.renew(), registration.runOnce()]);
  worker.wake();
}

/** The first check stores this process's key if none is stored; checks with each heartbeat only compare. */
function secretsProblem(keyCheck: KeyCheck): () => Promise<string | undefined> {
  let settled = false;
  return async () => {
    const verdict = await (settled ? keyCheck.check() : keyCheck.settle());
    settled = true;
    return keyProblem(verdict);
  };
}
