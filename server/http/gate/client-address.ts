// Client address of a request: the TCP peer, or the address that trusted proxies forward. Pure.
import { ServiceError } from '@svc/shared/errors';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { entriesMax } from '../../entries-max.ts';

export type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** IPv4 needs its four decimal parts: the library reads `1.2.3` as 1.2.0.3. */
const isFullAddress = (text: string): boolean => ipaddr.IPv6.isValid(text) || ipaddr.IPv4.isValidFourPartDecimal(text);

/** Range of a CIDR, or of a single address; undefined for anything else. */
function rangeOf(entry: string): Range | undefined {
  if (!isFullAddress(entry.split('/', 1)[0] ?? '')) return undefined;
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
  if (!ipaddr.isValid(entry)) return undefined;
  const address = ipaddr.process(entry);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

export const isProxyRange = (entry: string): boolean => rangeOf(entry) !== undefined;

/** Reads `--trusted-proxies`; throws an Error that names the bad entry. A single address is a range of one. */
export function parseTrustedProxies(entries: readonly string[]): Range[] {
  return entries.map((entry) => {
    const range = rangeOf(entry);
    if (range === undefined) throw new ServiceError('invalid', `--trusted-proxies: "${entry}" is neither an address nor a CIDR range`);
    return range;
  });
}

/** Whether the X-Forwarded-For header of this peer is trusted. */
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

/** Address of one entry of X-Forwarded-For: some proxies add the port, and write IPv6 in brackets. Undefined for `unknown` and other text. */
function hopAddress(entry: string): string | undefined {
  const hop = entry.trim();
  const [, v6, v4] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(hop) ?? [];
  const address = v6 ?? v4 ?? hop;
  return isFullAddress(address) ? address : undefined;
}

/**
 * The first untrusted address of `X-Forwarded-For` read from the right, when the peer is trusted; else the peer. An entry that is not an address ends
 * the search: the client may have written whatever is left of it.
 */
export function clientAddress(peer: string, forwardedFor: string | undefined, trusted: readonly Range[]): string {
  if (forwardedFor === undefined || trusted.length === 0 || !isTrusted(peer, trusted)) return canonical(peer);
  for (const entry of forwardedFor.split(',').reverse()) {
    const hop = hopAddress(entry);
    if (hop === undefined) break;
    if (!isTrusted(hop, trusted)) return canonical(hop);
  }
  return canonical(peer);
}

/** An IPv6 client commands at least a network of this size, and could come from another address each time. */
const IPV6_NETWORK_PARTS = 4;

/** The addresses that one client commands, as one. A text that is no address is its own key. */
export function clientKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, IPV6_NETWORK_PARTS).join(':') : parsed.toString();
}
