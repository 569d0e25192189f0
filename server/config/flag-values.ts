// The values flags take, each with the sentence that refuses what does not fit. Pure; independent of any flag.
import { InvalidArgumentError } from 'commander';
import { formatDuration, parseLongDuration } from '@svc/shared/duration';
import { imagePatternProblem } from '@svc/shared/images/image-policy';
import { imageReferenceProblem } from '@svc/shared/images/image-reference';
import { nameProblem } from '@svc/shared/resource';
import { trimEnd } from '@svc/shared/trim-end';
import { basePathProblem } from '../base-path.ts';
import { isProxyRange } from '../http/gate/client-address.ts';
import { parseRetention, type TaskRetention } from '../controllers/retention/limits.ts';

/** Where something listens; port 0 picks a free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** A free port that browsers accept, where this one is taken. No flag sets it. */
  readonly orFreePort?: boolean;
}

const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1)$/i;

/** Reachable from this machine only. */
export const isLoopback = ({ host }: ListenAddress): boolean => LOOPBACK.test(host);

/** The place of a database by its URL: a host, or the directory of a socket, and a port. Undefined for a URL that cannot be parsed. */
export function databasePlace(text: string): ListenAddress | undefined {
  // The form `postgres://user@/database?host=/run/postgresql`, without a host, is no URL of the standard.
  const url = text.replace(/@\//, '@localhost/');
  if (!URL.canParse(url)) return undefined;
  const { hostname, searchParams, port } = new URL(url);
  const host = searchParams.get('host') ?? (hostname.replace(/^\[|\]$/g, '') || 'localhost');
  return { host, port: Number(port || 5432) };
}

/** Whether the database of a URL is on this machine: at a loopback address or a socket. */
export function isLocalDatabase(url: string): boolean {
  const place = databasePlace(url);
  return place !== undefined && (place.host.startsWith('/') || isLoopback(place));
}

const fail = (message: string): never => {
  throw new InvalidArgumentError(message);
};

export function parseAddr(value: string): ListenAddress {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(value);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) return fail('It must be host:port, such as 127.0.0.1:8080.');
  return { host: match[1] ?? (match[2] || '0.0.0.0'), port };
}

export const parseBool = (value: string): boolean => {
  if (/^(true|1|yes|on)$/i.test(value)) return true;
  return /^(false|0|no|off)$/i.test(value) ? false : fail('It must be true or false.');
};

export const parseCount = (value: string): number =>
  /^[1-9]\d{0,8}$/.test(value) ? Number(value) : fail('It must be a whole number of at least 1.');

export const parseCountOrZero = (value: string): number => (value === '0' ? 0 : parseCount(value));

export const parseMs = (value: string): number => {
  const ms = parseLongDuration(value);
  return ms !== undefined && ms > 0 ? ms : fail('It must be a duration above zero, such as 30s or 2m.');
};

export const parseMsAtLeast =
  (leastMs: number) =>
  (value: string): number => {
    const ms = parseMs(value);
    return ms >= leastMs ? ms : fail(`It must be at least ${formatDuration(leastMs)}.`);
  };

export const parseMsAtMost =
  (mostMs: number) =>
  (value: string): number => {
    const ms = parseMs(value);
    return ms <= mostMs ? ms : fail(`It must be at most ${formatDuration(mostMs)}.`);
  };

export const parseList = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

export const parseProxies = (value: string): string[] => {
  const proxies = parseList(value);
  const wrong = proxies.find((proxy) => !isProxyRange(proxy));
  return wrong === undefined ? proxies : fail(`"${wrong}" is neither an address nor a CIDR range such as 10.0.0.0/8.`);
};

/** Judged when they are used: a refused value is quoted, and these are secret. */
export const parseKeys = (value: string): string[] => {
  const keys = value.split(/[\s,]+/).filter((key) => key !== '');
  return keys.length > 0 || value === '' ? keys : [value];
};

const isHttpUrl = (value: string): boolean => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

export const parseUrl = (value: string): string => (isHttpUrl(value) ? trimEnd(value, '/') : fail('It must be an http or https URL.'));

export const parseBasePath = (value: string): string => {
  const problem = basePathProblem(value);
  return problem === undefined ? value : fail(`It must ${problem}.`);
};

const isOrigin = (value: string): boolean => value === '*' || (isHttpUrl(value) && new URL(value).origin === value.toLowerCase());

export const parseOrigins = (value: string): string[] => {
  const origins = parseList(value);
  return origins.every(isOrigin) ? origins : fail('It must be origins such as https://console.example, or *.');
};

export const parsePath = (value: string): string => (value.trim() === '' ? fail('It must be a path.') : value);

/** The name of a Worker object; empty is as if it were not given. */
export const parseWorkerId = (value: string): string | undefined => {
  const id = value.trim();
  const problem = id === '' ? undefined : nameProblem(id);
  return problem === undefined ? id || undefined : fail(`It ${problem}.`);
};

/** A container image; empty is as if it were not given. */
export const parseImage = (value: string): string | undefined => {
  const image = value.trim();
  const problem = image === '' ? undefined : imageReferenceProblem(image);
  return problem === undefined ? image || undefined : fail(`It ${problem}.`);
};

/** Limits of finished objects; empty is as if it were not given. */
export const parseObjectRetention = (value: string): TaskRetention | undefined => {
  if (value.trim() === '') return undefined;
  const retention = parseRetention(value);
  return typeof retention === 'string' ? fail(retention) : retention;
};

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** `<per second>[,<burst>]`; without a burst twice the rate, at least one; empty is as if it were not given. */
export const parseRate = (value: string): Rate | undefined => {
  if (value.trim() === '') return undefined;
  const [, rate, burst] = /^\s*(\d{1,6}(?:\.\d{1,3})?)\s*(?:,\s*(\d{1,6})\s*)?$/.exec(value) ?? [];
  const perSecond = Number(rate ?? NaN);
  const read = { perSecond, burst: burst === undefined ? Math.max(1, Math.ceil(2 * perSecond)) : Number(burst) };
  return perSecond > 0 && read.burst > 0 ? read : fail('It must be a number of requests per second, with a burst if wanted: 10 or 10,50.');
};

export interface VersionRetention {
  /** Versions of each object; 0: none. */
  readonly count: number;
  /** Longest time since their replacement. */
  readonly ageMs?: number;
}

const VERSIONS_MAX = 10_000;
export const VERSION_RETENTION_DEFAULT = '365d,100';

/** An age, a count, or both; `none` keeps no versions; an empty value is the default, and so is a count that is not given. */
export const parseVersionRetention = (value: string): VersionRetention => {
  if (value.trim() === 'none') return { count: 0 };
  const retention = parseRetention(value.trim() === '' ? VERSION_RETENTION_DEFAULT : value);
  if (typeof retention === 'string') return fail(retention);
  const { general = {}, namespaces } = retention;
  if (namespaces.size > 0) return fail('It has no limits for single namespaces.');
  const { count = 100, ageMs } = general;
  return count > VERSIONS_MAX ? fail(`It must be at most ${VERSIONS_MAX} versions.`) : { count, ...(ageMs !== undefined && { ageMs }) };
};

export const CHAT_RETENTION_DEFAULT = '168h,10000';

/** `none` has no limits; an empty value is the default. */
export const parseChatRetention = (value: string): TaskRetention => {
  if (value.trim() === 'none') return { namespaces: new Map() };
  const retention = parseRetention(value.trim() === '' ? CHAT_RETENTION_DEFAULT : value);
  return typeof retention === 'string' ? fail(retention) : retention;
};

/** Patterns of images, checked one by one. */
export const parseImagePatterns = (value: string): string[] => {
  const patterns = parseList(value);
  const wrong = patterns.find((pattern) => imagePatternProblem(pattern) !== undefined);
  return wrong === undefined ? patterns : fail(`"${wrong}" ${imagePatternProblem(wrong)}.`);
};

const NETWORK_NAME = /^[A-Za-z0-9][\w.-]{0,127}$/;

/** Names of container networks; a tool may not have the host's own network. */
export const parseNetworks = (value: string): string[] => {
  const names = parseList(value);
  const fits = (name: string) => NETWORK_NAME.test(name) && name !== 'host';
  return names.every(fits) ? names : fail('It must be names of container networks, and not host.');
};

const BYTES_PER_UNIT: Readonly<Record<string, number>> = { '': 1, b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** An amount of memory or disk in bytes, such as 64MiB. */
export const parseBytes = (value: string): number => {
  const match = /^([1-9]\d{0,14})\s*(?:([kmg])(?:i?b)?|b)?$/i.exec(value.trim());
  const bytes = Number(match?.[1]) * (BYTES_PER_UNIT[match?.[2]?.toLowerCase() ?? ''] ?? NaN);
  return Number.isSafeInteger(bytes) ? bytes : fail('It must be an amount of bytes such as 512KiB, 256MiB or 1GiB.');
};

const DISK_MIN_BYTES = 1024 ** 2;

/** Bytes on disk of at least 1 MiB; 0 for no limit. */
export const parseDiskMax = (value: string): number => {
  const bytes = value.trim() === '0' ? 0 : parseBytes(value);
  return bytes === 0 || bytes >= DISK_MIN_BYTES ? bytes : fail('It must be 0 for no limit, or at least 1MiB.');
};

const CONTAINER_MEMORY_MIN_BYTES = 16 * 1024 ** 2;

/** Memory in which a container can start. */
export const parseContainerMemory = (value: string): number => {
  const bytes = parseBytes(value);
  return bytes >= CONTAINER_MEMORY_MIN_BYTES ? bytes : fail('It must be at least 16MiB.');
};

/** Processors in steps of a hundredth. */
export const parseCpus = (value: string): number => {
  const cores = /^\d{1,4}(?:\.\d{1,2})?$/.test(value.trim()) ? Number(value) : NaN;
  return cores >= 0.1 ? cores : fail('It must be a number of processors from 0.1 on, such as 0.5 or 2.');
};

/** Judged beside the flags and not by a parser of theirs: a refused value is quoted, and this one may hold a password. The rest of it the store judges. */
export const isDatabaseUrl = (value: string): boolean => /^postgres(ql)?:\/\/\S*$/i.test(value);

/** A text with the user and password of every URL in it blotted out. */
export const withoutCredentials = (text: string): string =>
  text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s']*@/gi, '$1***@').replace(/(password=)[^\s'&]*/gi, '$1***');
