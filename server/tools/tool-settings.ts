// Settings of a Tool that runtimes act on, read once into checked values. Pure.
import { parseDuration } from '@svc/shared/duration';
import { isObject } from '@svc/shared/json';
import { CallError, type ToolRef } from '../engine/ports.ts';
import { toolTitle, type CallSettings } from './runtime.ts';

const TIMEOUT_DEFAULT_MS = 30_000;
const MAX_BACKOFF_DEFAULT_MS = 30_000;
/** A field name of RFC 9110 section 5.1. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Headers that belong to the connection or to this service. */
const RESERVED_HEADERS =
  /^(host|connection|content-length|content-type|transfer-encoding|upgrade|te|trailer|keep-alive|expect|idempotency-key)$/i;

export type AuthSettings =
  | { readonly profile: 'none' }
  | { readonly profile: 'bearer' | 'basic'; readonly secretRef: string }
  | { readonly profile: 'api_key_header'; readonly secretRef: string; readonly headerName: string }
  | {
      readonly profile: 'oauth2_client_credentials';
      readonly secretRef: string;
      readonly tokenUrl: string;
      readonly scopes: readonly string[];
    };

export function callSettings(tool: ToolRef): CallSettings {
  const runtime = section(tool.spec, 'runtime');
  const retry = section(runtime, 'retry');
  const attempts = retry['max_attempts'];
  const jitter = retry['jitter'];
  return {
    timeoutMs: milliseconds(runtime['timeout']) || TIMEOUT_DEFAULT_MS,
    retry: {
      maxAttempts: typeof attempts === 'number' && attempts >= 1 ? Math.floor(attempts) : 1,
      backoffMs: milliseconds(retry['backoff']) ?? 0,
      maxBackoffMs: milliseconds(retry['max_backoff']) ?? MAX_BACKOFF_DEFAULT_MS,
      jitter: jitter === 'full' || jitter === 'equal' ? jitter : 'none',
    },
  };
}

/** The tool's auth. Throws CallError `runtime_policy_invalid` when a profile lacks what it needs. */
export function authSettings(tool: ToolRef): AuthSettings {
  const auth = section(tool.spec, 'auth');
  const secretRef = text(auth['secretRef']);
  const profile = text(auth['profile']) ?? (secretRef === undefined ? undefined : 'bearer');
  if (profile === undefined) return { profile: 'none' };
  if (secretRef === undefined) throw invalidTool(tool, `spec.auth.secretRef is required by profile ${profile}`);
  if (profile === 'bearer' || profile === 'basic') return { profile, secretRef };
  if (profile === 'api_key_header') return { profile, secretRef, headerName: headerName(tool, text(auth['headerName'])) };
  if (profile !== 'oauth2_client_credentials') throw invalidTool(tool, `spec.auth.profile "${profile}" is unknown`);
  const tokenUrl = text(auth['tokenURL']);
  if (tokenUrl === undefined) throw invalidTool(tool, 'spec.auth.tokenURL is required by profile oauth2_client_credentials');
  const scopes = Array.isArray(auth['scopes']) ? auth['scopes'].filter((scope) => typeof scope === 'string') : [];
  return { profile, secretRef, tokenUrl, scopes };
}

/** The header that carries the credential. */
export function credentialHeader(auth: Exclude<AuthSettings, { profile: 'none' }>): string {
  return auth.profile === 'api_key_header' ? auth.headerName : 'authorization';
}

/** The URL to call. */
export function endpointOf(tool: ToolRef): string {
  const endpoint = text(tool.spec['endpoint']);
  if (endpoint === undefined) throw invalidTool(tool, 'spec.endpoint is missing');
  return endpoint;
}

/** A Tool that cannot run as it is declared; only an edit helps. */
export function invalidTool(tool: ToolRef, problem: string): CallError {
  return new CallError('runtime_policy_invalid', `${toolTitle(tool)} ${problem}`, { retryable: false, reason: 'invalid_tool' });
}

function headerName(tool: ToolRef, name: string | undefined): string {
  if (name === undefined) throw invalidTool(tool, 'spec.auth.headerName is required by profile api_key_header');
  if (!HEADER_NAME.test(name) || RESERVED_HEADERS.test(name)) {
    throw invalidTool(tool, 'spec.auth.headerName is not a header that can carry a key');
  }
  return name.toLowerCase();
}

function section(from: Readonly<Record<string, unknown>>, key: string): Record<string, unknown> {
  const value = from[key];
  return isObject(value) ? value : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function milliseconds(value: unknown): number | undefined {
  return typeof value === 'string' ? parseDuration(value) : undefined;
}
