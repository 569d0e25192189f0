// Connections to the servers of profiles: one pool each, behind the guard of outbound addresses, with the pinned certificate where there is one.
import type { Duplex } from 'node:stream';
import { Agent, upgrade, type Dispatcher } from 'undici';
import type { Profile } from '@svc/shared/control';
import { ServiceError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import { trimEnd } from '@svc/shared/trim-end';
import { BlockedAddressError, guardedConnector, OtherCertificateError, systemResolve, type Resolve } from '../egress/guarded-connector.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const HEADERS_TIMEOUT_MS = 60_000;
const CONNECTIONS_MAX = 64;

type UpstreamRequest = Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body' | 'signal'> & {
  /** Path below the address of the profile, with its query. */
  readonly path: string;
};

export interface Upstream {
  /** Sends one request; follows no redirect. Rejects with a ServiceError that says what to do, or with the signal's reason. */
  request(request: UpstreamRequest): Promise<Dispatcher.ResponseData>;
  /** Opens a WebSocket: the raw connection after the other side's 101, with its headers. Rejects as `request` does. */
  upgrade(path: string, headers: Record<string, string>): Promise<{ socket: Duplex; headers: Dispatcher.UpgradeData['headers'] }>;
  close(): Promise<void>;
}

/** Loopback and private addresses are the person's own choice; metadata and link-local ones stay closed. */
export function openUpstream({ origin: address, fingerprint }: Profile, resolve: Resolve = systemResolve): Upstream {
  const { origin, pathname } = new URL(address);
  const base = trimEnd(pathname, '/');
  const agent = new Agent({
    connect: guardedConnector({ allowPrivate: true, resolve, connectTimeoutMs: CONNECT_TIMEOUT_MS, fingerprint }),
    connections: CONNECTIONS_MAX,
    headersTimeout: HEADERS_TIMEOUT_MS,
    // Streams may be silent for long; their reader ends them.
    bodyTimeout: 0,
  });
  return {
    async request({ path, signal, ...rest }) {
      try {
        return await agent.request({ ...rest, origin, path: `${base}${path}`, signal });
      } catch (error) {
        throw (signal as AbortSignal | undefined)?.aborted ? (signal as AbortSignal).reason : problemOf(error, origin);
      }
    },
    async upgrade(path, headers) {
      try {
        const { socket, headers: answer } = await upgrade(`${origin}${base}${path}`, { dispatcher: agent, protocol: 'websocket', headers });
        return { socket, headers: answer };
      } catch (error) {
        throw problemOf(error, origin);
      }
    },
    close: () => agent.destroy(),
  };
}

const TLS_PROBLEM = /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

function problemOf(error: unknown, origin: string): ServiceError {
  const code = isObject(error) && typeof error['code'] === 'string' ? error['code'] : '';
  const options = { cause: error };
  if (error instanceof BlockedAddressError)
    return new ServiceError('forbidden', `The app does not connect to ${error.addressClass} addresses, such as that of ${origin}`, options);
  if (error instanceof OtherCertificateError)
    return new ServiceError('forbidden', `The certificate of ${origin} is not the one that this profile pins`, options);
  if (TLS_PROBLEM.test(code))
    return new ServiceError(
      'forbidden',
      `This machine does not trust the certificate of ${origin} (${code}); pin its fingerprint`,
      options,
    );
  return new ServiceError('unavailable', `No server answers at ${origin}${code === '' ? '' : ` (${code})`}`, options);
}
