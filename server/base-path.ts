// Path prefix under which a proxy publishes the server, such as /svc: requests are accepted with it, and without it from proxies that remove it.

/** First segments of the server's own paths, which a prefix cannot begin with. */
export const OWN_SEGMENTS: ReadonlySet<string> = new Set(
  '.well-known a2a assets docs healthz index.html livez mcp metrics n openapi.json p readyz trpc v1 welcome ws'.split(' '),
);

const FORM = /^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/;
const LENGTH_MAX = 200;

/** The rule that a prefix breaks, to complete "It must …"; undefined for a good one. The empty prefix is good. */
export function basePathProblem(path: string): string | undefined {
  if (path === '') return undefined;
  if (path.length > LENGTH_MAX || !FORM.test(path))
    return `be a path such as /svc: no slash at its end, at most ${LENGTH_MAX} letters, digits, - _ . and ~`;
  const first = path.split('/', 2)[1] ?? '';
  return OWN_SEGMENTS.has(first) ? `not begin with /${first}, which is a path of the server itself` : undefined;
}

/** Target of a request without the prefix. Other targets, similar ones included (`/svcx`, `//svc`, `/%73vc`), are returned unchanged. */
export function withoutBasePath(url: string, basePath: string): string {
  if (basePath === '') return url;
  const origin = url.startsWith('/') ? '' : (/^https?:\/\/[^/?#]*/i.exec(url)?.[0] ?? '');
  const target = url.slice(origin.length);
  if (!target.startsWith(basePath)) return url;
  const rest = target.slice(basePath.length);
  if (rest.startsWith('/')) return `${origin}${rest}`;
  return rest === '' || rest.startsWith('?') ? `${origin}/${rest}` : url;
}
