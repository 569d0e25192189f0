// The endpoint and the login of a queue tool. Pure.
import type { ToolRef } from '../../engine/ports.ts';
import type { Credentials } from '../runtime.ts';
import { endpointOf, invalidTool } from '../tool-settings.ts';

export type QueueEndpoint = PostgresEndpoint | NatsEndpoint;

interface Server {
  readonly host: string;
  readonly port: number;
}

export interface PostgresEndpoint extends Server {
  readonly kind: 'postgres';
  readonly database: string;
  readonly queue: string;
  /** Undefined: with TLS for public addresses, without for private ones. */
  readonly tls: boolean | undefined;
}

export interface NatsEndpoint extends Server {
  readonly kind: 'nats';
  readonly subject: string;
  readonly tls: boolean;
}

const FORMS = 'postgres://host:port/database?queue=name or nats://host:port/subject (tls:// with TLS)';
const QUEUE = /^[\w.-]{1,100}$/;
/** Subjects to publish to: no wildcards, and none of the server's own. */
const SUBJECT = /^[\w-][\w$-]*(\.[\w$-]+)*$/;
const SSL_MODES: Readonly<Record<string, boolean>> = { disable: false, 'verify-full': true };

/** Throws CallError `runtime_policy_invalid`. */
export function queueEndpoint(tool: ToolRef): QueueEndpoint {
  const endpoint = endpointOf(tool);
  const scheme = /^([a-z]+):\/\//i.exec(endpoint)?.[1]?.toLowerCase();
  // A scheme that URL has no rules for, so that every port stays.
  const text = endpoint.replace(/^[a-z]+:/i, 'queue:');
  if (scheme === undefined || !URL.canParse(text)) throw invalidTool(tool, `spec.endpoint must be ${FORMS}`);
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw invalidTool(tool, 'spec.endpoint must not hold credentials; put them into the Secret of auth.secretRef');
  }
  if (url.hostname === '') throw invalidTool(tool, `spec.endpoint must be ${FORMS}`);
  if (scheme === 'postgres' || scheme === 'postgresql') return postgres(tool, url);
  if (scheme === 'nats' || scheme === 'tls') return nats(tool, url, scheme === 'tls');
  throw invalidTool(tool, `spec.endpoint has the scheme ${scheme}; use ${FORMS}`);
}

function postgres(tool: ToolRef, url: URL): PostgresEndpoint {
  const database = decoded(tool, url.pathname.slice(1));
  const queue = url.searchParams.get('queue') ?? '';
  const mode = url.searchParams.get('sslmode');
  const unknown = [...url.searchParams.keys()].find((key) => key !== 'queue' && key !== 'sslmode');
  if (database === '' || database.includes('/'))
    throw invalidTool(tool, 'spec.endpoint names no database: postgres://host:port/database?queue=name');
  if (!QUEUE.test(queue)) throw invalidTool(tool, 'spec.endpoint needs ?queue=name, of letters, digits, "_", "-" and "."');
  if (unknown !== undefined)
    throw invalidTool(tool, `spec.endpoint has the parameter ${unknown.slice(0, 50)}; queue and sslmode are known`);
  if (mode !== null && !Object.hasOwn(SSL_MODES, mode))
    throw invalidTool(tool, 'spec.endpoint has an sslmode other than disable and verify-full');
  const tls = mode === null ? undefined : SSL_MODES[mode];
  return { kind: 'postgres', host: hostOf(tool, url), port: Number(url.port || 5432), database, queue, tls };
}

function nats(tool: ToolRef, url: URL, tls: boolean): NatsEndpoint {
  const subject = decoded(tool, url.pathname.slice(1));
  if (!SUBJECT.test(subject))
    throw invalidTool(tool, 'spec.endpoint must end in a subject without wildcards: nats://host:port/tools.search');
  if (url.search !== '') throw invalidTool(tool, 'spec.endpoint has parameters, and those of nats have none');
  return { kind: 'nats', host: hostOf(tool, url), port: Number(url.port || 4222), subject, tls };
}

function hostOf(tool: ToolRef, url: URL): string {
  return decoded(tool, url.hostname).replace(/^\[|\]$/g, '');
}

function decoded(tool: ToolRef, part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalidTool(tool, 'spec.endpoint has a broken % escape');
  }
}

export type Login = { readonly user: string; readonly password: string } | { readonly token: string } | undefined;

/** Login from the auth profile. Throws CallError `runtime_policy_invalid` for profiles that speak HTTP. */
export function loginOf(tool: ToolRef, { headers }: Credentials): Login {
  const names = Object.keys(headers);
  if (names.length === 0) return undefined;
  const [scheme, value] = (headers['authorization'] ?? '').split(' ', 2);
  if (scheme === 'Bearer' && value) return { token: value };
  if (scheme !== 'Basic' || !value) throw invalidTool(tool, 'spec.auth.profile must be basic or bearer for tools of type queue');
  const text = Buffer.from(value, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
