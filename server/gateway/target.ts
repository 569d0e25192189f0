// Addresses of the gateway, `/p/<profile>/<path>`: which profile, and whether the path belongs to the console or to the other server. Pure.
import { ServiceError } from '@svc/shared/errors';

const PREFIX = '/p/';
const ID = /^[a-z0-9][a-z0-9-]{0,62}$/;
/** First segments of paths that the other server answers. All other paths are pages and files of this server's own console. */
const FORWARDED: ReadonlySet<string> = new Set(['v1', 'trpc', 'a2a', 'healthz', 'readyz', 'openapi.json', '.well-known']);
/** The one path that takes WebSockets: terminals stay on this machine. */
const SOCKET_PATH = '/trpc';
/** Segments that a server, or a proxy before it, could resolve to a path outside of the profile's own. */
const ESCAPES = /^(\.|%2e){1,2}$/i;
const ENCODED_SEPARATORS = /%(2f|5c|00)|\\/i;

export interface GatewayTarget {
  readonly id: string;
  /** Path prefix of the profile, `/p/<id>`. */
  readonly base: string;
  /** Path with its query, beginning with a slash. */
  readonly rest: string;
}

/** Undefined for a request that is not for the gateway. */
export function gatewayTarget(url: string): GatewayTarget | undefined {
  if (!url.startsWith(PREFIX)) return undefined;
  const [path = ''] = url.split('?', 1);
  const id = path.slice(PREFIX.length).split('/', 1)[0] ?? '';
  if (!ID.test(id)) return undefined;
  const base = `${PREFIX}${id}`;
  const rest = url.slice(base.length);
  return { id, base, rest: rest.startsWith('/') ? rest : `/${rest}` };
}

const pathOf = (rest: string): string => rest.split('?', 1)[0] ?? '/';

export function isForwarded(rest: string): boolean {
  return FORWARDED.has(pathOf(rest).split('/', 2)[1] ?? '');
}

export function takesSocket(rest: string): boolean {
  return pathOf(rest) === SOCKET_PATH;
}

/** Throws `invalid` for a path that could lead out of the address of the profile, where its token must not go. */
export function requirePlainPath(rest: string): void {
  const segments = pathOf(rest).slice(1).split('/');
  const isPlain = segments.every((segment, at) => !ESCAPES.test(segment) && (segment !== '' || at === segments.length - 1));
  if (!isPlain || ENCODED_SEPARATORS.test(pathOf(rest)))
    throw new ServiceError('invalid', 'The path has empty, dot or encoded segments, which the app does not pass on to another server');
}
