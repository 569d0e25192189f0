// Where a redirect leads and what it may carry. Pure; the addresses are judged at dial.

/** One request as it goes over the wire. */
export interface Hop {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export type NextHop =
  { readonly kind: 'none' } | { readonly kind: 'refused'; readonly why: string } | { readonly kind: 'hop'; readonly hop: Hop };

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Headers of a caller that prove who we are. */
const CREDENTIAL_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization', 'x-api-key']);
/** Headers of the connection, or derived from the URL: a caller's own would name another host than the one that was checked. */
const OWN_HEADERS = new Set([
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'proxy-connection',
]);
const BODY_HEADERS = new Set(['content-type', 'content-length', 'content-encoding', 'transfer-encoding']);

/** Why a URL may not be called, or undefined when it may. */
export function urlProblem(url: URL): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `its scheme is ${url.protocol.replace(':', '')}, not http or https`;
  if (url.username !== '' || url.password !== '') return 'it carries credentials; put them in a Secret';
  return undefined;
}

/** The request that follows this answer. 307 and 308 repeat it, the others become GET; credentials never leave the origin, and nothing goes from https to http. */
export function nextHop(hop: Hop, status: number, location: string | undefined): NextHop {
  if (!REDIRECTS.has(status) || location === undefined) return { kind: 'none' };
  if (!URL.canParse(location, hop.url.href)) return { kind: 'refused', why: 'its redirect is not a URL' };
  const url = new URL(location, hop.url);
  const problem = urlProblem(url);
  if (problem !== undefined) return { kind: 'refused', why: `it redirects to a URL that is refused: ${problem}` };
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') return { kind: 'refused', why: 'it redirects from https to http' };
  const repeats = status === 307 || status === 308 || hop.method === 'GET';
  const stays = url.origin === hop.url.origin;
  return {
    kind: 'hop',
    hop: {
      method: repeats ? hop.method : 'GET',
      url,
      headers: without(hop.headers, [...(repeats ? [] : BODY_HEADERS), ...(stays ? [] : CREDENTIAL_HEADERS)]),
      credentials: stays ? hop.credentials : {},
      body: repeats ? hop.body : undefined,
    },
  };
}

/** The headers that a caller may set. */
export function withoutOwn(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return without(headers, [...OWN_HEADERS]);
}

function without(headers: Readonly<Record<string, string>>, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name.toLowerCase())));
}
