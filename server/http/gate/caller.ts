// Identifies the caller and checks the browser's origin: the one gate of every surface on this port, REST, tRPC and WebSocket. Independent of routes and roles.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '@svc/shared/errors';
import type { AuthService } from '../../auth/auth.ts';
import { SIGN_IN_MS } from '../../auth/sign-in-documents.ts';
import type { Identity } from '../../registry/registry.ts';
import { checkHost, checkOrigin, checkPage, refuseForeignPage, requireOwnPage, type BrowserPolicy } from './origin.ts';
import { createSignInCookies, type SignInCookie, type SignInCookies } from './sign-in-cookie.ts';

interface CallerOptions {
  /** The request upgrades to a WebSocket, over which any request may follow. */
  readonly websocket?: boolean;
  /** Receives the renewed cookie, before the head is sent. Without it the sign-in is checked and not renewed, as at each keep-alive of a stream. */
  readonly response?: ServerResponse;
}

export interface CallerGateOptions {
  readonly auth: Pick<AuthService, 'enabled' | 'authenticate' | 'tryAuthenticate' | 'authenticateSignIn'>;
  readonly policy: BrowserPolicy;
  /** Whether what the request's peer says of its own client counts. */
  readonly isTrustedPeer: (request: IncomingMessage) => boolean;
  /** Path prefix of the server; empty: none. */
  readonly basePath: string;
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const SIGN_IN_SECONDS = SIGN_IN_MS / 1000;

function isUnsafe({ method = 'GET' }: IncomingMessage, websocket: boolean | undefined): boolean {
  return websocket === true || !SAFE_METHODS.has(method);
}

/** Node keeps the first one only; another program on the way may go by the last. */
function hostHeaders({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') count += 1;
  return count;
}

/** Authority of a target in absolute form, which replaces the Host header (RFC 9112 section 3.2.2). */
function authorityOf({ url = '' }: IncomingMessage): string | undefined {
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1];
}

/** A Set-Cookie header for a new or renewed sign-in. */
export function signInCookieHeader(cookie: SignInCookie, key: string): string {
  return cookie.set(key, SIGN_IN_SECONDS);
}

/** Refusal of a sign-in that no longer counts. Its header removes the cookie; otherwise the browser would keep sending it and be refused each time. */
class SignInOver extends ServiceError {
  readonly clear: string;

  constructor(cause: ServiceError, clear: string) {
    super('unauthorized', cause.message, { headers: { ...cause.headers, 'Set-Cookie': clear }, cause });
    this.clear = clear;
  }
}

export class CallerGate {
  readonly #auth: CallerGateOptions['auth'];
  readonly #policy: BrowserPolicy;
  readonly #isTrustedPeer: CallerGateOptions['isTrustedPeer'];
  readonly #publicHttps: boolean;
  readonly #cookies: SignInCookies;

  constructor({ auth, policy, isTrustedPeer, basePath }: CallerGateOptions) {
    this.#auth = auth;
    this.#policy = policy;
    this.#isTrustedPeer = isTrustedPeer;
    this.#cookies = createSignInCookies(basePath);
    this.#publicHttps = policy.publicOrigin?.startsWith('https:') ?? false;
  }

  /** Checks every request, public routes included. Throws `forbidden` for a strange Host or Origin, `invalid` without a Host or with two. */
  admit(request: IncomingMessage, { websocket }: CallerOptions = {}): void {
    const { headers } = request;
    // RFC 9112 section 3.2. Node would answer it itself, without our error body and request id.
    if (headers.host === undefined && request.httpVersion === '1.1')
      throw new ServiceError('invalid', 'The request has no Host header', { headers: { Connection: 'close' } });
    if (hostHeaders(request) > 1)
      throw new ServiceError('invalid', 'The request has more than one Host header', { headers: { Connection: 'close' } });
    headers.host = authorityOf(request) ?? headers.host;
    if (websocket) checkPage(this.#policy, headers, 'open a WebSocket here');
    if (this.#auth.enabled() && !this.#policy.strict) return;
    checkHost(this.#policy, headers.host);
    if (isUnsafe(request, websocket)) checkOrigin(this.#policy, headers);
  }

  /**
   * Identity of the caller, by the Authorization header, else by the sign-in cookie; with auth off the anonymous admin. Throws `unauthorized` (for a cookie that no longer
   * counts with a header that removes it), and `forbidden` when a cookie came with a write, or a WebSocket, that none of this server's own pages sent.
   */
  async authenticate(request: IncomingMessage, options: CallerOptions = {}): Promise<Identity> {
    return (await this.#bySignIn(request, options)) ?? this.#auth.authenticate(request.headers.authorization);
  }

  /** Like authenticate, but undefined when the request has neither, or a sign-in that no longer counts; the response then removes its cookie. */
  async tryAuthenticate(request: IncomingMessage, options: CallerOptions = {}): Promise<Identity | undefined> {
    const identity = await this.#bySignIn(request, options).catch((error: unknown) => {
      if (!(error instanceof SignInOver)) throw error;
      if (options.response?.headersSent === false) options.response.appendHeader('Set-Cookie', error.clear);
      return undefined;
    });
    return identity ?? this.#auth.tryAuthenticate(request.headers.authorization);
  }

  /** Identity by the Authorization header alone, undefined without one: a cookie is not checked and grants nothing, so a foreign page gains nothing by sending it. */
  tryToken({ headers }: IncomingMessage): Promise<Identity | undefined> {
    return this.#auth.tryAuthenticate(headers.authorization);
  }

  /** `admit`, then `authenticate`. May be called again for a long-lived request, to check whether it is still valid. */
  async identify(request: IncomingMessage, options: CallerOptions = {}): Promise<Identity> {
    this.admit(request, options);
    return this.authenticate(request, options);
  }

  /** Throws `forbidden` for an MCP message of a page of another origin, with a token too (MCP, Streamable HTTP, security). */
  admitMcp(request: IncomingMessage): void {
    checkPage(this.#policy, request.headers, 'call MCP here');
  }

  /** Throws `forbidden` when a page of another origin tries to sign somebody in. */
  admitSignIn(request: IncomingMessage): void {
    refuseForeignPage(this.#policy, request.headers);
  }

  /** Throws `forbidden` when a page of another origin tries to use up the attempts of a visitor's address; no such page can send a token. */
  admitAttempt({ headers }: IncomingMessage): void {
    if (headers.authorization === undefined) refuseForeignPage(this.#policy, headers);
  }

  /** Throws `forbidden` when a page of another origin tries to sign somebody out, or when a cookie came and nothing says from where. */
  admitSignOut(request: IncomingMessage): void {
    refuseForeignPage(this.#policy, request.headers);
    if (this.cookieOf(request).read(request.headers.cookie) !== undefined) requireOwnPage(this.#policy, request.headers);
  }

  /** Throws `forbidden` when a page of another origin tries to set the server up, or on loopback one that reached it by another host name. */
  admitSetup(request: IncomingMessage): void {
    // Before its first admin the server trusts its first caller, as it trusts everybody while auth is off.
    checkHost(this.#policy, request.headers.host);
    refuseForeignPage(this.#policy, request.headers);
  }

  /** Key of the sign-in that identifies the caller; undefined for callers with a token. Not checked here. */
  signInKeyOf(request: IncomingMessage): string | undefined {
    const { authorization, cookie } = request.headers;
    return authorization === undefined && cookie !== undefined ? this.#signInOf(request).key : undefined;
  }

  /** The cookie of the desktop window wins: a sign-in of another server on this host may be beside it. */
  #signInOf(request: IncomingMessage): { readonly cookie: Pick<SignInCookie, 'clear'>; readonly key: string | undefined } {
    const { cookie: header } = request.headers;
    // Another server on this host may have got that cookie too, and neither reads nor removes it.
    const launch = this.#policy.strict ? this.#cookies.launch.read(header) : undefined;
    if (launch !== undefined) return { cookie: this.#cookies.launch, key: launch };
    const cookie = this.cookieOf(request);
    return { cookie, key: cookie.read(header) };
  }

  /** Whether the client's own connection is HTTPS, as far as can be known. */
  isSecure(request: IncomingMessage): boolean {
    if (this.#publicHttps || 'encrypted' in request.socket) return true;
    const said = request.headers['x-forwarded-proto'];
    const first = (Array.isArray(said) ? said[0] : said)?.split(',', 1)[0];
    return first?.trim().toLowerCase() === 'https' && this.#isTrustedPeer(request);
  }

  cookieOf(request: IncomingMessage): SignInCookie {
    return this.isSecure(request) ? this.#cookies.secure : this.#cookies.plain;
  }

  /** Undefined when the request has no sign-in to check. */
  async #bySignIn(request: IncomingMessage, { websocket, response }: CallerOptions): Promise<Identity | undefined> {
    if (request.headers.cookie === undefined || request.headers.authorization !== undefined) return undefined;
    const { cookie, key } = this.#signInOf(request);
    if (key === undefined) return undefined;
    const unsafe = isUnsafe(request, websocket);
    const known = this.#auth.enabled();
    if (known && unsafe) requireOwnPage(this.#policy, request.headers);
    const renew = response !== undefined && !response.headersSent;
    const caller = await this.#auth.authenticateSignIn(key, { renew }).catch((error: unknown) => {
      throw signInOver(error, cookie);
    });
    // A token that was made through another process may have turned authentication on just now.
    if (!known && unsafe && caller.identity.method === 'session') requireOwnPage(this.#policy, request.headers);
    if (caller.renewed) response?.appendHeader('Set-Cookie', signInCookieHeader(this.cookieOf(request), key));
    return caller.identity;
  }
}

function signInOver(error: unknown, cookie: Pick<SignInCookie, 'clear'>): unknown {
  return error instanceof ServiceError && error.code === 'unauthorized' ? new SignInOver(error, cookie.clear()) : error;
}
