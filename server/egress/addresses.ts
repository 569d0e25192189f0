// Classes of addresses that an outbound connection may dial (docs/security.md). Pure: text in, class out.
import ipaddr from 'ipaddr.js';

/**
 * `public` may always be dialled; `loopback`, `private` and `carrier-grade NAT` when the caller opts in; every other class never.
 * `translated` are IPv6 forms that carry an IPv4 address inside (NAT64, 6to4, Teredo, IPv4-compatible): they would reach past the rules.
 */
export type AddressClass =
  | 'public'
  | 'loopback'
  | 'private'
  | 'carrier-grade NAT'
  | 'metadata'
  | 'link-local'
  | 'unspecified'
  | 'translated'
  | 'multicast'
  | 'reserved'
  | 'invalid';

/** Cloud metadata and credential services. Some lie inside ranges that can be opted into, so they are looked up before any range. */
const METADATA = new Set([
  '169.254.169.254',
  '100.100.100.200',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  'fd00:42::42',
]);

const CLASS_OF_RANGE: Readonly<Record<string, AddressClass>> = {
  unicast: 'public',
  loopback: 'loopback',
  private: 'private',
  uniqueLocal: 'private',
  carrierGradeNat: 'carrier-grade NAT',
  linkLocal: 'link-local',
  unspecified: 'unspecified',
  rfc6052: 'translated',
  rfc6145: 'translated',
  '6to4': 'translated',
  teredo: 'translated',
  multicast: 'multicast',
};

const DOTTED_IPV6 = /:.*\./;

const OPT_IN: readonly AddressClass[] = ['loopback', 'private', 'carrier-grade NAT'];

/** Classifies an IP address in text form. IPv4-mapped IPv6 counts as the IPv4 address it carries. */
export function classifyAddress(text: string): AddressClass {
  if (!ipaddr.isValid(text)) return 'invalid';
  // ipaddr.js reads `::1.2.3.4` as if it were `::ffff:1.2.3.4`.
  if (DOTTED_IPV6.test(text) && !/^[0:]*:ffff:/i.test(text)) return 'translated';
  const address = ipaddr.process(text);
  if (METADATA.has(withoutZone(address.toString()))) return 'metadata';
  if (address.kind() === 'ipv6') return classifyIpv6(address as ipaddr.IPv6);
  return CLASS_OF_RANGE[address.range()] ?? 'reserved';
}

function classifyIpv6(address: ipaddr.IPv6): AddressClass {
  if (isIpv4Compatible(address) || isIsatap(address)) return 'translated';
  const kind = CLASS_OF_RANGE[address.range()] ?? 'reserved';
  // Nothing outside 2000::/3 is given out as a public address.
  return kind === 'public' && ((address.parts[0] ?? 0) & 0xe000) !== 0x2000 ? 'reserved' : kind;
}

/** Whether an address of this class may be dialled. */
export function mayDial(kind: AddressClass, allowPrivate: boolean): boolean {
  return kind === 'public' || (allowPrivate && OPT_IN.includes(kind));
}

/** Whether opting in would permit this class. */
export function canOptIn(kind: AddressClass): boolean {
  return OPT_IN.includes(kind);
}

/** `::/96` without `::` and `::1`: the deprecated IPv4-compatible form, which ipaddr.js reports as unicast. */
function isIpv4Compatible(address: ipaddr.IPv6): boolean {
  const { parts } = address;
  return parts.slice(0, 6).every((part) => part === 0) && !(parts[6] === 0 && (parts[7] ?? 0) <= 1);
}

/** RFC 5214: an interface identifier that carries the IPv4 address of a tunnel's end. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return ((parts[4] ?? 0) & 0xfdff) === 0 && parts[5] === 0x5efe;
}

function withoutZone(text: string): string {
  return text.split('%', 1)[0] ?? text;
}
