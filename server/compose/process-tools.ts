// The tools of a worker's process: the port that calls them, its dependencies, and the engines that isolate them.
import { ServiceError } from '@svc/shared/errors';
import type { Egress } from '../egress/egress.ts';
import { CallError, type ToolPort } from '../engine/ports.ts';
import { createMemoryCalls } from '../memory/memory-calls.ts';
import { createToolPort } from '../tools/create-tool-port.ts';
import { IsolationHealth, type BackendState } from '../tools/isolation/isolation-health.ts';
import { createSecretLookup } from '../secrets/resolver.ts';
import { createToolCheck } from '../tools/runnability.ts';
import type { ProcessContext } from './process-context.ts';

export interface ProcessTools {
  readonly port: ToolPort;
  /** State of each isolation backend at its last check. */
  backends(): readonly BackendState[];
  /** The check `isolation`, which fails while no container engine answers; none where the operator does not demand one. */
  readonly readiness: readonly { readonly name: string; readonly check: () => Promise<void> }[];
  /** Probes the engines, keeps probing them, and starts the cleanup after processes that died. */
  start(): Promise<void>;
  /** Must not be called while a call is in flight. Idempotent. */
  close(): Promise<void>;
}

export interface ProcessToolsOptions {
  readonly egress: Egress;
  readonly random: () => number;
  readonly callbackUrl: () => string | undefined;
}

export function createProcessTools(context: ProcessContext, options: ProcessToolsOptions): ProcessTools {
  const { config, log, clock, store, secrets, decisions, isolation } = context;
  const { PATH: searchPath = '' } = config.env;
  const containersRequired = config.tools.isolationBackend === 'docker';
  const health = new IsolationHealth({ isolation, clock, log, containersRequired });
  const port = createToolPort({
    ...options,
    inputs: context.inputs,
    mcp: context.mcp,
    agents: context.remoteAgents.calls,
    memories: createMemoryCalls(context.memory),
    canRun: createToolCheck({
      config: config.tools,
      backends: () => health.states(),
      missingSecret: createSecretLookup({ envPrefix: config.secretEnvPrefix, env: config.secretEnv }),
    }),
    secrets,
    clock,
    log,
    store,
    decisions,
    config: config.tools,
    isolation,
    searchPath,
  });
  return {
    port,
    backends: () => health.states(),
    readiness: containersRequired
      ? [
          {
            name: 'isolation',
            check: () =>
              isolation
                .engineFor('container', 'a tool')
                .check()
                .then(() => undefined, unready),
          },
        ]
      : [],
    async start() {
      await health.runOnce();
      health.start();
      for (const engine of isolation.engines) engine.start();
    },
    async close() {
      await Promise.all([port.close(), health.stop()]);
    },
  };
}

function unready(error: unknown): never {
  throw error instanceof CallError ? new ServiceError('unavailable', error.message) : error;
}
