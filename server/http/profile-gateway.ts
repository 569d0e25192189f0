// Mount of the gateway to other servers at `/p/<profile>/`: pages and files of this console under that path, the API from the other server. Only for the desktop's window.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ServiceError } from '@svc/shared/errors';
import { DESKTOP } from '../auth/launch-sessions.ts';
import { gatewayTarget, isForwarded, takesSocket, type GatewayTarget } from '../gateway/target.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { dispatch, type DispatchContext } from './dispatch.ts';
import { errorReply } from './error-reply.ts';
import { refuseForeignPage } from './gate/origin.ts';
import { setSecurityHeaders } from './gate/security-headers.ts';
import { Router } from './router.ts';
import type { Console } from './ui/console.ts';
import { refuseConnection } from './upgrades.ts';

/** Document about the profile itself: its name, address, and whether its server can be shown. */
const STATUS_PATH = '/.gateway';

export type ProfileGateway = Pick<Gateway, 'profileOf' | 'check' | 'forward' | 'connect' | 'close'>;

export interface GatewayMountOptions {
  readonly gateway: ProfileGateway;
  /** Context of this server's own requests. */
  readonly dispatch: DispatchContext;
  /** This server's console under another path prefix. */
  readonly consoleAt: (base: string) => Console | undefined;
}

export interface GatewayMount {
  /** Handles a request for the gateway to the end; undefined for any other. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void> | undefined;
  /** Handles an upgrade for the gateway to the end; undefined for any other. */
  upgrade(request: IncomingMessage, connection: Duplex, head: Buffer): Promise<void> | undefined;
  close(): Promise<void>;
}

export function createGatewayMount(options: GatewayMountOptions): GatewayMount {
  const { gateway } = options;
  const consoles = new Map<string, DispatchContext>();
  const contextAt = ({ base }: GatewayTarget): DispatchContext => {
    const known = consoles.get(base);
    if (known) return known;
    const made = { ...options.dispatch, router: new Router([]), console: options.consoleAt(base) };
    consoles.set(base, made);
    return made;
  };
  return {
    handle(request, response) {
      const target = gatewayTarget(request.url ?? '/');
      // An unknown profile has no pages either: contexts are made for known ones only.
      if (target === undefined) return undefined;
      const isPage = target.rest !== STATUS_PATH && !isForwarded(target.rest) && gateway.profileOf(target.id) !== undefined;
      if (!isPage) return exchange(options, { target, request, response });
      request.url = target.rest;
      return dispatch(contextAt(target), request, response);
    },
    upgrade(request, connection, head) {
      const target = gatewayTarget(request.url ?? '/');
      return target && connect(options, { target, request, connection }, head);
    },
    close: () => gateway.close(),
  };
}

/** Admits only the window: a token of this server, or a sign-in of another browser, must not act with the tokens of profiles. */
async function requireWindow(
  { dispatch: { gate, policy } }: GatewayMountOptions,
  request: IncomingMessage,
  websocket: boolean,
): Promise<void> {
  const { method, name } = await gate.identify(request, { websocket });
  if (method !== DESKTOP.method || name !== DESKTOP.name)
    throw new ServiceError('forbidden', 'Only the window of the desktop app reaches other servers through this one');
  refuseForeignPage(policy, request.headers);
}

interface Exchange {
  readonly target: GatewayTarget;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function exchange(options: GatewayMountOptions, { target, request, response }: Exchange): Promise<void> {
  const { gateway, dispatch: context } = options;
  const requestId = randomUUID();
  setSecurityHeaders(response);
  try {
    await requireWindow(options, request, false);
    if (target.rest !== STATUS_PATH) return await gateway.forward({ ...target, request }, response);
    const status = await gateway.check(target.id);
    const { name, origin } = gateway.profileOf(target.id) ?? {};
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ name, origin, ...status }));
  } catch (error) {
    if (response.headersSent || response.destroyed) return void response.destroy();
    const where = { requestId, method: request.method ?? 'GET', path: `${target.base}/…` };
    const { status, body, headers } = errorReply(error, context.log, where);
    response.writeHead(status, { ...headers, 'content-type': 'application/json', 'x-request-id': requestId }).end(JSON.stringify(body));
  }
}

type Upgrade = Pick<Exchange, 'target' | 'request'> & { readonly connection: Duplex };

async function connect(options: GatewayMountOptions, { target, request, connection }: Upgrade, head: Buffer): Promise<void> {
  connection.on('error', () => connection.destroy());
  try {
    await requireWindow(options, request, true);
    if (!takesSocket(target.rest)) throw new ServiceError('not_found', 'No WebSocket of another server is passed on at this path');
    await options.gateway.connect({ ...target, request }, connection, head);
  } catch (error) {
    refuseConnection(connection, error);
  }
}
