// The composition root: config → parts → start, stop. The only file that knows every part; it holds no rules.
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ServiceError } from '@svc/shared/errors';
import { createAuth } from './auth/create-auth.ts';
import { systemClock, type Clock } from './clock.ts';
import type { Config } from './config.ts';
import { createEgress } from './egress/create-egress.ts';
import { createRunService } from './engine/create-run-service.ts';
import { silentObserver } from './engine/observer.ts';
import { createTaskHooks } from './engine/task-hooks.ts';
import { createHttpServer, type HttpFrontend } from './http/server.ts';
import type { Capability } from './http/services.ts';
import { installedVersion } from './installation.ts';
import { createModelPort } from './models/create-model-port.ts';
import { ChangePruner } from './registry/change-pruner.ts';
import { createRegistry } from './registry/create-registry.ts';
import { createUuidV7 } from './registry/uuid-v7.ts';
import { createWatchService } from './registry/watch-service.ts';
import { createSecretResolver } from './secrets/resolver.ts';
import { createSecretBox } from './secrets/secret-box.ts';
import { openSqliteStore } from './store/sqlite/open.ts';
import type { Store } from './store/store.ts';
import type { Logger } from './telemetry/log.ts';
import { createMetricsRegistry } from './telemetry/metrics.ts';
import { createToolPort } from './tools/create-tool-port.ts';
import { createWorker, type Worker } from './worker/worker.ts';

const DATABASE_FILE = 'svc.db';

/** What tests may put in place of the real thing. */
export interface Overrides {
  readonly clock?: Clock;
  readonly random?: () => number;
}

export interface RunningServer {
  /** The address it listens on, `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Stops accepting, ends streams, releases runs at their safe points, closes the store. Idempotent. */
  stop(): Promise<void>;
}

interface Parts {
  readonly http: HttpFrontend;
  readonly worker: Worker | undefined;
  readonly pruner: ChangePruner;
  readonly store: Store;
}

/** Starts a server. Rejects with a ServiceError, in one sentence, when it cannot: nothing is left running then. */
export async function startServer(config: Config, log: Logger, overrides: Overrides = {}): Promise<RunningServer> {
  const clock = overrides.clock ?? systemClock;
  const store = await openSqliteStore({ path: join(config.dataDir, DATABASE_FILE), clock });
  try {
    const parts = await compose({ config, log, clock, store, random: overrides.random ?? Math.random });
    await parts.http.listen();
    parts.pruner.start();
    parts.worker?.start();
    return { ...parts.http.address, stop: once(() => stop(parts, config.shutdownGraceMs)) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface Ground {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly store: Store;
  readonly random: () => number;
}

async function compose(ground: Ground): Promise<Parts> {
  const { config, log, clock, store } = ground;
  const secretBox = createSecretBox(config.secretEncryptionKey);
  const newUid = createUuidV7(clock);
  const reportError = (error: unknown) => log.error({ err: error }, 'background work failed');
  const registry = createRegistry({
    store,
    clock,
    secretBox,
    newUid,
    hooks: new Map([['Task', createTaskHooks(store)]]),
    crdConflictPolicy: config.crdConflictPolicy,
    kubernetesIsolation: config.enableKubernetesIsolation,
  });
  const watches = createWatchService({ store, clock, reportError });
  const runs = createRunService({ store, clock, registry });
  const auth = await createAuth({ store, clock, apiKey: config.apiKey, apiTokens: config.apiTokens });
  requireSafeAddress(config, auth.enabled());
  const http = createHttpServer(
    { registry, watches, runs, auth, clock, log, metrics: createMetricsRegistry(), checkReady: () => store.checkHealth() },
    {
      ...config.addr,
      version: installedVersion(),
      capabilities: capabilities(config),
      publicUrl: config.publicUrl,
      corsOrigins: config.corsOrigins,
      trustedProxies: config.trustedProxies,
      maxWatches: config.maxWatches,
      maxWatchesPerIp: config.maxWatchesPerIp,
    },
  );
  const pruner = new ChangePruner({ store, clock, keepNewest: config.changeRetention, reportError });
  const secrets = createSecretResolver({ store, box: secretBox, envPrefix: config.secretEnvPrefix, env: config.env });
  return { http, pruner, store, worker: config.embeddedWorker ? embeddedWorker(ground, secrets) : undefined };
}

function embeddedWorker({ config, log, clock, store, random }: Ground, secrets: ReturnType<typeof createSecretResolver>): Worker {
  const egress = createEgress();
  const { id, region, gpu, supportedModels, maxConcurrentTasks, ...timing } = config.worker;
  return createWorker({
    store,
    clock,
    log,
    ...timing,
    maxConcurrentTasks: () => maxConcurrentTasks,
    id: id ?? `${hostname()}-${process.pid}`,
    stopGraceMs: config.shutdownGraceMs / 2,
    capabilities: () => ({ gpu, supportedModels, secrets: true, ...(region !== undefined && { region }) }),
    drive: {
      models: createModelPort({ secrets, egress, clock }),
      tools: createToolPort({ secrets, egress, clock, random, allowPrivateEndpoints: config.allowPrivateToolEndpoints }),
      random,
      observer: silentObserver,
    },
  });
}

/** Without tokens everybody who reaches the port is an admin, so the port must be reachable from this machine only. Source: DECISIONS section 1 "Safe default". */
function requireSafeAddress(config: Config, authEnabled: boolean): void {
  const { host } = config.addr;
  const loopback = host === 'localhost' || host === '::1' || /^127\./.test(host);
  if (loopback || authEnabled || config.allowUnauthenticated) return;
  throw new ServiceError(
    'invalid',
    `--addr ${host} is reachable from other machines but no API token is set: set SVC_API_TOKEN, listen on 127.0.0.1, or pass --allow-unauthenticated`,
  );
}

function capabilities(config: Config): Capability[] {
  const built = (id: string, description: string, enabled = true): Capability => ({ id, description, enabled, source: 'build' });
  return [
    built('resources', 'All kinds can be stored, listed and watched.'),
    built('tasks', 'Tasks run on leased workers with a durable journal.'),
    { id: 'embedded-worker', enabled: config.embeddedWorker, description: 'This process runs tasks.', source: '--embedded-worker' },
    {
      id: 'secret-encryption',
      enabled: config.secretEncryptionKey !== undefined,
      description: 'Secret values are encrypted at rest.',
      source: '--secret-encryption-key',
    },
    {
      id: 'private-tool-endpoints',
      enabled: config.allowPrivateToolEndpoints,
      description: 'Tools may reach loopback and private addresses.',
      source: '--allow-private-tool-endpoints',
    },
    built('postgresql', 'Shared state in PostgreSQL.', false),
    built('approvals', 'Tool and task approvals pause runs.', false),
    built('sessions', 'Sessions run turns.', false),
    built('triggers', 'Schedules and webhooks start runs.', false),
    built('a2a', 'Agent-to-agent calls.', false),
    built('mcp', 'Tools imported from MCP servers.', false),
    built('console', 'The web console.', false),
  ];
}

/** The order of a shutdown: no new requests, runs back at their safe points, then the store. */
async function stop({ http, worker, pruner, store }: Parts, graceMs: number): Promise<void> {
  // Once the last connection is gone only timers may be left that let the process end, with runs not yet given back.
  const stayUp = setInterval(() => undefined, graceMs);
  try {
    await Promise.all([http.close(graceMs / 2), worker?.stop()]);
    await pruner.stop();
    await store.close();
  } finally {
    clearInterval(stayUp);
  }
}

function once(action: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= action());
}
