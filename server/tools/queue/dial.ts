// Dial options of both queues: the checked address, and whether the connection is to be encrypted.
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { isIP } from 'node:net';
import { classifyAddress } from '../../egress/addresses.ts';
import { checkedAddress } from '../../egress/checked-address.ts';
import { CallError } from '../../engine/ports.ts';

export interface DialRules {
  readonly allowPrivate: boolean;
  readonly permittedBy: string;
}

export interface Dial {
  readonly host: string;
  readonly port: number;
  /** Undefined: with TLS for public addresses. */
  readonly tls: boolean | undefined;
  /** PEM certificates to trust in place of the system's. */
  readonly ca: string | undefined;
  readonly signal: AbortSignal;
}

interface TlsSettings {
  readonly servername: string;
  readonly minVersion: 'TLSv1.2';
  readonly ca?: string;
  readonly rejectUnauthorized: true;
  readonly checkServerIdentity: (host: string, certificate: PeerCertificate) => Error | undefined;
}

export interface DialTarget {
  readonly address: string;
  /** Undefined: without TLS. */
  readonly tls: TlsSettings | undefined;
}

/** Rejects with CallError `egress_blocked`, for an unencrypted connection to a public address too. */
export async function dialling({ allowPrivate, permittedBy }: DialRules, { host, port, tls, ca, signal }: Dial): Promise<DialTarget> {
  const { address } = await checkedAddress({ host, port, allowPrivate, permittedBy, signal });
  const isPublic = classifyAddress(address) === 'public';
  if (tls === false && isPublic) {
    const message = `blocked connection to ${host} (${address}): without TLS only private addresses are called; use tls:// or sslmode=verify-full`;
    throw new CallError('egress_blocked', message, { retryable: false, reason: 'plaintext_refused' });
  }
  return { address, tls: (tls ?? isPublic) ? tlsSettings(host, ca) : undefined };
}

/** The certificate is judged by the name that was requested, not by the address that was dialled. */
function tlsSettings(host: string, ca: string | undefined): TlsSettings {
  return {
    servername: isIP(host) === 0 ? host : '',
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate),
    ...(ca !== undefined && { ca }),
  };
}
