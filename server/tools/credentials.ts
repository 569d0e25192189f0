// How a tool call proves who it is: a Tool's auth profile and Secret → request headers. Values are read at each call and kept nowhere but here and in the token cache.
import { ServiceError } from '@svc/shared/errors';
import { CallError, type ToolRef } from '../engine/ports.ts';
import type { SecretResolver } from '../secrets/ports.ts';
import type { TokenCache } from './oauth-tokens.ts';
import { toolTitle, type Credentials } from './runtime.ts';
import { authSettings, credentialHeader, type AuthSettings } from './tool-settings.ts';

export interface CredentialSources {
  readonly secrets: SecretResolver;
  readonly tokens: TokenCache;
}

/** Rejects with CallError `secret_resolution_failed`, `runtime_policy_invalid`, or what the token endpoint's failure means. */
export async function credentialsOf(tool: ToolRef, sources: CredentialSources, signal: AbortSignal): Promise<Credentials> {
  const auth = authSettings(tool);
  if (auth.profile === 'none') return { headers: {}, secrets: [] };
  if (auth.profile === 'oauth2_client_credentials') return clientCredentials(tool, { auth, sources, signal });
  const value = (await resolving(tool, auth.secretRef, () => sources.secrets.resolveValue(auth.secretRef, tool.namespace))).trim();
  if (value === '') throw secretProblem(tool, auth.secretRef, 'has an empty value');
  const header = credentialHeader(auth);
  if (auth.profile === 'bearer') return { headers: { [header]: `Bearer ${value}` }, secrets: [value] };
  if (auth.profile === 'api_key_header') return { headers: { [header]: value }, secrets: [value] };
  if (!value.includes(':')) throw secretProblem(tool, auth.secretRef, 'must hold username:password for profile basic');
  const encoded = Buffer.from(value, 'utf8').toString('base64');
  return { headers: { [header]: `Basic ${encoded}` }, secrets: [value, encoded, value.slice(value.indexOf(':') + 1)] };
}

interface ClientCredentialsContext {
  readonly auth: Extract<AuthSettings, { profile: 'oauth2_client_credentials' }>;
  readonly sources: CredentialSources;
  readonly signal: AbortSignal;
}

async function clientCredentials(tool: ToolRef, { auth, sources, signal }: ClientCredentialsContext): Promise<Credentials> {
  const entries = await resolving(tool, auth.secretRef, () => sources.secrets.resolveEntries(auth.secretRef, tool.namespace));
  const clientId = entries['client_id']?.trim();
  const clientSecret = entries['client_secret']?.trim();
  if (!clientId || !clientSecret) {
    throw secretProblem(
      tool,
      auth.secretRef,
      `must have the keys client_id and client_secret, and has ${Object.keys(entries).join(', ') || 'none'}`,
    );
  }
  const client = { tokenUrl: auth.tokenUrl, scopes: auth.scopes, clientId, clientSecret, what: toolTitle(tool) };
  const token = await sources.tokens.get(client, signal);
  return {
    headers: { [credentialHeader(auth)]: `Bearer ${token}` },
    secrets: [token, clientSecret],
    evict: () => sources.tokens.evict(client, token),
  };
}

async function resolving<T>(tool: ToolRef, ref: string, resolve: () => Promise<T>): Promise<T> {
  try {
    return await resolve();
  } catch (error) {
    const known = error instanceof ServiceError;
    const passing = known && (error.code === 'unavailable' || error.code === 'internal');
    throw secretProblem(tool, ref, `could not be resolved${known ? `: ${error.message}` : ''}`, { retryable: passing, cause: error });
  }
}

interface SecretProblemOptions {
  readonly retryable: boolean;
  readonly cause: unknown;
}

function secretProblem(tool: ToolRef, ...[ref, problem, options]: [string, string, SecretProblemOptions?]): CallError {
  return new CallError(
    'secret_resolution_failed',
    `${toolTitle(tool)} auth.secretRef "${ref}" ${problem}`,
    options ?? { retryable: false },
  );
}
