// The HTTP front of the server: one listener, Express as the shell that further surfaces mount on, the route table behind it.
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ServiceError } from '@svc/shared/errors';
import type { Express } from 'express';
import { withoutBasePath } from '../base-path.ts';
import { holdContinue, sendContinue } from './body/read-body.ts';
import { dispatch, type DispatchContext } from './dispatch.ts';
import { createExpress } from './express-app.ts';
import { createYamlParser } from '../manifest/yaml-parser.ts';
import { limitConnections } from './connection-limits.ts';
import { CallerGate } from './gate/caller.ts';
import { clientAddress, isTrusted, parseTrustedProxies } from './gate/client-address.ts';
import { browserPolicy } from './gate/origin.ts';
import { createRequestLimit } from './gate/request-limit.ts';
import { Revocations } from './gate/revocations.ts';
import { createHttpMetrics } from './http-metrics.ts';
import { listenOn, listenOrFree } from './listen.ts';
import { Outflow } from './outflow/outflow.ts';
import { inTurn } from './outflow/pipelines.ts';
import { allRoutes, allSocketRoutes } from './route-table.ts';
import { Router } from './router.ts';
import { HTTP_LIMITS, type HttpOptions, type HttpServices } from './services.ts';
import { StreamHub } from './sse/stream-hub.ts';
import { createTrpcMount, TRPC_PATH, type TrpcMount } from './trpc/mount.ts';
import { createConsole } from './ui/console.ts';
import { chatErrorShapeOf } from './rest/chat.ts';
import { createGatewayMount, type GatewayMount } from './profile-gateway.ts';
import { UnusedConnections } from './unused-connections.ts';
import { pathOf, refuseConnection, Upgrades } from './upgrades.ts';

/** Bounds of a connection; the body has its own. */
const SERVER_OPTIONS = {
  requireHostHeader: false,
  headersTimeout: 20_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
} as const;

/** Connections with an answer in flight when the server closes become idle after it: they are ended in this rhythm. */
const IDLE_CHECK_MS = 100;

const isLate = ({ code }: NodeJS.ErrnoException): boolean => code === 'ERR_HTTP_REQUEST_TIMEOUT';

/** An answer to bytes that are not an HTTP request, or to one that did not arrive in time. */
function refuseGarbage(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const unreadable = error.code === 'HPE_HEADER_OVERFLOW' ? 'The request head is too large' : 'The request is not valid HTTP';
  const refusal = isLate(error)
    ? new ServiceError('timeout', 'The request did not arrive in time')
    : new ServiceError('invalid', unreadable);
  refuseConnection(socket, refusal);
}

/** Methods of the API, for unknown paths. */
const METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS';

export class HttpFrontend {
  readonly #server: Server;
  readonly #hub: StreamHub;
  readonly #upgrades: Upgrades;
  readonly #yaml = createYamlParser();
  readonly #outflow: Outflow;
  readonly #bind: { readonly host: string; readonly port: number; readonly orFreePort: boolean };
  readonly #basePath: string;
  readonly #unused: UnusedConnections;
  readonly #gateway: GatewayMount | undefined;
  #closing: Promise<void> | undefined;

  /** Builds the front without listening. Throws an Error that names a bad option. */
  constructor(services: HttpServices, options: HttpOptions) {
    const limits = { ...HTTP_LIMITS, ...options.limits };
    this.#bind = { host: options.host, port: options.port, orFreePort: options.orFreePort ?? false };
    this.#basePath = options.basePath ?? '';
    const outflow = (this.#outflow = new Outflow(limits));
    const revocations = new Revocations(services.watches, services.auth.revokedBy);
    const requestLimit = createRequestLimit(options.maxRequestsPerSecond, services.clock);
    const hub = new StreamHub({
      ...limits,
      revocations,
      maxStreams: options.maxWatches,
      maxStreamsPerAddress: options.maxWatchesPerIp,
      onFailure: (error) => services.log[error instanceof ServiceError ? error.logLevel : 'error']({ err: error }, 'stream failed'),
    });
    this.#hub = hub;
    const [trusted, policy] = [parseTrustedProxies(options.trustedProxies), browserPolicy(options)];
    const isTrustedPeer = (request: IncomingMessage) => isTrusted(request.socket.remoteAddress ?? '', trusted);
    const gate = new CallerGate({ auth: services.auth, policy, isTrustedPeer, basePath: this.#basePath });
    const routes = allRoutes({ ...services, checkReady: () => this.#checkReady(services) }, options, { hub, gate });
    const clientOf = (request: IncomingMessage) => clientAddress(request.socket.remoteAddress ?? '', forwardedFor(request), trusted);
    const { uiDir } = options;
    const consoleAt = (basePath: string) =>
      uiDir === undefined ? undefined : createConsole({ dir: uiDir, routes, isSecure: (request) => gate.isSecure(request), basePath });
    const context: DispatchContext = {
      router: new Router(routes),
      basePath: this.#basePath,
      gate,
      console: consoleAt(this.#basePath),
      log: services.log,
      metrics: createHttpMetrics(services.metrics, (purpose) => hub.count(purpose)),
      policy,
      limits,
      yaml: this.#yaml,
      requestLimit,
      outflow,
      clientAddress: clientOf,
      takesSockets: (path) => this.#upgrades.has(path),
      isClosing: () => this.#closing !== undefined,
      errorShapeOf: chatErrorShapeOf,
      onRefused: services.onRefused,
      authorizer: services.authorizer,
    };
    const { app, server } = createExpress(SERVER_OPTIONS);
    const trpc = createTrpcMount({
      services: { ...services, ...options, build: context.console?.build ?? options.version },
      limits,
      identify: (request, asked) => gate.identify(request, asked),
      signInKeyOf: (request) => gate.signInKeyOf(request),
      onRefused: services.onRefused,
      clientAddress: context.clientAddress,
      requestLimit,
      outflow,
      hub,
    });
    this.#upgrades = new Upgrades({
      routes: allSocketRoutes({ ...services, trpc, gate }, options),
      gate,
      hold: (address) => hub.hold(address),
      clientAddress: clientOf,
      requestLimit,
      revocations,
      onRefused: services.onRefused,
    });
    this.#gateway = services.gateway && createGatewayMount({ gateway: services.gateway, dispatch: context, consoleAt });
    mount(app, { dispatch: context, trpc, gateway: this.#gateway });
    this.#unused = new UnusedConnections((this.#server = server), SERVER_OPTIONS.keepAliveTimeout);
    limitConnections(server, { ...options, proxies: trusted }, services.log);
    this.#accept();
  }

  #accept(): void {
    const server = this.#server;
    server.on('upgrade', (request: IncomingMessage, socket, head) => {
      request.url = withoutBasePath(request.url ?? '/', this.#basePath);
      void (this.#gateway?.upgrade(request, socket, head) ?? this.#upgrades.handle(request, socket, head));
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      if (!isLate(error) || !this.#unused.keep(socket)) refuseGarbage(error, socket);
    });
    server.on('connect', (_request: IncomingMessage, connection) =>
      refuseConnection(
        connection,
        new ServiceError('method_not_allowed', 'This server is not a proxy: CONNECT is not allowed', { headers: { Allow: METHODS } }),
      ),
    );
    server.on('checkContinue', (request: IncomingMessage, response) => {
      holdContinue(request, response);
      server.emit('request', request, response);
    });
    // Other expectations than 100-continue may be ignored (RFC 9110, section 10.1.1).
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    server.on('connection', (socket) => this.#outflow.watch(socket));
  }

  /** A server that is stopping is not ready, whatever its parts report. */
  async #checkReady({ checkReady }: HttpServices): ReturnType<HttpServices['checkReady']> {
    const report = await checkReady();
    if (this.#closing) throw new ServiceError('unavailable', 'the server is shutting down');
    return report;
  }

  /** Resolves once connections are accepted; rejects when the address cannot be bound. */
  async listen(): Promise<void> {
    await (this.#bind.orFreePort ? listenOrFree(this.#server, this.#bind) : listenOn(this.#server, this.#bind));
  }

  /** Where it listens; known after `listen`. */
  get address(): { readonly host: string; readonly port: number; readonly url: string } {
    const { address, family, port } = this.#server.address() as AddressInfo;
    const host = family === 'IPv6' ? `[${address}]` : address;
    return { host: address, port, url: `http://${host}:${port}` };
  }

  /** Stops accepting, ends streams with their `close` event, lets requests finish, and cuts what is left after `graceMs`. Idempotent. */
  close(graceMs: number): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  async #close(graceMs: number): Promise<void> {
    this.#hub.closeAll('server_shutting_down');
    this.#upgrades.close();
    await this.#gateway?.close();
    if (!this.#server.listening) return this.#outflow.stop();
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#unused.destroyAll();
    const idle = setInterval(() => this.#server.closeIdleConnections(), IDLE_CHECK_MS);
    const cut = setTimeout(() => this.#server.closeAllConnections(), graceMs);
    await closed;
    this.#outflow.stop();
    clearInterval(idle);
    clearTimeout(cut);
    await this.#yaml.close();
  }
}

function forwardedFor(request: IncomingMessage): string | undefined {
  const value = request.headers['x-forwarded-for'];
  return Array.isArray(value) ? value.join(',') : value;
}

interface Surfaces {
  readonly dispatch: DispatchContext;
  readonly trpc: TrpcMount;
  readonly gateway: GatewayMount | undefined;
}

function mount(app: Express, surfaces: Surfaces): void {
  const handle = inTurn((request, response) => {
    request.url = withoutBasePath(request.url ?? '/', surfaces.dispatch.basePath);
    const passed = surfaces.gateway?.handle(request, response);
    if (passed) return sendContinue(request);
    if (!pathOf(request).startsWith(`${TRPC_PATH}/`)) return void dispatch(surfaces.dispatch, request, response);
    const began = performance.now();
    response.once('finish', () => {
      const labels = { method: request.method ?? 'GET', route: TRPC_PATH, status: response.statusCode };
      surfaces.dispatch.metrics.observe(labels, (performance.now() - began) / 1000);
    });
    void surfaces.trpc.handle(request, response);
  });
  app.use((request, response) => handle(request, response));
}
