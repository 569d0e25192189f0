// Rules of Tool at write time. References may name objects that do not exist yet.
import { dialectOf } from '../../a2a-version.ts';
import { templateProblem } from '../../cli-template.ts';
import type { FieldError } from '../../errors.ts';
import { imageReferenceProblem } from '../../images/image-reference.ts';
import { isObject } from '../../json.ts';
import type { Reference, RuleContext, ServerPolicy } from '../define.ts';
import {
  atLeast,
  durationText,
  httpUrl,
  noCredentials,
  noPassword,
  objectRef,
  oneOf,
  positiveDuration,
  problemAt,
} from '../field-rules.ts';
import { refTo } from '../references.ts';
import { isolationOf } from './isolation-default.ts';
import type { ToolCli, ToolSpec } from './normalize.ts';
import { schemaErrors } from './schema-cost.ts';
import {
  CLI_OUTPUTS,
  ISOLATION_MODES,
  JITTERS,
  OPERATION_CLASSES,
  RISK_LEVELS,
  TOOL_AUTH_PROFILES,
  TOOL_TYPES,
  UNKNOWN_OUTCOME_POLICIES,
} from './schema.ts';

const HTTP_TYPES: ReadonlySet<string> = new Set(['http', 'external', 'webhook-callback']);
/** Their endpoints name a host, and a path of few letters. */
const HOST_TYPES: ReadonlySet<string> = new Set(['grpc', 'queue']);
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const required = (path: string, when: string): FieldError => ({ path, message: `is required when ${when}` });

export function validateTool(spec: ToolSpec): FieldError[] {
  return [
    ...oneOf('spec.type', spec.type, TOOL_TYPES),
    ...typeErrors(spec),
    ...spec.operation_classes.flatMap((value, index) => oneOf(`spec.operation_classes[${index}]`, value, OPERATION_CLASSES)),
    ...oneOf('spec.risk_level', spec.risk_level, RISK_LEVELS),
    ...schemaErrors('spec.input_schema', spec.input_schema),
    ...schemaErrors('spec.output_schema', spec.output_schema),
    ...runtimeErrors(spec),
    ...(spec.cli ? cliErrors(spec.cli, spec.runtime.isolation_mode) : []),
    ...(spec.a2a ? agentErrors(spec.a2a) : []),
    ...(spec.auth ? authErrors(spec.auth, spec.type) : []),
    ...(spec.wasm ? atLeast('spec.wasm.memory_max_bytes', spec.wasm.memory_max_bytes, 1) : []),
    ...objectRef('spec.mcp_server_ref', spec.mcp_server_ref),
  ];
}

function typeErrors(spec: ToolSpec): FieldError[] {
  const { type, endpoint } = spec;
  const errors: FieldError[] = [];
  if (type === 'mcp' && spec.mcp_server_ref === undefined) errors.push(required('spec.mcp_server_ref', 'type is mcp'));
  if (type === 'mcp' && spec.mcp_tool_name === undefined) errors.push(required('spec.mcp_tool_name', 'type is mcp'));
  if (type === 'cli' && spec.cli === undefined) errors.push(required('spec.cli', 'type is cli'));
  if (HTTP_TYPES.has(type)) return [...errors, ...httpUrl('spec.endpoint', endpoint)];
  const held = noCredentials('spec.endpoint', endpoint);
  return [...errors, ...held, ...(HOST_TYPES.has(type) && held.length === 0 ? noPassword('spec.endpoint', endpoint) : [])];
}

function runtimeErrors({ runtime }: ToolSpec): FieldError[] {
  const { retry } = runtime;
  return [
    ...positiveDuration('spec.runtime.timeout', runtime.timeout),
    ...oneOf('spec.runtime.isolation_mode', runtime.isolation_mode, ISOLATION_MODES),
    ...oneOf('spec.runtime.on_unknown_outcome', runtime.on_unknown_outcome, UNKNOWN_OUTCOME_POLICIES),
    ...durationText('spec.runtime.retry.backoff', retry.backoff),
    ...durationText('spec.runtime.retry.max_backoff', retry.max_backoff),
    ...oneOf('spec.runtime.retry.jitter', retry.jitter, JITTERS),
  ];
}

function cliErrors(cli: ToolCli, isolation: string): FieldError[] {
  const errors: FieldError[] = [];
  if (isolation !== 'none' && cli.image === undefined) errors.push(required('spec.cli.image', 'runtime.isolation_mode is not none'));
  if (cli.image_pull_secret !== undefined && cli.image === undefined && isolation === 'none') {
    errors.push(required('spec.cli.image', 'image_pull_secret is given'));
  }
  const variables = (cli.env_from ?? []).flatMap((variable, index) => [
    ...variableNameErrors(`spec.cli.env_from[${index}].name`, variable.name),
    ...objectRef(`spec.cli.env_from[${index}].secretRef`, variable.secretRef),
  ]);
  return [
    ...errors,
    ...(cli.image === undefined ? [] : problemAt('spec.cli.image', imageReferenceProblem(cli.image))),
    ...oneOf('spec.cli.output', cli.output, CLI_OUTPUTS),
    ...objectRef('spec.cli.image_pull_secret', cli.image_pull_secret),
    ...(cli.args ?? []).flatMap((template, index) => problemAt(`spec.cli.args[${index}]`, templateProblem(template))),
    ...Object.keys(cli.env ?? {}).flatMap((name) => variableNameErrors(`spec.cli.env.${name}`, name)),
    ...variables,
  ];
}

function agentErrors({ agent_url: url, protocol_version: version }: NonNullable<ToolSpec['a2a']>): FieldError[] {
  const errors = url === '' ? [] : httpUrl('spec.a2a.agent_url', url);
  const isSpoken = version === undefined || dialectOf(version) !== undefined;
  return isSpoken ? errors : [...errors, ...oneOf('spec.a2a.protocol_version', version, ['1.0', '0.3', 'spec'])];
}

function variableNameErrors(path: string, name: string): FieldError[] {
  if (name === '' || VARIABLE_NAME.test(name)) return [];
  return [{ path, message: 'must be letters, digits and "_", not beginning with a digit' }];
}

function authErrors(auth: NonNullable<ToolSpec['auth']>, type: string): FieldError[] {
  if (type === 'cli') return [{ path: 'spec.auth', message: 'is not for tools of type cli; use cli.env_from' }];
  const errors = oneOf('spec.auth.profile', auth.profile, TOOL_AUTH_PROFILES);
  if (auth.profile !== undefined && auth.secretRef === undefined) errors.push(required('spec.auth.secretRef', 'auth.profile is given'));
  if (auth.profile === 'api_key_header' && auth.headerName === undefined) {
    errors.push(required('spec.auth.headerName', 'auth.profile is api_key_header'));
  }
  if (auth.headerName !== undefined && !/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(auth.headerName)) {
    errors.push({ path: 'spec.auth.headerName', message: 'must be an HTTP header name' });
  }
  if (auth.profile === 'oauth2_client_credentials' && auth.tokenURL === undefined) {
    errors.push(required('spec.auth.tokenURL', 'auth.profile is oauth2_client_credentials'));
  }
  return [...errors, ...httpUrl('spec.auth.tokenURL', auth.tokenURL), ...objectRef('spec.auth.secretRef', auth.secretRef)];
}

const WITH_ENDPOINT: ReadonlySet<string> = new Set(['http', 'external', 'webhook-callback', 'grpc', 'queue', 'wasm']);
/** Modes in which the worker itself calls the endpoint. */
const CALLED_BY_WORKER: ReadonlySet<string> = new Set(['none', 'wasm']);

export function adviseTool({ type, endpoint, runtime, a2a }: ToolSpec): FieldError[] {
  if (type === 'a2a' && !a2a?.agent_url)
    return [{ path: 'spec.a2a.agent_url', message: 'is missing, and a tool of type a2a needs one; its calls fail' }];
  if (!WITH_ENDPOINT.has(type) || endpoint !== undefined || !CALLED_BY_WORKER.has(isolationOf({ type, runtime }))) return [];
  return [{ path: 'spec.endpoint', message: `is missing, and a tool of type ${type} needs one; its calls fail` }];
}

/** Isolation by Kubernetes needs the server's flag at write time. */
export function toolServerRules({ runtime }: ToolSpec, { kubernetesIsolation }: ServerPolicy): FieldError[] {
  if (kubernetesIsolation || runtime?.isolation_mode !== 'kubernetes') return [];
  return [
    {
      path: 'spec.runtime.isolation_mode',
      message: 'is "kubernetes", which this server allows only with the option --enable-kubernetes-isolation',
    },
  ];
}

/** Programs and files of the server's machine are the administrator's. */
export function toolAdminOnly(spec: unknown): string | undefined {
  if (!isObject(spec)) return undefined;
  if (spec.type === 'cli' && isObject(spec.runtime) && spec.runtime.isolation_mode === 'none') return 'a cli Tool with isolation_mode none';
  const endpoint = typeof spec.endpoint === 'string' ? spec.endpoint.trim().toLowerCase() : '';
  return spec.type === 'wasm' && endpoint.startsWith('file:') ? 'a wasm Tool with a file: endpoint' : undefined;
}

export function toolReferences(spec: ToolSpec, context: RuleContext): Reference[] {
  const secret = (path: string, ref: string | undefined) => refTo({ kind: 'Secret', path }, ref, context);
  return [
    ...refTo({ kind: 'McpServer', path: 'spec.mcp_server_ref' }, spec.mcp_server_ref, context),
    ...secret('spec.auth.secretRef', spec.auth?.secretRef),
    ...secret('spec.cli.image_pull_secret', spec.cli?.image_pull_secret),
    ...(spec.cli?.env_from ?? []).flatMap((variable, index) => secret(`spec.cli.env_from[${index}].secretRef`, variable.secretRef)),
  ];
}
