// The HTTP front on a free loopback port over the real registry, watches and auth on an in-memory store. Runs are a stand-in that records its calls.
import { Registry as MetricsRegistry } from 'prom-client';
import { request, type Dispatcher } from 'undici';
import type { AuthService } from '../auth/auth.ts';
import { createAgentCards } from '../a2a/cards/card-service.ts';
import type { AgentDirectory } from '../a2a/client/directory.ts';
import type { CardSigner } from '../a2a/cards/card-signer.ts';
import { createAuth, type AuthOptions } from '../auth/create-auth.ts';
import type { IdentitySource } from '../auth/identity-source.ts';
import { createBundleService } from '../bundles/create-bundle-service.ts';
import { systemClock, type Clock } from '../clock.ts';
import type { MemoryService } from '../memory/memory-service.ts';
import type { ExperimentService } from '../experiments/experiment-service.ts';
import type { ScheduleService } from '../triggers/schedules/schedule-service.ts';
import type { WebhookService } from '../triggers/webhooks/webhook-service.ts';
import { createSealingKeys } from '../sealing/sealing-key.ts';
import { createDecisionLog } from '../decisions/decision-log.ts';
import { createEnvironmentKeys } from '../environment-keys/environment-keys.ts';
import { NO_KEYS, type EnvironmentKeySource } from '../environment-keys/source.ts';
import { createExportService } from '../exports/export-service.ts';
import type { RunService } from '../engine/runs/run-service.ts';
import { createAccessCheck } from '../governance/access-check.ts';
import { createGovernance } from '../governance/create-governance.ts';
import { createGovernanceHooks } from '../governance/rules-version.ts';
import type { CheckReady } from '../http/readiness.ts';
import { HttpFrontend } from '../http/server.ts';
import type { HttpOptions, HttpServices } from '../http/services.ts';
import { createPreferences } from '../preferences/preferences.ts';
import { createRegistry } from '../registry/create-registry.ts';
import { createToolCallbacks } from '../tools/webhook-callback/accept-reply.ts';
import { TASK_QUEUE } from '../engine/task-queue.ts';
import { createUuidV7 } from '../registry/uuid-v7.ts';
import { objectIndex } from '../registry/reference-index.ts';
import { createWatchService } from '../registry/watch/watch-service.ts';
import type { A2aService } from '../http/rest/a2a.ts';
import type { McpCalls } from '../mcp/endpoint/service.ts';
import type { ModelTrials } from '../model-trials/model-trials.ts';
import type { ChatService } from '../sessions/chat-service.ts';
import type { SessionService } from '../sessions/session-service.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import { createStatistics } from '../statistics/create-statistics.ts';
import type { Store } from '../store/store.ts';
import { TerminalService } from '../terminal/terminals.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly text: string;
  /** The parsed body; undefined when it is not JSON. */
  readonly body: any;
}

export interface HttpFixture {
  readonly url: string;
  readonly store: Store;
  readonly auth: AuthService;
  readonly front: HttpFrontend;
  readonly logged: { readonly level: string; readonly fields: any; readonly message: string }[];
  send(method: string, path: string, options?: { body?: unknown; headers?: Record<string, string> }): Promise<Answer>;
  close(): Promise<void>;
}

export interface HttpFixtureOptions extends Partial<HttpOptions> {
  readonly apiKey?: string;
  readonly apiTokens?: string;
  readonly identitySources?: readonly IdentitySource[];
  readonly native?: AuthOptions['native'];
  /** Shared by several fronts; absent: one in memory. */
  readonly store?: Store;
  readonly runs?: Partial<RunService>;
  readonly chats?: ChatService;
  /** Absent: the environment has none. */
  readonly environmentKeys?: EnvironmentKeySource;
  readonly checkReady?: CheckReady;
  readonly onRefused?: HttpServices['onRefused'];
  readonly clock?: Clock;
  /** Absent: agent cards are not signed. */
  readonly cardSigner?: CardSigner;
  /** Absent: no card of a remote agent is ever read. */
  readonly agentDirectory?: Pick<AgentDirectory, 'find' | 'state' | 'isDue'>;
}

const NO_AGENTS: Pick<AgentDirectory, 'find' | 'state' | 'isDue'> = {
  find: () => Promise.reject(new Error('no remote agents')),
  state: () => ({ cacheStatus: 'empty' }),
  isDue: () => false,
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export async function startHttpFixture(options: HttpFixtureOptions = {}): Promise<HttpFixture> {
  const {
    apiKey,
    apiTokens,
    identitySources = [],
    native,
    runs = {},
    chats = {} as ChatService,
    checkReady,
    onRefused,
    clock = systemClock,
    cardSigner,
    agentDirectory: _directory,
    store: _given,
    environmentKeys: _keys,
    ...http
  } = options;
  const store = options.store ?? (await openSqliteStore({ path: ':memory:', clock, ...objectIndex }));
  const logged: HttpFixture['logged'] = [];
  const write = (level: string) => (fields: unknown, message: string) => void logged.push({ level, fields, message });
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') } as never;
  const registry = createRegistry({
    store,
    clock,
    hooks: createGovernanceHooks(),
    secretBox: createSecretBox(),
    crdConflictPolicy: 'warn',
    newUid: createUuidV7(clock),
    kubernetesIsolation: false,
    versionsMax: 100,
  });
  const watches = createWatchService({ store, clock, reportError: (error) => write('error')({ err: error }, 'tail') });
  const auth = await createAuth({ store, clock, apiKey, apiTokens, sources: identitySources, ...(native && { native }) });
  const decisions = createDecisionLog({ store, secretBox: createSecretBox(), clock });
  const front = new HttpFrontend(
    {
      registry,
      watches,
      auth,
      exports: createExportService({ registry, clock, version: '0' }),
      environmentKeys: createEnvironmentKeys({ registry, source: options.environmentKeys ?? NO_KEYS }),
      runs: runs as RunService,
      sessions: {} as SessionService,
      chats,
      a2a: { systems: { find: () => Promise.resolve(undefined), findOnly: () => Promise.resolve('none') } } as unknown as A2aService,
      agentCards: createAgentCards({
        ...{ store, clock, signer: cardSigner, directory: options.agentDirectory ?? NO_AGENTS },
        settings: () => ({ baseUrl: 'https://agents.example', authEnabled: auth.enabled(), push: false }),
      }),
      mcpCalls: {} as McpCalls,
      modelTrials: {} as ModelTrials,
      access: createAccessCheck({
        store,
        governance: createGovernance({ defaultVerdict: 'allow' }),
        canRun: () => Promise.resolve(undefined),
        defaultVerdict: 'allow',
        needOther: false,
      }),
      decisions,
      bundles: createBundleService({ registry, signer: decisions, clock, version: '0.0.0' }),
      webhooks: {} as WebhookService,
      schedules: {} as ScheduleService,
      experiments: {} as ExperimentService,
      memories: {} as MemoryService,
      sealing: createSealingKeys({ store, secretBox: createSecretBox(), clock }),
      toolCallbacks: createToolCallbacks({ store, clock, queue: TASK_QUEUE }),
      preferences: createPreferences({ store }),
      statistics: createStatistics({ store, clock }),
      terminals: new TerminalService({ clock, open: { unavailable: 'Terminals are off' }, onEvent: () => undefined }),
      checkReady: checkReady ?? (() => store.checkHealth()),
      metrics: new MetricsRegistry(),
      clock,
      log,
      onRefused: onRefused ?? (() => undefined),
    },
    {
      host: '127.0.0.1',
      port: 0,
      version: '0.0.0-test',
      capabilities: () => [{ id: 'watches', enabled: true, description: 'Live watches.', source: 'build' }],
      corsOrigins: [],
      trustedProxies: [],
      maxWatches: 1000,
      maxWatchesPerIp: 100,
      maxConnections: 4096,
      maxConnectionsPerIp: undefined,
      maxRequestsPerSecond: 1000,
      ...http,
    },
  );
  await front.listen();
  const { url } = front.address;
  return {
    url,
    store,
    auth,
    front,
    logged,
    async send(method, path, { body, headers = {} } = {}) {
      const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
      const type = raw ? {} : { 'content-type': 'application/json' };
      const payload = body === undefined ? {} : { body: raw ? body : JSON.stringify(body) };
      const response = await request(`${url}${path}`, {
        method: method,
        headers: { ...type, ...headers },
        ...payload,
      });
      const text = await response.body.text();
      return { status: response.statusCode, headers: response.headers, text, body: parsed(text) };
    },
    async close() {
      await front.close(500);
      if (options.store === undefined) await store.close();
    },
  };
}
