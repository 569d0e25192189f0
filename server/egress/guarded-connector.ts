// Dials only addresses that the trust level permits. Checks three times: literals before, names at lookup, the peer after.
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import { classifyAddress, mayDial, type AddressClass } from './addresses.ts';

/** All addresses of a name, as the operating system resolves it. The seam for tests. */
export type Resolve = (hostname: string, callback: (error: Error | null, addresses: readonly LookupAddress[]) => void) => void;

export const systemResolve: Resolve = (hostname, callback) =>
  systemLookup(hostname, { all: true }, (error, addresses) => callback(error, addresses ?? []));

/** No connection was made: the address is not permitted. */
export class BlockedAddressError extends Error {
  readonly hostname: string;
  readonly address: string;
  readonly addressClass: AddressClass;
  constructor(hostname: string, address: string) {
    super(`blocked address ${address}`);
    this.hostname = hostname;
    this.address = address;
    this.addressClass = classifyAddress(address);
  }
}

/** The server has another certificate than the pinned one; nothing was sent. */
export class OtherCertificateError extends Error {
  constructor(hostname: string) {
    super(`unexpected certificate of ${hostname}`);
  }
}

export interface ConnectorOptions {
  readonly allowPrivate: boolean;
  readonly resolve: Resolve;
  readonly connectTimeoutMs: number;
  /** SHA-256 of the one certificate to accept, in lower-case hex, by any issuer; absent: those that this machine trusts. */
  readonly fingerprint?: string | undefined;
}

export function guardedConnector({ allowPrivate, resolve, connectTimeoutMs, fingerprint }: ConnectorOptions): buildConnector.connector {
  const permitted = (address: string) => mayDial(classifyAddress(address), allowPrivate);

  // Answers with the permitted addresses of a name; a name that has none fails with the first refused one.
  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname, (error, addresses) => {
      const dialable = addresses.filter((entry) => permitted(entry.address));
      const [first] = dialable;
      if (error) callback(error, []);
      else if (!first) callback(new BlockedAddressError(hostname, addresses[0]?.address ?? 'no address'), []);
      else if (options.all) callback(null, dialable);
      else callback(null, first.address, first.family);
    });
  };

  // A resumed session brings no certificate to compare.
  const pinned = fingerprint === undefined ? {} : { rejectUnauthorized: false, maxCachedSessions: 0 };
  const connect = buildConnector({ lookup, timeout: connectTimeoutMs, ...pinned });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    // Node never looks up IP literals, so the lookup above would not see them.
    if (isIP(host) !== 0 && !permitted(host)) return callback(new BlockedAddressError(host, host), null);
    connect({ ...options, hostname: host }, (error, socket) => {
      if (error) return callback(error, null);
      const peer = socket?.remoteAddress;
      const known = fingerprint === undefined || fingerprintOf(socket) === fingerprint;
      if (peer !== undefined && permitted(peer) && known) return callback(null, socket);
      socket?.destroy();
      if (!known) return callback(new OtherCertificateError(host), null);
      // The other side closed the connection at once, which is not about addresses.
      if (peer === undefined) return callback(Object.assign(new Error('closed while connecting'), { code: 'ECONNRESET' }), null);
      callback(new BlockedAddressError(host, peer), null);
    });
  };
}

/** Undefined for a connection without TLS, which has no certificate. */
function fingerprintOf(socket: Socket | null): string | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  return socket.getPeerCertificate().fingerprint256?.replaceAll(':', '').toLowerCase();
}
