// For clients that dial themselves (gRPC, PostgreSQL, NATS): a host's address by the rules of addresses.ts. Dial the address it answers with, never the name.
import { isIP, connect, type LookupFunction, type Socket } from 'node:net';
import { classifyAddress, mayDial } from './addresses.ts';
import { orAborted } from './deadline.ts';
import { BlockedAddressError, systemResolve, type Resolve } from './guarded-connector.ts';
import { connectionError } from './transport-errors.ts';

/** How often an IP may be written: dotted decimal or canonical IPv6. Octal, hex and single numbers are names that libraries read as addresses. */
const NUMERIC_HOST = /^(0x[0-9a-f]*|[0-9]+)(\.(0x[0-9a-f]*|[0-9]+))*\.?$/i;

export interface AddressQuestion {
  /** A name or an IP address; IPv6 with or without brackets. */
  readonly host: string;
  readonly port: number;
  /** Permits loopback, private and carrier-grade-NAT addresses; never metadata, link-local or unspecified ones. */
  readonly allowPrivate: boolean;
  /** Flag by which an operator permits private addresses; errors name it. */
  readonly permittedBy: string;
  readonly signal: AbortSignal;
  /** The operating system's way unless a test says otherwise. */
  readonly resolve?: Resolve;
}

export interface CheckedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/**
 * The address to dial. A name with several permitted addresses is answered with the one that took a connection first.
 * Rejects with CallError `egress_blocked` (naming the address) or `execution_failed`, or with the signal's reason.
 */
export async function checkedAddress(question: AddressQuestion): Promise<CheckedAddress> {
  const { port, permittedBy, signal, resolve = systemResolve } = question;
  const host = canonicalHost(question.host);
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  signal.throwIfAborted();
  try {
    const permitted = await orAborted(permittedAddresses(host, question.allowPrivate, resolve), signal);
    const [first] = permitted;
    if (first && permitted.length === 1) return first;
    return await orAborted(firstToAnswer(permitted, { port, signal }), signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : connectionError(error, { target, permittedBy });
  }
}

/** Reads `2130706433` or `0x7f.1` as the address that the system's resolver would make of it. */
function canonicalHost(host: string): string {
  const bare = host.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0 || !NUMERIC_HOST.test(bare)) return bare;
  const url = `http://${bare}/`;
  return URL.canParse(url) ? new URL(url).hostname : bare;
}

function permittedAddresses(...[host, allowPrivate, resolve]: [string, boolean, Resolve]): Promise<CheckedAddress[]> {
  const permitted = (address: string) => mayDial(classifyAddress(address), allowPrivate);
  const family = isIP(host);
  if (family !== 0) {
    if (!permitted(host)) return Promise.reject(new BlockedAddressError(host, host));
    return Promise.resolve([{ address: host, family: family === 4 ? 4 : 6 }]);
  }
  return new Promise((done, fail) => {
    resolve(host, (error, addresses) => {
      if (error) return fail(error);
      const dialable = addresses.filter(({ address }) => permitted(address));
      if (dialable.length === 0) return fail(new BlockedAddressError(host, addresses[0]?.address ?? 'no address'));
      done(dialable.map((entry) => ({ address: entry.address, family: entry.family === 6 ? 6 : 4 })));
    });
  });
}

/** Races the addresses as Node does for any name (RFC 8305); the connection itself is not kept. */
function firstToAnswer(
  addresses: readonly CheckedAddress[],
  { port, signal }: { port: number; signal: AbortSignal },
): Promise<CheckedAddress> {
  const lookup: LookupFunction = (...[, , callback]) => callback(null, [...addresses]);
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host: 'checked', port, lookup, autoSelectFamily: true });
    const end = () => socket.destroy();
    signal.addEventListener('abort', end, { once: true });
    socket.once('error', reject);
    socket.once('close', () => signal.removeEventListener('abort', end));
    socket.once('connect', () => {
      const won = addresses.find(({ address }) => address === socket.remoteAddress);
      socket.destroy();
      if (won) resolve(won);
      else reject(new BlockedAddressError('checked', socket.remoteAddress ?? 'no address'));
    });
  });
}
