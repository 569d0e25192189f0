// Every route of the server in one table, and every path that takes WebSockets.
import type { IncomingMessage } from 'node:http';
import { kinds } from '@svc/shared/kinds';
import type { CallerGate } from './gate/caller.ts';
import { a2aRoutes } from './rest/a2a.ts';
import { openApiRoutes } from './openapi/routes.ts';
import { a2aCardRoutes } from './rest/a2a-cards.ts';
import { applyRoute } from './rest/apply.ts';
import { approvalRoutes } from './rest/approvals.ts';
import { authorizeRoute } from './rest/authorize.ts';
import { chatRoutes } from './rest/chat.ts';
import { bundleRoutes } from './rest/bundles.ts';
import { exportRoutes } from './rest/exports.ts';
import { decisionRoutes } from './rest/decisions.ts';
import { experimentRoutes } from './rest/experiments.ts';
import { memoryRoutes } from './rest/memories.ts';
import { mcpRoutes } from './rest/mcp.ts';
import { resourceRoutes } from './rest/resources.ts';
import { scheduleRoutes } from './rest/schedules.ts';
import { sealingKeyRoute } from './rest/sealing.ts';
import { sessionRoutes } from './rest/sessions.ts';
import { signInRoutes } from './rest/sign-in.ts';
import { probeRoutes, systemRoutes } from './rest/system.ts';
import { taskRoutes } from './rest/tasks.ts';
import { toolCallbackRoute } from './rest/tool-callbacks.ts';
import { tokenRoutes } from './rest/tokens.ts';
import { eventRoutes, watchRoute } from './rest/watches.ts';
import { webhookRoutes } from './rest/webhooks.ts';
import type { Route } from './route.ts';
import type { HttpOptions, HttpServices } from './services.ts';
import type { StreamHub } from './sse/stream-hub.ts';
import { TERMINAL_SOCKET, terminalSocketRoute } from './terminal-socket.ts';
import { TRPC_SOCKET, type TrpcMount } from './trpc/mount.ts';
import type { SocketPlace, SocketRoute } from './upgrades.ts';

/** Parts of only this surface. */
export interface SurfaceParts {
  readonly hub: StreamHub;
  readonly gate: CallerGate;
}

export function allRoutes(services: HttpServices, options: HttpOptions, { hub, gate }: SurfaceParts): Route[] {
  const streams = { ...services, hub, gate };
  const routes: Route[] = [
    ...probeRoutes(services),
    ...systemRoutes(services, options),
    ...signInRoutes({ ...services, gate }),
    ...tokenRoutes(services.auth),
    ...openApiRoutes(() => routes, { version: options.version, basePath: options.basePath ?? '' }),
    applyRoute(services.registry),
    ...eventRoutes(streams),
    ...kinds.flatMap((kind) => [...resourceRoutes(kind, services.registry), watchRoute(kind, streams)]),
    ...taskRoutes(streams),
    ...sessionRoutes(streams),
    ...chatRoutes(streams),
    ...a2aRoutes(streams, options.a2aRate),
    ...a2aCardRoutes(services),
    ...mcpRoutes(streams, options.version),
    ...approvalRoutes(services.runs),
    toolCallbackRoute(services.toolCallbacks),
    authorizeRoute(services.access),
    ...decisionRoutes(services.decisions),
    ...bundleRoutes(services.bundles),
    ...exportRoutes(services.exports),
    sealingKeyRoute(services.sealing),
    ...webhookRoutes(services.webhooks),
    ...scheduleRoutes(services.schedules),
    ...experimentRoutes(services.experiments),
    ...memoryRoutes(services.memories),
    ...(options.routes ?? []),
  ];
  return routes;
}

/** The table for reading only: its handlers have no services behind them and must not be called. */
export function describeRoutes(): Route[] {
  return allRoutes({} as HttpServices, {} as HttpOptions, {} as SurfaceParts);
}

/** Services behind the sockets. */
export interface SocketParts extends Pick<HttpServices, 'terminals' | 'log'> {
  readonly trpc: Pick<TrpcMount, 'socketRoute'>;
  readonly gate: Pick<CallerGate, 'signInKeyOf'>;
}

export function allSocketRoutes({ terminals, log, trpc, gate }: SocketParts, options: Pick<HttpOptions, 'socketRoutes'>): SocketRoute[] {
  const signInKeyOf = (request: IncomingMessage) => gate.signInKeyOf(request);
  return [trpc.socketRoute, terminalSocketRoute({ terminals, log, signInKeyOf }), ...(options.socketRoutes ?? [])];
}

/** Paths that take WebSockets on every server. */
export const SOCKET_PLACES: readonly SocketPlace[] = [TRPC_SOCKET, TERMINAL_SOCKET];
