// Rules of McpServer at write time: defaults and the fields each transport needs.
import type { FieldError } from '../../errors.ts';
import { imageReferenceProblem } from '../../images/image-reference.ts';
import { isObject } from '../../json.ts';
import { defined, keyword, trimmed, unique } from '../clean.ts';
import type { Reference, RuleContext } from '../define.ts';
import { atLeast, durationText, httpUrl, noCredentials, objectRef, oneOf, problemAt } from '../field-rules.ts';
import { refTo } from '../references.ts';
import { MCP_AUTH_PROFILES, MCP_ISOLATION_MODES, MCP_PROTOCOL_VERSIONS, MCP_TRANSPORTS, type WrittenMcpServerSpec } from './schema.ts';

const RECONNECT_ATTEMPTS_DEFAULT = 3;
const RECONNECT_BACKOFF_DEFAULT = '2s';
const API_KEY_HEADER_DEFAULT = 'X-API-Key';

export function normalizeMcpServer(spec: WrittenMcpServerSpec) {
  return defined({
    ...spec,
    transport: spec.transport.trim().toLowerCase(),
    command: trimmed(spec.command),
    ...normalizeContainer(spec),
    env: spec.env?.map((variable) => defined({ ...variable, name: variable.name.trim(), secretRef: trimmed(variable.secretRef) })),
    endpoint: trimmed(spec.endpoint),
    protocol_version: trimmed(spec.protocol_version),
    auth: spec.auth && normalizeAuth(spec.auth),
    tool_filter: spec.tool_filter && defined({ include: unique(spec.tool_filter.include) }),
    reconnect: {
      max_attempts: spec.reconnect?.max_attempts ?? RECONNECT_ATTEMPTS_DEFAULT,
      backoff: trimmed(spec.reconnect?.backoff) ?? RECONNECT_BACKOFF_DEFAULT,
    },
  });
}

function normalizeContainer(spec: WrittenMcpServerSpec) {
  const image = trimmed(spec.image);
  const mode = keyword(spec.isolation_mode) ?? (image === undefined ? undefined : 'sandboxed');
  return { image, image_pull_secret: trimmed(spec.image_pull_secret), isolation_mode: mode, network: trimmed(spec.network) };
}

/** The spec as stored: defaults filled in, values cleaned. */
export type McpServerSpec = ReturnType<typeof normalizeMcpServer>;

function normalizeAuth(auth: NonNullable<WrittenMcpServerSpec['auth']>) {
  const profile = keyword(auth.profile) ?? 'bearer';
  return defined({
    secretRef: trimmed(auth.secretRef),
    profile,
    headerName: trimmed(auth.headerName) ?? (profile === 'api_key_header' ? API_KEY_HEADER_DEFAULT : undefined),
  });
}

/** Transport stdio starts a program on the server's machine. */
export function mcpServerAdminOnly(spec: unknown): string | undefined {
  return isObject(spec) && spec.transport === 'stdio' ? 'an McpServer with transport stdio' : undefined;
}

export function validateMcpServer(spec: McpServerSpec): FieldError[] {
  const { auth, reconnect } = spec;
  return [
    ...(spec.transport === '' ? [] : oneOf('spec.transport', spec.transport, MCP_TRANSPORTS)),
    ...transportErrors(spec),
    ...containerErrors(spec),
    ...oneOf('spec.protocol_version', spec.protocol_version, MCP_PROTOCOL_VERSIONS),
    ...(spec.env ?? []).flatMap((variable, index) => variableErrors(`spec.env[${index}]`, variable)),
    ...oneOf('spec.auth.profile', auth?.profile, MCP_AUTH_PROFILES),
    ...objectRef('spec.auth.secretRef', auth?.secretRef),
    ...atLeast('spec.reconnect.max_attempts', reconnect?.max_attempts, 0),
    ...durationText('spec.reconnect.backoff', reconnect?.backoff),
  ];
}

function transportErrors(spec: McpServerSpec): FieldError[] {
  if (spec.transport === 'stdio' && spec.command === undefined && spec.image === undefined) {
    return [{ path: 'spec.command', message: 'is required when transport is stdio' }];
  }
  if (spec.transport !== 'http') return noCredentials('spec.endpoint', spec.endpoint);
  if (spec.endpoint === undefined) return [{ path: 'spec.endpoint', message: 'is required when transport is http' }];
  return httpUrl('spec.endpoint', spec.endpoint);
}

const OF_CONTAINERS = ['image_pull_secret', 'isolation_mode', 'network'] as const;

function containerErrors(spec: McpServerSpec): FieldError[] {
  const { image, isolation_mode: mode, network, transport } = spec;
  if (image === undefined) {
    const given = OF_CONTAINERS.filter((field) => spec[field] !== undefined);
    return given.map((field) => ({ path: `spec.${field}`, message: 'must not be given without spec.image' }));
  }
  const errors = [
    ...problemAt('spec.image', imageReferenceProblem(image)),
    ...objectRef('spec.image_pull_secret', spec.image_pull_secret),
    ...oneOf('spec.isolation_mode', mode, MCP_ISOLATION_MODES),
  ];
  if (transport === 'http') errors.push({ path: 'spec.image', message: 'must not be given when transport is http' });
  if (mode === 'sandboxed' && network !== undefined && network !== 'none') {
    errors.push({ path: 'spec.network', message: 'needs spec.isolation_mode container: sandboxed has no network' });
  }
  return errors;
}

function variableErrors(path: string, variable: NonNullable<McpServerSpec['env']>[number]): FieldError[] {
  const both = variable.value !== undefined && variable.secretRef !== undefined;
  return [
    ...(variable.name === '' || /^[A-Za-z_][A-Za-z0-9_]*$/.test(variable.name)
      ? []
      : [{ path: `${path}.name`, message: 'must be letters, digits and "_", not beginning with a digit' }]),
    ...(both ? [{ path: `${path}.secretRef`, message: 'must not be given together with value' }] : []),
    ...objectRef(`${path}.secretRef`, variable.secretRef),
  ];
}

export function mcpServerReferences(spec: McpServerSpec, context: RuleContext): Reference[] {
  const variables = (spec.env ?? []).flatMap((variable, index) =>
    refTo({ kind: 'Secret', path: `spec.env[${index}].secretRef` }, variable.secretRef, context),
  );
  return [
    ...refTo({ kind: 'Secret', path: 'spec.auth.secretRef' }, spec.auth?.secretRef, context),
    ...refTo({ kind: 'Secret', path: 'spec.image_pull_secret' }, spec.image_pull_secret, context),
    ...variables,
  ];
}
