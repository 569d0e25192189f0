// An McpServer as the target of a connection: its Secrets resolved, and what this process may not start refused.
import { ServiceError } from '@svc/shared/errors';
import type { McpServerSpec } from '@svc/shared/kinds/mcp-server/rules';
import type { NamespacedName } from '@svc/shared/resource';
import { CallError } from '../engine/ports.ts';
import type { SecretResolver } from '../secrets/ports.ts';
import { requireImage, type ToolCeilings } from '../tools/ceilings.ts';
import type { Isolation, RegistryLogins } from '../tools/isolation/isolation.ts';
import { loginFor, registryLogins } from '../tools/isolation/registry-logins.ts';
import type { McpTarget, StdioProgram } from './connection.ts';
import { startLocal } from './local-program.ts';

export interface TargetSources {
  readonly secrets: SecretResolver;
  /** `--mcp-stdio`. */
  readonly stdio: boolean;
  /** PATH of this process, where programs are looked up. */
  readonly searchPath: string;
  readonly isolation: Pick<Isolation, 'programsIn'>;
  readonly ceilings: ToolCeilings;
}

export interface TargetRequest {
  readonly server: NamespacedName;
  readonly spec: McpServerSpec;
  /** Gets the values of Secrets that the connection uses. */
  readonly secrets: Set<string>;
}

/** How errors name an McpServer. */
export const serverTitle = ({ namespace, name }: NamespacedName): string => `McpServer "${namespace}/${name}"`;

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
  if (spec.command === undefined && spec.image === undefined) throw refuse('has no spec.command');
  if (!sources.stdio) throw refuse('has transport stdio, and this process starts no MCP servers (--mcp-stdio)');
  const env = await variablesOf(sources, request);
  if (spec.image !== undefined) return { ...common, transport: 'stdio', program: await containedProgram(sources, request, env) };
  const command = commandOf(spec);
  if (command === undefined) throw refuse('has no spec.command');
  const { searchPath } = sources;
  const start: StdioProgram['start'] = (events) => startLocal({ command, env, searchPath, what }, events);
  return { ...common, transport: 'stdio', program: { prepare: () => Promise.resolve(), start } };
}

const commandOf = ({ command, args = [] }: McpServerSpec): [string, ...string[]] | undefined =>
  command === undefined ? undefined : [command, ...args];

async function containedProgram(...[sources, request, env]: [TargetSources, TargetRequest, Record<string, string>]): Promise<StdioProgram> {
  const { isolation, ceilings } = sources;
  const { server, spec } = request;
  const { image = '', network, args } = spec;
  const what = serverTitle(server);
  const mode = spec.isolation_mode === 'container' ? 'container' : 'sandboxed';
  requireImage(image, what, ceilings);
  const engine = isolation.programsIn(mode, what);
  const registryLogins = await pullLogin(sources, request);
  const command = commandOf(spec);
  const wanted = { mode, image, what, ...(registryLogins && { registryLogins }) } as const;
  const program = {
    ...wanted,
    ...(command ? { command } : args && { args }),
    env,
    // The image's own program needs the variables that the image sets.
    envBase: command ? 'exact' : 'image',
    ...(network !== undefined && { network }),
    networkField: 'spec.network',
    labels: { 'svc.mcp_server': `${server.namespace}/${server.name}` },
  } as const;
  return {
    prepare: (signal) => engine.prepare({ ...wanted, signal }),
    start: (events, signal) => engine.startProgram({ ...program, signal }, events),
  };
}

/** Login of the image's registry. Undefined without a pull Secret. */
async function pullLogin({ secrets }: TargetSources, { server, spec, secrets: used }: TargetRequest): Promise<RegistryLogins | undefined> {
  const { image = '', image_pull_secret: ref } = spec;
  if (ref === undefined) return undefined;
  const place: SecretPlace = { server, field: 'spec.image_pull_secret', ref };
  const entries = await secrets.resolveEntries(ref, server.namespace).catch((error: unknown) => {
    throw unresolved(place, error);
  });
  const read = registryLogins(entries);
  if ('problem' in read) {
    throw new CallError('secret_resolution_failed', `${serverTitle(server)} ${place.field}: the Secret "${ref}" ${read.problem}`, {
      retryable: false,
    });
  }
  const logins = loginFor(image, read.logins);
  for (const { password, identityToken } of Object.values(logins)) used.add(password).add(identityToken ?? password);
  return logins;
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
    throw unresolved({ server, field, ref }, error);
  }
  throw new CallError('secret_resolution_failed', `${serverTitle(server)} ${field}: the Secret "${ref}" holds a NUL character`, {
    retryable: false,
  });
}

interface SecretPlace {
  readonly server: NamespacedName;
  readonly field: string;
  readonly ref: string;
}

function unresolved({ server, field, ref }: SecretPlace, cause: unknown): CallError {
  const known = cause instanceof ServiceError;
  const retryable = known && (cause.code === 'unavailable' || cause.code === 'internal');
  const message = `${serverTitle(server)} ${field}: the Secret "${ref}" could not be resolved${known ? `: ${cause.message}` : ''}`;
  return new CallError('secret_resolution_failed', message, { retryable, cause });
}
