// Page of the console, made for every answer: its nonce, and the policy that allows only the server's own files to run.
import { randomBytes } from 'node:crypto';

export interface PageAnswer {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PageRequest {
  readonly host: string | undefined;
  readonly secure: boolean;
}

const BASE_PLACE = '__BASE_PATH__';
/** The build writes addresses relative to its root; pages lie at any depth. */
const RELATIVE = /(?<=\s(?:src|href)=")\.\//g;
const NONCE_PLACE = '__CSP_NONCE__';
const NONCE_BYTES = 16;
/** Hosts that may appear in a policy; any other is left out, since the client chooses the header. IPv6 addresses have no form there. */
const POLICY_HOST = /^[a-z0-9]([a-z0-9.-]{0,252})(:\d{1,5})?$/i;

function contentPolicy(nonce: string, { host, secure }: PageRequest): string {
  const socket = host !== undefined && POLICY_HOST.test(host) ? ` ${secure ? 'wss' : 'ws'}://${host}` : '';
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self'${socket}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** `html` has `__CSP_NONCE__` where the nonce belongs, `__BASE_PATH__` where the path prefix does, and relative addresses. */
export function createConsolePage(html: string, basePath: string): (request: PageRequest) => PageAnswer {
  const parts = html.replaceAll(BASE_PLACE, basePath).replace(RELATIVE, `${basePath}/`).split(NONCE_PLACE);
  return (request) => {
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    return {
      text: parts.join(nonce),
      headers: {
        'Content-Security-Policy': contentPolicy(nonce, request),
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cache-Control': 'no-store',
      },
    };
  };
}

/** Page at `/` of a server whose console was not built: without scripts or styles. */
export const NOT_BUILT_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>The console is not built</title>
  </head>
  <body>
    <h1>The console is not built</h1>
    <p>This server runs, and its API answers, but the files of its web console are not there. In the folder of the project run</p>
    <pre>npm run build</pre>
    <p>and start the server again. To serve no console, start it with <code>--ui false</code>.</p>
    <p>Until then: <a href="docs">the API</a>, and <code>svcctl</code> on the command line.</p>
  </body>
</html>
`;
