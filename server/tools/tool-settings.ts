// Settings of a Tool that runtimes act on, as checked values. Pure.
import { durationMs } from '@svc/shared/duration';
import { TOOL_BACKOFF_DEFAULT, TOOL_MAX_BACKOFF_DEFAULT, TOOL_TIMEOUT_DEFAULT } from '@svc/shared/kinds/tool/normalize';
import { CallError, type ToolRef } from '../engine/ports.ts';
import { toolTitle, type CallSettings } from './runtime.ts';

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

export function callSettings({ spec: { runtime } }: ToolRef): CallSettings {
  const { max_attempts, backoff, max_backoff, jitter } = runtime.retry;
  return {
    timeoutMs: durationMs(runtime.timeout, TOOL_TIMEOUT_DEFAULT),
    retry: {
      maxAttempts: max_attempts,
      backoffMs: durationMs(backoff, TOOL_BACKOFF_DEFAULT),
      maxBackoffMs: durationMs(max_backoff, TOOL_MAX_BACKOFF_DEFAULT),
      jitter: jitter === 'full' || jitter === 'equal' ? jitter : 'none',
    },
  };
}

/** The tool's auth. Throws CallError `runtime_policy_invalid` when a profile lacks what it needs. */
export function authSettings(tool: ToolRef): AuthSettings {
  const { profile, secretRef, headerName: header, tokenURL: tokenUrl, scopes = [] } = tool.spec.auth ?? {};
  if (profile === undefined) return { profile: 'none' };
  if (secretRef === undefined) throw invalidTool(tool, `spec.auth.secretRef is required by profile ${profile}`);
  if (profile === 'bearer' || profile === 'basic') return { profile, secretRef };
  if (profile === 'api_key_header') return { profile, secretRef, headerName: headerName(tool, header) };
  if (profile !== 'oauth2_client_credentials') throw invalidTool(tool, `spec.auth.profile "${profile}" is unknown`);
  if (tokenUrl === undefined) throw invalidTool(tool, 'spec.auth.tokenURL is required by profile oauth2_client_credentials');
  return { profile, secretRef, tokenUrl, scopes };
}

/** The header that carries the credential, in lower case. */
export function credentialHeader(auth: Exclude<AuthSettings, { profile: 'none' }>): string {
  return auth.profile === 'api_key_header' ? auth.headerName.toLowerCase() : 'authorization';
}

/** The URL to call. */
export function endpointOf(tool: ToolRef): string {
  const { endpoint } = tool.spec;
  if (endpoint === undefined) throw invalidTool(tool, 'spec.endpoint is missing');
  return endpoint;
}

/** A Tool that cannot run as it is declared; only an edit helps. */
export function invalidTool(tool: Pick<ToolRef, 'namespace' | 'name'>, problem: string): CallError {
  return new CallError('runtime_policy_invalid', `${toolTitle(tool)} ${problem}`, { retryable: false, reason: 'invalid_tool' });
}

function headerName(tool: ToolRef, name: string | undefined): string {
  if (name === undefined) throw invalidTool(tool, 'spec.auth.headerName is required by profile api_key_header');
  if (!HEADER_NAME.test(name) || RESERVED_HEADERS.test(name)) {
    throw invalidTool(tool, 'spec.auth.headerName is not a header that can carry a key');
  }
  return name;
}
