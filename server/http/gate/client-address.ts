// Client address of a request: the TCP peer, or the address that trusted proxies forward. Pure.
import { ServiceError } from '@svc/shared/errors';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { entriesMax } from '../../entries-max.ts';

export type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Reads `--trusted-proxies`; throws an Error that names the bad entry. A single address is a range of one. */
export function parseTrustedProxies(entries: readonly string[]): Range[] {
  return entries.map((entry) => {
    if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
    if (!ipaddr.isValid(entry)) throw new ServiceError('invalid', `--trusted-proxies: "${entry}" is neither an address nor a CIDR range`);
    const address = ipaddr.process(entry);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  });
}

/** Whether what this peer says of whom it forwards for counts. */
export function isTrusted(address: string, trusted: readonly Range[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return trusted.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits));
}

/** Remembered: the same clients come again and again, and reading an address costs as much as routing its request. */
const forms = new LRUCache<string, string>({
  ...entriesMax(10_000),
  memoMethod: (address) => (ipaddr.isValid(address) ? ipaddr.process(address).toString() : address),
});
const canonical = (address: string): string => forms.memo(address);

/** The first untrusted address of `X-Forwarded-For` read from the right, when the peer is trusted; else the peer. */
export function clientAddress(peer: string, forwardedFor: string | undefined, trusted: readonly Range[]): string {
  if (forwardedFor === undefined || trusted.length === 0 || !isTrusted(peer, trusted)) return canonical(peer);
  const hops = forwardedFor
    .split(',')
    .map((hop) => hop.trim())
    .filter((hop) => ipaddr.isValid(hop));
  return canonical(hops.reverse().find((hop) => !isTrusted(hop, trusted)) ?? peer);
}
