// Services that the HTTP surface translates, and its listen options.
import type { Registry as MetricsRegistry } from 'prom-client';
import type { AgentCards } from '../a2a/cards/card-service.ts';
import type { Authorizer } from '../authorizer/authorizer.ts';
import type { GuardedServices } from '../authorizer/guard.ts';
import type { BundleService } from '../bundles/bundle-service.ts';
import type { Clock } from '../clock.ts';
import type { DecisionLog } from '../decisions/record-decision.ts';
import type { EnvironmentKeys } from '../environment-keys/environment-keys.ts';
import type { ExportService } from '../exports/export-service.ts';
import type { AccessCheck } from '../governance/access-check.ts';
import type { ModelTrials } from '../model-trials/model-trials.ts';
import type { Preferences } from '../preferences/preferences.ts';
import type { Identity } from '../registry/registry.ts';
import type { SealingKeys } from '../sealing/sealing-key.ts';
import type { TerminalService } from '../terminal/terminals.ts';
import type { Logger } from '../log/log.ts';
import type { A2aRate, A2aService } from './rest/a2a.ts';
import type { ToolCallbacks } from './rest/tool-callbacks.ts';
import type { OutflowLimits } from './outflow/outflow.ts';
import type { CheckReady } from './readiness.ts';
import type { ProfileGateway } from './profile-gateway.ts';
import type { Route } from './route.ts';
import type { SocketRoute } from './upgrades.ts';

/** A request that was refused with 401 or 403. */
interface RefusedAccess {
  readonly code: 'unauthorized' | 'forbidden';
  /** Message of the refusal, as the caller got it. */
  readonly reason: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Namespace that the query or the input names. */
  readonly namespace?: string;
  readonly clientAddress: string;
  readonly requestId: string;
  /** Absent for an unauthenticated caller. */
  readonly identity?: Identity;
}

export interface HttpServices extends GuardedServices {
  readonly a2a: A2aService;
  readonly agentCards: AgentCards;
  /** Preview of governance's verdict on a call. */
  readonly access: AccessCheck;
  readonly modelTrials: ModelTrials;
  readonly environmentKeys: EnvironmentKeys;
  /** The services above ask it; surfaces ask it for what has no caller in its service. Undefined: only roles decide. */
  readonly authorizer?: Authorizer | undefined;
  readonly decisions: DecisionLog;
  readonly bundles: BundleService;
  readonly exports: ExportService;
  readonly sealing: Pick<SealingKeys, 'publicKey'>;
  readonly toolCallbacks: ToolCallbacks;
  /** Settings that people made in the console. */
  readonly preferences: Preferences;
  readonly terminals: TerminalService;
  /** Other servers that the window of the desktop app shows through this one. */
  readonly gateway?: ProfileGateway | undefined;
  /** Checks behind `/readyz`. A rejection counts as a failing check; the message of a ServiceError is shown. */
  readonly checkReady: CheckReady;
  readonly metrics: MetricsRegistry;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called for every request that was refused because of its caller. Never throws. */
  readonly onRefused: (access: RefusedAccess) => void;
}

/** One entry of `/v1/capabilities`. */
export interface Capability {
  readonly id: string;
  readonly enabled: boolean;
  readonly description: string;
  /** Source of the value: `build`, or the flag's name. */
  readonly source: string;
}

export interface HttpOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Listen on a free port that browsers accept where `port` is taken. */
  readonly orFreePort?: boolean;
  readonly version: string;
  /** Capabilities at present: some depend on reachable backends. */
  readonly capabilities: () => readonly Capability[];
  /** The address clients use, when it is not the listen address. */
  readonly publicUrl?: string | undefined;
  /** Path prefix that requests may have and that addresses in pages and cookies get, `/svc`; absent: none. */
  readonly basePath?: string | undefined;
  /** Browser origins that may call the API, `https://console.example`; `*` for any. */
  readonly corsOrigins: readonly string[];
  /** Refuse strange hosts and origins also while auth is on. */
  readonly strictOrigins?: boolean;
  /** Addresses or CIDR ranges whose `X-Forwarded-For` counts. */
  readonly trustedProxies: readonly string[];
  readonly maxWatches: number;
  readonly maxWatchesPerIp: number;
  /** Open connections; further ones are dropped. */
  readonly maxConnections: number;
  /** Open connections of one client address; undefined: a quarter of `maxConnections`, without a limit from this machine. */
  readonly maxConnectionsPerIp: number | undefined;
  /** Requests and calls of one caller; 0: any number. */
  readonly maxRequestsPerSecond: number;
  /** Inbound requests over A2A of one caller; absent: any number. */
  readonly a2aRate?: A2aRate | undefined;
  /** Where the built console lies; undefined: none is served. */
  readonly uiDir?: string | undefined;
  /** Further routes of the same table, as protocols beside the REST API bring. */
  readonly routes?: readonly Route[];
  /** Further paths that take WebSockets. */
  readonly socketRoutes?: readonly SocketRoute[];
  /** Times and sizes that tests shorten. */
  readonly limits?: Partial<HttpLimits>;
}

/** Every bound of this surface in one place. */
export interface HttpLimits extends OutflowLimits {
  readonly bodyMaxBytes: number;
  /** From the first to the last byte of a body. */
  readonly bodyTimeoutMs: number;
  readonly streamKeepAliveMs: number;
  readonly streamDurationMs: number;
  /** Unsent bytes past which a stream's reader counts as slow. */
  readonly streamBufferedMaxBytes: number;
  /** How long a slow reader has to catch up before its stream is closed. */
  readonly streamSlowGraceMs: number;
}

/** Limits of requests and streams (docs/operations.md "Limits"). */
export const HTTP_LIMITS: HttpLimits = {
  bodyMaxBytes: 4 * 1024 * 1024,
  bodyTimeoutMs: 30_000,
  streamKeepAliveMs: 15_000,
  streamDurationMs: 30 * 60_000,
  streamBufferedMaxBytes: 1024 * 1024,
  streamSlowGraceMs: 3_000,
  unsentMaxBytes: 64 * 1024 * 1024,
  stalledMs: 30_000,
  stalledFullMs: 2_000,
};
