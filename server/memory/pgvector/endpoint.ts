// The endpoint of a Memory of provider pgvector: a database as a URL without its password. Pure.
import { CallError } from '../../engine/ports.ts';

export interface DatabaseEndpoint {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Undefined: with TLS for public addresses, without for private ones. */
  readonly tls: boolean | undefined;
}

const FORM = 'postgres://user@host:port/database';
const PORT_DEFAULT = 5432;
const USER_DEFAULT = 'postgres';
/** With TLS the certificate is always checked, whatever libpq would accept. */
const SSL_MODES: Readonly<Record<string, boolean | undefined>> = {
  disable: false,
  allow: undefined,
  prefer: undefined,
  require: true,
  'verify-ca': true,
  'verify-full': true,
};
/** Parameters of connection strings that hosts hand out; they change nothing here. */
const IGNORED: ReadonlySet<string> = new Set(['application_name', 'channel_binding', 'connect_timeout']);

/** `title` names the Memory. Throws CallError `runtime_policy_invalid`, which never quotes the endpoint. */
export function databaseEndpoint(title: string, endpoint: string | undefined): DatabaseEndpoint {
  const invalid = (problem: string) =>
    new CallError('runtime_policy_invalid', `${title} spec.endpoint ${problem}`, { retryable: false, reason: 'memory_endpoint' });
  // A scheme that URL has no rules for, so that every port stays.
  const text = (endpoint ?? '').replace(/^postgres(ql)?:/i, 'database:');
  if (!text.startsWith('database://') || !URL.canParse(text)) throw invalid(`must be ${FORM}`);
  const url = new URL(text);
  if (url.password !== '' || url.searchParams.has('password'))
    throw invalid('holds a password; put it into a Secret and name that in spec.auth.secretRef');
  const user = decoded(url.username) || USER_DEFAULT;
  const database = decoded(url.pathname.slice(1));
  if (url.hostname === '' || user === undefined || !database || database.includes('/')) throw invalid(`must be ${FORM}`);
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'sslmode' && !IGNORED.has(name));
  if (unknown !== undefined) throw invalid(`has the parameter ${JSON.stringify(unknown.slice(0, 50))}; sslmode is known`);
  const mode = url.searchParams.get('sslmode') ?? 'prefer';
  if (!Object.hasOwn(SSL_MODES, mode)) throw invalid(`has an unknown sslmode; use one of ${Object.keys(SSL_MODES).join(', ')}`);
  const host = (decoded(url.hostname) ?? '').replace(/^\[|\]$/g, '');
  return { host, port: Number(url.port || PORT_DEFAULT), database, user, tls: SSL_MODES[mode] };
}

/** Undefined for a broken escape. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
