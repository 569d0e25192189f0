// Rules for browsers. While auth is off, anything that reaches the port is trusted, so a web page must not reach it through a visitor's browser:
// neither under another host name (DNS rebinding) nor by writes from another origin. Pure.
import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '@svc/shared/errors';

export interface BrowserPolicy {
  /** Host names (without port) that requests may be addressed to while auth is off; undefined: any. */
  readonly hosts: ReadonlySet<string> | undefined;
  readonly corsOrigins: ReadonlySet<string>;
  /** The origin of the public URL, where a proxy may hide it from the Host header. */
  readonly publicOrigin: string | undefined;
  /** Host and origin are checked even while auth is on, as for a server of one window. */
  readonly strict: boolean;
}

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
const LOOPBACK_ADDRESS = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i;

/** Host names are checked on loopback binds only: who listens wider without auth chose to be open. */
export function browserPolicy(options: {
  readonly host: string;
  readonly publicUrl?: string | undefined;
  readonly corsOrigins: readonly string[];
  readonly strictOrigins?: boolean;
}): BrowserPolicy {
  const { host, publicUrl, corsOrigins, strictOrigins = false } = options;
  const own = host.includes(':') ? `[${host}]` : host;
  const hosts = LOOPBACK_ADDRESS.test(host)
    ? new Set([...LOOPBACK_HOSTS, own.toLowerCase(), ...(publicUrl ? [new URL(publicUrl).hostname] : [])])
    : undefined;
  const publicOrigin = publicUrl ? new URL(publicUrl).origin : undefined;
  return { hosts, corsOrigins: new Set(corsOrigins.map((origin) => origin.toLowerCase())), publicOrigin, strict: strictOrigins };
}

const hostName = (host: string): string => host.toLowerCase().replace(/:\d*$/, '');

/** Throws `forbidden` when the Host header names somebody else. A request without one comes from no browser. */
export function checkHost(policy: BrowserPolicy, host: string | undefined): void {
  if (policy.hosts === undefined || host === undefined || policy.hosts.has(hostName(host))) return;
  throw new ServiceError(
    'forbidden',
    'The Host header does not name this server; use its loopback address, set --public-url, or require a token',
  );
}

/** Whether a page of this origin may read the answers. */
export function isAllowedOrigin(policy: BrowserPolicy, origin: string): boolean {
  return policy.corsOrigins.has('*') || policy.corsOrigins.has(origin.toLowerCase());
}

/** Headers in which a browser describes the page that a request comes from. */
export interface PageHeaders {
  readonly origin?: string | undefined;
  readonly host?: string | undefined;
  readonly 'sec-fetch-site'?: string | string[] | undefined;
}

/** Behind a proxy that ends TLS the scheme is not known, except that of the public URL: a page of its host over plain HTTP may be anybody's. */
function isOwnOrigin({ publicOrigin }: BrowserPolicy, { origin = '', host }: PageHeaders): boolean {
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  if (page.origin === publicOrigin) return true;
  return page.host === host?.toLowerCase() && (publicOrigin === undefined || new URL(publicOrigin).host !== page.host);
}

/** Throws `forbidden` for a write that a page of another origin sends. */
export function checkOrigin(policy: BrowserPolicy, headers: PageHeaders): void {
  if (headers.origin === undefined || isAllowedOrigin(policy, headers.origin) || isOwnOrigin(policy, headers)) return;
  throw new ServiceError(
    'forbidden',
    'Pages of other origins may not write to a server without authentication; allow theirs with --cors-origins, or require a token',
  );
}

/** Throws `forbidden` when a page of another origin does `what`: no check of the browser precedes a WebSocket, and MCP requires one of servers. */
export function checkPage(policy: BrowserPolicy, headers: PageHeaders, what: string): void {
  if (headers.origin === undefined || isAllowedOrigin(policy, headers.origin) || isOwnOrigin(policy, headers)) return;
  throw new ServiceError('forbidden', `Pages of other origins may not ${what}; allow theirs with --cors-origins`);
}

/** From one of this server's own pages, from another's, or undefined when nothing says that a page sent it. */
function isOwnPage(policy: BrowserPolicy, headers: PageHeaders): boolean | undefined {
  // No page can forge this one, and it is right behind any proxy.
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return headers.origin === undefined ? undefined : isOwnOrigin(policy, headers);
}

/** Throws `forbidden` when a page of another origin requests what only this server's own pages and programs may do. */
export function refuseForeignPage(policy: BrowserPolicy, headers: PageHeaders): void {
  if (isOwnPage(policy, headers) !== false) return;
  throw new ServiceError('forbidden', "Only this server's own pages may sign in and out; programs send their token with each request");
}

/** Throws `forbidden` unless one of this server's own pages is known to have sent the request. Browsers send cookies along with requests of any page. */
export function requireOwnPage(policy: BrowserPolicy, headers: PageHeaders): void {
  if (isOwnPage(policy, headers) === true) return;
  throw new ServiceError(
    'forbidden',
    "A sign-in cookie counts for writes from this server's own pages only (by Origin or Sec-Fetch-Site); programs send a token in the Authorization header",
  );
}

const EXPOSED = 'X-Request-Id, Warning, Retry-After, ETag, Deprecation, Content-Disposition, X-Svc-Session, X-Svc-CRD-Managed';

/** Response headers for an allowed origin; empty otherwise. */
export function corsHeaders(policy: BrowserPolicy, origin: string | undefined): Record<string, string> {
  if (origin === undefined || policy.corsOrigins.size === 0) return {};
  if (!isAllowedOrigin(policy, origin)) return { Vary: 'Origin' };
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': EXPOSED,
  };
}

const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/;

/** Further headers of the answer to a preflight from an allowed origin, whose pages may send any header: clients of protocols have their own. */
export function preflightHeaders({ 'access-control-request-headers': asked = '' }: IncomingHttpHeaders): Record<string, string> {
  return { ...(HEADER_NAMES.test(asked) && { 'Access-Control-Allow-Headers': asked }), 'Access-Control-Max-Age': '600' };
}
