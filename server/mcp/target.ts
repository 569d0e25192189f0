// An McpServer as the target of a connection: its Secrets resolved, and what this process may not start refused.
import { ServiceError } from '@svc/shared/errors';
import type { McpServerSpec } from '@svc/shared/kinds/mcp-server/rules';
import { CallError } from '../engine/ports.ts';
import type { SecretResolver } from '../secrets/ports.ts';
import type { McpTarget } from './connection.ts';

export interface TargetSources {
  readonly secrets: SecretResolver;
  /** `--mcp-stdio`. */
  readonly stdio: boolean;
}

interface Place {
  readonly namespace: string;
  readonly name: string;
}

export interface TargetRequest {
  readonly server: Place;
  readonly spec: McpServerSpec;
  /** Gets the values of Secrets that the connection uses. */
  readonly secrets: Set<string>;
}

/** How errors name an McpServer. */
export const serverTitle = ({ namespace, name }: Place): string => `McpServer "${namespace}/${name}"`;

/** Rejects with CallError. */
export async function targetOf(sources: TargetSources, request: TargetRequest): Promise<McpTarget> {
  const { server, spec } = request;
  const what = serverTitle(server);
  const refuse = (problem: string) =>
    new CallError('runtime_policy_invalid', `${what} ${problem}`, { retryable: false, reason: 'invalid_server' });
  const common = { what, protocolVersion: spec.protocol_version };
  if (spec.transport === 'http') {
    if (spec.endpoint === undefined) throw refuse('has no spec.endpoint');
    return { ...common, transport: 'http', endpoint: spec.endpoint, credentials: () => credentialsOf(sources, request) };
  }
  if (spec.command === undefined) throw refuse('has no spec.command');
  if (!sources.stdio) throw refuse('has transport stdio, and this process starts no MCP servers (--mcp-stdio)');
  const env = await variablesOf(sources, request);
  return { ...common, transport: 'stdio', command: [spec.command, ...(spec.args ?? [])], env };
}

/** Read for each request, so that a changed Secret takes effect at once. */
async function credentialsOf(sources: TargetSources, request: TargetRequest): Promise<Record<string, string>> {
  const { secretRef, profile, headerName } = request.spec.auth ?? {};
  if (secretRef === undefined) return {};
  const value = (await secretValue(sources, request, { field: 'spec.auth.secretRef', ref: secretRef })).trim();
  return profile === 'api_key_header' ? { [(headerName ?? 'x-api-key').toLowerCase()]: value } : { authorization: `Bearer ${value}` };
}

async function variablesOf(sources: TargetSources, request: TargetRequest): Promise<Record<string, string>> {
  const variables = (request.spec.env ?? []).map(async ({ name, value = '', secretRef: ref }): Promise<[string, string]> => {
    return [name, ref === undefined ? value : await secretValue(sources, request, { field: `spec.env "${name}"`, ref })];
  });
  return Object.fromEntries(await Promise.all(variables));
}

async function secretValue(
  { secrets }: TargetSources,
  { server, secrets: used }: TargetRequest,
  { field, ref }: { readonly field: string; readonly ref: string },
): Promise<string> {
  try {
    const value = await secrets.resolveValue(ref, server.namespace);
    used.add(value).add(value.trim());
    if (!value.includes('\0')) return value;
  } catch (error) {
    const known = error instanceof ServiceError;
    const retryable = known && (error.code === 'unavailable' || error.code === 'internal');
    const message = `${serverTitle(server)} ${field}: the Secret "${ref}" could not be resolved${known ? `: ${error.message}` : ''}`;
    throw new CallError('secret_resolution_failed', message, { retryable, cause: error });
  }
  throw new CallError('secret_resolution_failed', `${serverTitle(server)} ${field}: the Secret "${ref}" holds a NUL character`, {
    retryable: false,
  });
}
