// The files of the built console, as they were when the server started: which paths there are, and where their bytes lie. Independent of requests.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { ServiceError } from '@svc/shared/errors';

export interface ConsoleFile {
  readonly contentType: string;
  /** Its name changes with its content. */
  readonly hashed: boolean;
  /** Whether there is a brotli copy beside it. */
  readonly brotli: boolean;
  /** Throws `not_found` when the file has gone since the start. */
  read(encoding: 'br' | 'identity'): Promise<Buffer>;
}

export interface ConsoleFiles {
  /** The page, with places for a nonce. */
  readonly page: string;
  /** By URL path, exactly as a request must have it. */
  readonly files: ReadonlyMap<string, ConsoleFile>;
  /** Id of the build, computed from the page. */
  readonly build: string;
}

const PAGE = 'index.html';
const BROTLI = '.br';
/** Where the build puts what it names by content. */
const HASHED_FOLDER = '/assets/';

export const SCRIPT_TYPE = 'text/javascript; charset=utf-8';
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.js': SCRIPT_TYPE,
  '.mjs': SCRIPT_TYPE,
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

export function isConsoleBuilt(dir: string): boolean {
  return existsSync(join(dir, PAGE));
}

/** Undefined when nothing was built there. */
export function readConsoleFiles(dir: string): ConsoleFiles | undefined {
  if (!isConsoleBuilt(dir)) return undefined;
  const page = readFileSync(join(dir, PAGE), 'utf8');
  const paths = new Set(filesIn(dir));
  const served = [...paths].filter((path) => path !== `/${PAGE}` && !path.endsWith(BROTLI));
  const files = new Map(served.map((path) => [path, consoleFile(dir, path, paths.has(`${path}${BROTLI}`))]));
  return { page, files, build: createHash('sha256').update(page).digest('hex').slice(0, 16) };
}

/** URL paths of the plain files below a directory; links and hidden files are left out. */
function filesIn(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `/${relative(dir, join(entry.parentPath, entry.name)).split(sep).join('/')}`)
    .filter((path) => !path.includes('/.'));
}

function consoleFile(dir: string, path: string, brotli: boolean): ConsoleFile {
  const place = join(dir, path);
  return {
    contentType: CONTENT_TYPES[extname(path)] ?? 'application/octet-stream',
    hashed: path.startsWith(HASHED_FOLDER),
    brotli,
    read: (encoding) =>
      readFile(encoding === 'br' ? `${place}${BROTLI}` : place).catch((cause: unknown) => {
        if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
        throw new ServiceError('not_found', `${path} no longer exists: the console was built again after this server started; restart it`, {
          cause,
        });
      }),
  };
}
