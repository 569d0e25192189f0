// Defaults and cleaning of Tool.
import { defined, keyword, trimmed, unique, uniqueIgnoringCase } from '../clean.ts';
import { isolationDefault } from './isolation-default.ts';
import type { WrittenToolAuth, WrittenToolCli, WrittenToolRuntime, WrittenToolSpec } from './schema.ts';

const RISKY: ReadonlySet<string> = new Set(['high', 'critical']);
export const TOOL_TIMEOUT_DEFAULT = '30s';
export const TOOL_BACKOFF_DEFAULT = '0s';
export const TOOL_MAX_BACKOFF_DEFAULT = '30s';

/** Parameters of a remote agent. */
export const AGENT_INPUT_SCHEMA = {
  type: 'object',
  properties: {
    message: { type: 'string', description: 'Message to the agent.' },
    context_id: { type: 'string', description: 'context_id of an earlier answer, to continue that conversation.' },
    data: { type: 'object', description: 'Structured data that goes with the message.' },
  },
  required: ['message'],
  additionalProperties: false,
};

export function normalizeTool(spec: WrittenToolSpec) {
  const type = keyword(spec.type) ?? 'http';
  const risk = keyword(spec.risk_level) ?? 'low';
  const classes = unique(spec.operation_classes?.map((value) => value.toLowerCase()));
  return defined({
    ...spec,
    type,
    endpoint: trimmed(spec.endpoint),
    input_schema: spec.input_schema ?? (type === 'a2a' ? AGENT_INPUT_SCHEMA : undefined),
    mcp_server_ref: trimmed(spec.mcp_server_ref),
    mcp_tool_name: trimmed(spec.mcp_tool_name),
    cli: spec.cli && normalizeCli(spec.cli),
    a2a: spec.a2a && defined({ ...spec.a2a, agent_url: spec.a2a.agent_url.trim(), protocol_version: trimmed(spec.a2a.protocol_version) }),
    capabilities: uniqueIgnoringCase(spec.capabilities),
    operation_classes: classes?.length ? classes : [RISKY.has(risk) ? 'write' : 'read'],
    risk_level: risk,
    runtime: normalizeRuntime(spec.runtime, type, risk),
    auth: spec.auth && normalizeAuth(spec.auth),
  });
}

/** The spec as stored: defaults filled in, values cleaned. */
export type ToolSpec = ReturnType<typeof normalizeTool>;
export type ToolCli = NonNullable<ToolSpec['cli']>;

function normalizeRuntime(runtime: WrittenToolRuntime | undefined, type: string, risk: string) {
  const retry = runtime?.retry;
  return {
    timeout: trimmed(runtime?.timeout) ?? TOOL_TIMEOUT_DEFAULT,
    isolation_mode: keyword(runtime?.isolation_mode) ?? isolationDefault(type, risk),
    on_unknown_outcome: keyword(runtime?.on_unknown_outcome) ?? (RISKY.has(risk) ? 'ask' : 'retry'),
    retry: {
      max_attempts: retry?.max_attempts !== undefined && retry.max_attempts > 0 ? retry.max_attempts : 1,
      backoff: trimmed(retry?.backoff) ?? TOOL_BACKOFF_DEFAULT,
      max_backoff: trimmed(retry?.max_backoff) ?? TOOL_MAX_BACKOFF_DEFAULT,
      jitter: keyword(retry?.jitter) ?? 'none',
    },
  };
}

function normalizeCli(cli: WrittenToolCli) {
  return defined({
    ...cli,
    command: cli.command.trim(),
    image: trimmed(cli.image),
    image_pull_secret: trimmed(cli.image_pull_secret),
    network: trimmed(cli.network),
    output: keyword(cli.output) ?? 'stdout',
    working_dir: trimmed(cli.working_dir),
    env_from: cli.env_from?.map((variable) => ({
      name: variable.name.trim(),
      secretRef: variable.secretRef.trim(),
      key: trimmed(variable.key) ?? 'value',
    })),
  });
}

function normalizeAuth(auth: WrittenToolAuth) {
  const secretRef = trimmed(auth.secretRef);
  return defined({
    profile: keyword(auth.profile) ?? (secretRef === undefined ? undefined : 'bearer'),
    secretRef,
    headerName: trimmed(auth.headerName),
    tokenURL: trimmed(auth.tokenURL),
    scopes: unique(auth.scopes),
  });
}
