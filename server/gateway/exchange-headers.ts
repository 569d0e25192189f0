// Headers that pass between the window and another server, both ways. Lists of what passes: everything else stays on its side. Pure.
import type { IncomingHttpHeaders } from 'node:http';

const REQUEST_HEADERS = [
  'accept',
  'accept-encoding',
  'accept-language',
  'content-length',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'last-event-id',
  'x-request-id',
] as const;

const RESPONSE_HEADERS = [
  'content-disposition',
  'content-encoding',
  'content-length',
  'content-type',
  'etag',
  'retry-after',
  'warning',
  'x-request-id',
  'x-svc-crd-managed',
] as const;

/** Types that no browser runs as a page, a style or a script. */
const PASSIVE_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/jsonl',
  'application/octet-stream',
  'application/problem+json',
  'application/x-ndjson',
  'application/yaml',
  'text/event-stream',
  'text/plain',
]);

type Headers = Readonly<Record<string, string | string[] | undefined>>;

function pick(headers: Headers, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]];
    }),
  );
}

/** Headers of the request to the other server: no cookie, no origin and no credentials of this one; its own token instead. */
export function requestHeaders(headers: IncomingHttpHeaders, token: string | undefined): Record<string, string> {
  return { ...pick(headers, REQUEST_HEADERS), ...bearer(token) };
}

export const bearer = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

/** Headers of its answer for the window. An answer never sets a cookie, a policy or a redirect of this origin. */
export const responseHeaders = (headers: Headers): Record<string, string> => pick(headers, RESPONSE_HEADERS);

/** Whether an answer may be shown under this origin: a page or a script of the other server would run with the rights of the window. */
export function isPassive(contentType: string | string[] | undefined): boolean {
  const [type = ''] = String(contentType ?? 'application/octet-stream').split(';', 1);
  return PASSIVE_TYPES.has(type.trim().toLowerCase());
}
