// Cookie of a browser sign-in: its name and attributes, for HTTPS and for plain HTTP. Pure.

const NAME = 'svc_session';
/** Browsers take a cookie of this prefix from an HTTPS answer of this very host only, so no neighbour can plant one. */
const SECURE_NAME = `__Host-${NAME}`;

export interface SignInCookie {
  /** The value that a Cookie header has for it; undefined without one. */
  read(header: string | undefined): string | undefined;
  /** A Set-Cookie header that keeps `value` for `seconds`. */
  set(value: string, seconds: number): string;
  /** A Set-Cookie header that removes it. */
  clear(): string;
}

function createSignInCookie(secure: boolean): SignInCookie {
  const name = secure ? SECURE_NAME : NAME;
  const start = `${name}=`;
  const set = (value: string, seconds: number) =>
    `${start}${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  return {
    read(header) {
      if (header === undefined || !header.includes(start)) return undefined;
      const pair = header
        .split(';')
        .map((each) => each.trim())
        .find((each) => each.startsWith(start));
      return pair?.slice(start.length);
    },
    set,
    clear: () => set('', 0),
  };
}

/** Sign-in cookie of requests over HTTPS. */
export const secureCookie: SignInCookie = createSignInCookie(true);
export const plainCookie: SignInCookie = createSignInCookie(false);
