// Cookie of a browser sign-in: its name and attributes, for HTTPS and for plain HTTP. Pure.
import { UI_COOKIE } from '@svc/shared/control';

const NAME = 'svc_session';
/** Browsers take a cookie of this prefix from an HTTPS answer of this very host only, so no neighbour can plant one. It has no path. */
const HOST_NAME = `__Host-${NAME}`;
/** Under a path prefix, where the cookie is sent to this server only and not to its neighbours on the host. */
const SECURE_NAME = `__Secure-${NAME}`;

export interface SignInCookie {
  /** The value that a Cookie header has for it; undefined without one. */
  read(header: string | undefined): string | undefined;
  /** A Set-Cookie header that keeps `value` for `seconds`. */
  set(value: string, seconds: number): string;
  /** A Set-Cookie header that removes it. */
  clear(): string;
}

function valueOf(header: string | undefined, name: string): string | undefined {
  const start = `${name}=`;
  if (header === undefined || !header.includes(start)) return undefined;
  const pair = header
    .split(';')
    .map((each) => each.trim())
    .find((each) => each.startsWith(start));
  return pair?.slice(start.length);
}

function createSignInCookie(basePath: string, secure: boolean): SignInCookie {
  const name = secure ? (basePath === '' ? HOST_NAME : SECURE_NAME) : NAME;
  const set = (value: string, seconds: number) =>
    `${name}=${value}; Path=${basePath || '/'}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  return {
    read: (header) => valueOf(header, name),
    set,
    clear: () => set('', 0),
  };
}

/** Cookie that the desktop app plants in its own window; the server only reads and removes it. */
const launchCookie: Pick<SignInCookie, 'read' | 'clear'> = {
  read: (header) => valueOf(header, UI_COOKIE),
  clear: () => `${UI_COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict`,
};

export interface SignInCookies {
  readonly launch: Pick<SignInCookie, 'read' | 'clear'>;
  /** For requests over HTTPS. */
  readonly secure: SignInCookie;
  readonly plain: SignInCookie;
}

export const createSignInCookies = (basePath: string): SignInCookies => ({
  launch: launchCookie,
  secure: createSignInCookie(basePath, true),
  plain: createSignInCookie(basePath, false),
});
