// The database a URL names: how to connect to it, and how to name it in messages without its password. No I/O except reading certificate files.
import { userInfo } from 'node:os';
import { ServiceError } from '@svc/shared/errors';
import pg from 'pg';

type TlsUse = 'off' | 'on' | 'preferred';

export interface Target {
  /** Handed to the driver; holds the password. */
  readonly connectionString: string;
  /** `PostgreSQL at host:port, database name`: for messages. */
  readonly place: string;
  readonly database: string;
  readonly user: string;
  readonly hasPassword: boolean;
  readonly tls: TlsUse;
}

const PROTOCOLS: ReadonlySet<string> = new Set(['postgres:', 'postgresql:']);
const DEFAULT_PORT = '5432';
const SSL_MODES: Readonly<Record<string, TlsUse>> = {
  disable: 'off',
  allow: 'off',
  prefer: 'preferred',
  require: 'on',
  'verify-ca': 'on',
  'verify-full': 'on',
  'no-verify': 'on',
};

function malformed(reason: string): ServiceError {
  return new ServiceError('invalid', `the database URL ${reason}; write it as postgres://user:password@host:port/database`);
}

/** Also takes the form without a host, `postgres://user:password@/database?host=/run/postgresql`, which the URL standard refuses. */
function parseUrl(text: string): URL {
  for (const candidate of [text, text.replace(/@\//, '@localhost/')]) {
    try {
      return new URL(candidate);
    } catch {
      // The reason would quote the URL with its password.
    }
  }
  throw malformed('cannot be understood');
}

/** A password with one of these unescaped ends early, and the rest of it would be taken for a host or a database and be named in messages. */
const UNESCAPED = 'has an unescaped @, #, ? or /; escape those of the user and password, as %40, %23, %3F and %2F';

const isUnescaped = ({ pathname, search, hash }: URL): boolean =>
  hash !== '' || pathname.includes('@') || pathname.indexOf('/', 1) !== -1 || /^[^=&]*@/.test(search);

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw malformed('has a broken % escape');
  }
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

/** A plain encoding of the mode that the driver takes as the PostgreSQL manual says, `require` without verification included. */
function withTls(url: URL, tls: TlsUse): string {
  const adapted = new URL(url);
  adapted.searchParams.delete('sslmode');
  const mode = url.searchParams.get('sslmode');
  if (mode !== null && tls !== 'off') {
    adapted.searchParams.set('sslmode', mode);
    if (mode !== 'no-verify') adapted.searchParams.set('uselibpqcompat', 'true');
  }
  if (mode !== null && tls === 'off') adapted.searchParams.set('sslmode', 'disable');
  return adapted.toString();
}

/** Throws `invalid`, with one sentence that never quotes the URL. */
export function parseTarget(text: string): Target {
  const url = parseUrl(text.trim());
  if (!PROTOCOLS.has(url.protocol)) throw malformed('must begin with postgres://');
  if (isUnescaped(url)) throw malformed(UNESCAPED);
  const mode = url.searchParams.get('sslmode');
  const tls = mode === null ? 'off' : Object.hasOwn(SSL_MODES, mode) ? SSL_MODES[mode] : undefined;
  if (tls === undefined) throw malformed(`has an unknown sslmode; use one of ${Object.keys(SSL_MODES).join(', ')}`);
  const user = decoded(url.searchParams.get('user') ?? url.username) || systemUser();
  const database = decoded(url.pathname.slice(1)) || user;
  const host = decoded(url.searchParams.get('host') ?? url.hostname) || 'localhost';
  const port = url.searchParams.get('port') ?? (url.port || DEFAULT_PORT);
  const socket = host.startsWith('/') ? host : `${host}:${port}`;
  const hasPassword = url.password !== '' || url.searchParams.has('password');
  const target = { place: `PostgreSQL at ${socket}, database ${database}`, database, user, hasPassword, tls };
  const connectionString = withTls(url, tls);
  assertUsable(connectionString);
  return { ...target, connectionString };
}

/** The same target without TLS, for a server that offers none to `sslmode=prefer`. */
export function withoutTls(target: Target): Target {
  const url = new URL(target.connectionString);
  url.searchParams.delete('uselibpqcompat');
  url.searchParams.set('sslmode', 'disable');
  return { ...target, connectionString: url.toString(), tls: 'off' };
}

/** The driver reads the options and certificate files when a client is made. */
function assertUsable(connectionString: string): void {
  try {
    new pg.Client({ connectionString });
  } catch (cause) {
    const { path } = cause as NodeJS.ErrnoException;
    throw malformed(path === undefined ? 'has an option that cannot be used' : `names the file ${path}, which cannot be read`);
  }
}
