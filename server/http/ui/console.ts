// The web console at the root of the server, or under its path prefix: its files, and its page for every address that is neither a file nor another surface's. Translates; decides nothing.
import { ServiceError } from '@svc/shared/errors';
import type { Call, Reply, Route } from '../route.ts';
import type { Match, OtherMethods } from '../router.ts';
import { readConsoleFiles, SCRIPT_TYPE, type ConsoleFile } from './console-files.ts';
import { createConsolePage, NOT_BUILT_PAGE, type PageAnswer, type PageRequest } from './console-page.ts';

export interface ConsoleOptions {
  /** Directory of the build: index.html and the files it loads. */
  readonly dir: string;
  /** The routes of the API: below their first segments the console has no pages. */
  readonly routes: readonly Route[];
  readonly isSecure: (request: Call['request']) => boolean;
  /** Path prefix of the addresses in the page; empty: none. */
  readonly basePath: string;
}

interface Wanted {
  readonly method: string;
  readonly path: string;
  readonly accept: string | undefined;
}

export interface Console {
  /** Names the build that is served, so that a page of another build can detect it; undefined without a build. */
  readonly build: string | undefined;
  /** Route for a path that the API does not have. */
  find(wanted: Wanted): Match | OtherMethods | undefined;
}

/** Paths outside the table of routes, some of them for later versions. */
const OTHER_SURFACES = ['v1', 'a2a', 'trpc', 'ws', 'p', '.well-known', 'livez'];
const METHODS: OtherMethods = { allow: ['GET', 'HEAD', 'OPTIONS'] };
const HTML = 'text/html; charset=utf-8';
const HASHED_CACHE = 'public, max-age=31536000, immutable';
const PLAIN_CACHE = 'public, max-age=3600';
const ASSETS = 'assets';

/** A script may be run as a worker, and is then under the policy of its own file: it may load its parts and ask the API. */
const SCRIPT_POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

const firstSegment = (path: string): string => path.split('/', 2)[1] ?? '';

/** Whether the client requests a page: browsers send this when they navigate, and never when a page fetches. */
function acceptsPage({ path, accept }: Wanted): boolean {
  if (accept?.includes('text/html')) return true;
  return path === '/' && (accept === undefined || accept.includes('*/*') || accept.includes('text/*'));
}

/** Reads Accept-Encoding (RFC 9110 section 12.5.3) for brotli, the only stored coding. */
function acceptsBrotli(header: string | string[] | undefined): boolean {
  const codings = String(header ?? '')
    .toLowerCase()
    .split(',')
    .map((each) => each.split(';').map((part) => part.trim()));
  const [, ...parameters] = codings.find(([name]) => name === 'br') ?? codings.find(([name]) => name === '*') ?? ['', 'q=0'];
  return !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
}

async function fileReply(file: ConsoleFile, { request }: Call): Promise<Reply> {
  const encoding = file.brotli && acceptsBrotli(request.headers['accept-encoding']) ? 'br' : 'identity';
  return {
    type: 'bytes',
    status: 200,
    contentType: file.contentType,
    bytes: await file.read(encoding),
    headers: {
      'Cache-Control': file.hashed ? HASHED_CACHE : PLAIN_CACHE,
      ...(file.contentType === SCRIPT_TYPE && { 'Content-Security-Policy': SCRIPT_POLICY }),
      ...(file.brotli && { Vary: 'Accept-Encoding' }),
      ...(encoding === 'br' && { 'Content-Encoding': 'br' }),
    },
  };
}

/** Not one of the table: it is no part of the described API. Its path names it in the metrics. */
function route(path: string, summary: string, handle: Route['handle']): Route {
  return { method: 'GET', path, access: 'public', tag: 'Console', operationId: 'console', summary, responses: {}, handle };
}

const html = (status: number, { text, headers }: PageAnswer): Reply => ({ type: 'text', status, contentType: HTML, text, headers });

/** Reads the directory once. Without a build, `/` reports that. */
export function createConsole({ dir, routes, isSecure, basePath }: ConsoleOptions): Console {
  const built = readConsoleFiles(dir);
  if (built === undefined) return notBuilt();
  const reserved = new Set([...routes.map(({ path }) => firstSegment(path)), ...OTHER_SURFACES]);
  const page = createConsolePage(built.page, basePath);
  const pageOf = ({ request }: Call): PageRequest => ({ host: request.headers.host, secure: isSecure(request) });
  const pageRoute = route('/{page}', 'A page of the console', async (call) => html(200, page(pageOf(call))));
  const fileRoute = route('/{file}', 'A file of the console', async (call) => {
    const file = built.files.get(call.params['file'] ?? '');
    if (file === undefined) throw new ServiceError('not_found', 'The console has no such file');
    return fileReply(file, call);
  });
  return {
    build: built.build,
    find(wanted) {
      const { method, path } = wanted;
      const first = firstSegment(path);
      const file = built.files.has(path);
      // A missing asset must not look like a page: a script of an older build would fail in strange ways.
      if (!file && (reserved.has(first) || first === ASSETS || !acceptsPage(wanted))) return undefined;
      if (method !== 'GET' && method !== 'HEAD') return METHODS;
      return file ? { route: fileRoute, params: { file: path } } : { route: pageRoute, params: {} };
    },
  };
}

function notBuilt(): Console {
  const only = route('/', 'What is missing', async () => html(404, { text: NOT_BUILT_PAGE, headers: {} }));
  return {
    build: undefined,
    find(wanted) {
      if (wanted.path !== '/' || !acceptsPage(wanted)) return undefined;
      return wanted.method === 'GET' || wanted.method === 'HEAD' ? { route: only, params: {} } : METHODS;
    },
  };
}
