// What browsers may do. While auth is off, anything that reaches the port is trusted, so a web page must not reach it through a visitor's browser:
// neither under another host name (DNS rebinding) nor by writes from another origin. Pure.
import { ServiceError } from '@svc/shared/errors';

export interface BrowserPolicy {
  /** Host names (without port) that requests may be addressed to while auth is off; undefined: any. */
  readonly hosts: ReadonlySet<string> | undefined;
  readonly corsOrigins: ReadonlySet<string>;
}

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
const LOOPBACK_ADDRESS = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i;

/** Host names are checked on loopback binds only: who listens wider without auth chose to be open. */
export function browserPolicy(options: {
  readonly host: string;
  readonly publicUrl?: string | undefined;
  readonly corsOrigins: readonly string[];
}): BrowserPolicy {
  const { host, publicUrl, corsOrigins } = options;
  const own = host.includes(':') ? `[${host}]` : host;
  const hosts = LOOPBACK_ADDRESS.test(host)
    ? new Set([...LOOPBACK_HOSTS, own.toLowerCase(), ...(publicUrl ? [new URL(publicUrl).hostname] : [])])
    : undefined;
  return { hosts, corsOrigins: new Set(corsOrigins.map((origin) => origin.toLowerCase())) };
}

export const hostName = (host: string): string => host.toLowerCase().replace(/:\d*$/, '');

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

/** Throws `forbidden` for a write that a page of another origin sends. */
export function checkOrigin(policy: BrowserPolicy, origin: string | undefined, host: string | undefined): void {
  if (origin === undefined || isAllowedOrigin(policy, origin)) return;
  if (URL.canParse(origin) && new URL(origin).host === host?.toLowerCase()) return;
  throw new ServiceError(
    'forbidden',
    'Pages of other origins may not write to a server without authentication; allow theirs with --cors-origins, or require a token',
  );
}

/** Response headers for an allowed origin; empty otherwise. */
export function corsHeaders(policy: BrowserPolicy, origin: string | undefined): Record<string, string> {
  if (origin === undefined || policy.corsOrigins.size === 0) return {};
  if (!isAllowedOrigin(policy, origin)) return { Vary: 'Origin' };
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': 'X-Request-Id, Warning, Retry-After, X-Svc-CRD-Managed',
  };
}

/** What a preflight of an allowed origin is told besides. */
export const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID, X-Request-Id, Idempotency-Key',
  'Access-Control-Max-Age': '600',
};
