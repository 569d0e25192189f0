// Checks that kinds' validate rules are built from. Each answers with the broken rules at one path, none when the value is absent.
// Pure; independent of any kind. Messages follow the path: `spec.ttl must be …`.
import { isTooLongDuration, parseDuration } from '../duration.ts';
import type { FieldError } from '../errors.ts';
import { didYouMean } from '../nearest-word.ts';
import { nameProblem, namespaceProblem, parseRef } from '../resource.ts';

/** A problem, if there is one, at its path. */
export function problemAt(path: string, message: string | undefined): FieldError[] {
  return message === undefined ? [] : [{ path, message }];
}

const QUOTED_MAX = 80;

/** A value as messages quote it: a long one would hide the message. */
function quoted(value: string): string {
  return `"${value.length > QUOTED_MAX ? `${value.slice(0, QUOTED_MAX)}…` : value}"`;
}

/** The value is one of a closed set. */
export function oneOf(path: string, value: string | undefined, values: readonly string[]): FieldError[] {
  return oneOfNamed(path, value, new Map(values.map((each) => [each, []])));
}

/** As `oneOf`, for values that are accepted under other names too: value → its aliases. */
export function oneOfNamed(path: string, value: string | undefined, values: ReadonlyMap<string, readonly string[]>): FieldError[] {
  if (value === undefined || values.has(value)) return [];
  const listed = [...values].map(([name, aliases]) => (aliases.length === 0 ? name : `${name} (${aliases.join(', ')})`));
  const hint = didYouMean(value, [...values].flat(2));
  return [{ path, message: `must be one of ${listed.join(', ')}, not ${quoted(value)}${hint}` }];
}

/** There are no more than `most` entries: what grows without bound ends up holding up everybody. */
export function atMostEntries(path: string, count: number, most: number): FieldError[] {
  return count <= most ? [] : [{ path, message: `must have at most ${most} entries, not ${count}` }];
}

/** The integer is not below `minimum`. */
export function atLeast(path: string, value: number | undefined, minimum: number): FieldError[] {
  return value === undefined || value >= minimum ? [] : [{ path, message: `must be at least ${minimum}` }];
}

/** The text is a duration longer than nothing. */
export function positiveDuration(path: string, value: string | undefined): FieldError[] {
  if (value === undefined) return [];
  return parseDuration(value) === 0 ? [{ path, message: 'must be longer than 0s' }] : durationText(path, value);
}

/** The text can name an object: `name` or `namespace/name`. The existence of the object is not checked. Blank is left to the required-field check. */
export function objectRef(path: string, ref: string | undefined): FieldError[] {
  if (ref === undefined || ref === '') return [];
  const { namespace, name } = parseRef(ref, 'default');
  const nameIssue = nameProblem(name);
  if (nameIssue !== undefined) return [{ path, message: `must refer to an object as name or namespace/name, and the name ${nameIssue}` }];
  const namespaceIssue = namespaceProblem(namespace);
  if (namespaceIssue === undefined) return [];
  return [{ path, message: `must refer to an object as name or namespace/name, and the namespace ${namespaceIssue}` }];
}

const NO_CREDENTIALS = 'must not hold credentials; put them into the Secret of auth.secretRef';
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
/** A user name or password in front of a host. */
const USER_INFO = /^[^/?#]*@/;
/** A password in front of a host: also one with "/", "?" or "#", where the host ends to a URL parser. */
const PASSWORD = /^(?:[^@:]*:[^@]+@|[^/?#:]*:[^/?#]+@)/;
/** A password among the parameters of a URL, or in a text of pairs such as `host=db password=p`. */
const PASSWORD_PARAMETER = /(?:^|[\s?&;])(?:pass|[\w-]*(?:password|passwd|passphrase|pwd))\s*=/i;

const holdsPassword = (address: string): boolean =>
  PASSWORD.test(address.replace(SCHEME, '')) ||
  PASSWORD_PARAMETER.test(address.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))));

/** The address holds no user name or password, which every reader of the object would see. */
export function noCredentials(path: string, address: string | undefined): FieldError[] {
  const isHeld =
    address !== undefined && (USER_INFO.test(address.replace(SCHEME, '')) || (!URL.canParse(address) && holdsPassword(address)));
  return problemAt(path, isHeld ? NO_CREDENTIALS : undefined);
}

/** As `noCredentials`, for addresses that name a user. An "@" behind a port is taken for the end of a password. */
export function noPassword(path: string, address: string | undefined): FieldError[] {
  const message = 'must not hold a password; put it into the Secret of auth.secretRef';
  return problemAt(path, address !== undefined && holdsPassword(address) ? message : undefined);
}

/** The address is an http or https URL without credentials. */
export function httpUrl(path: string, address: string | undefined): FieldError[] {
  if (address === undefined) return [];
  const held = noCredentials(path, address);
  if (held.length > 0) return held;
  if (!URL.canParse(address) || !/^https?:\/\//i.test(address)) return [{ path, message: 'must be an http or https URL' }];
  const { username, password } = new URL(address);
  return username || password ? [{ path, message: NO_CREDENTIALS }] : [];
}

/** No entry is blank: a blank in a list of rules would quietly widen or void it. */
export function noBlanks(path: string, values: readonly string[] | undefined): FieldError[] {
  return (values ?? []).flatMap((value, index) => (value === '' ? [{ path: `${path}[${index}]`, message: 'must not be blank' }] : []));
}

/** Its length and its characters keep every text of a work item's index below the longest entry that PostgreSQL stores. */
const CAPABILITY_MAX_CHARS = 253;

/** The text can be what a worker offers: one line of a name's length. */
export function capabilityText(path: string, value: string | undefined): FieldError[] {
  if (value === undefined) return [];
  if (value.length > CAPABILITY_MAX_CHARS) return [{ path, message: `must be at most ${CAPABILITY_MAX_CHARS} characters` }];
  return problemAt(path, /\p{Cc}/u.test(value) ? 'must not hold control characters' : undefined);
}

/** Every entry can name an object. */
export function objectRefs(path: string, refs: readonly string[] | undefined): FieldError[] {
  return [...noBlanks(path, refs), ...(refs ?? []).flatMap((ref, index) => objectRef(`${path}[${index}]`, ref))];
}

/** The text is a duration; nothing at all (`0s`) is one. */
export function durationText(path: string, value: string | undefined): FieldError[] {
  if (value === undefined || parseDuration(value) !== undefined) return [];
  if (isTooLongDuration(value)) return [{ path, message: `must be at most 292 years (2562047h), not ${quoted(value)}` }];
  return [{ path, message: `must be a duration such as 30s, 10m or 24h, not ${quoted(value)}` }];
}
