// Shapes of Tool: something an agent may call.
import { z } from 'zod';
import { anyObject, commonStatus, duration, flag, group, integer, listOf, names, requiredText, text, textMap } from '../fields.ts';

export const TOOL_TYPES = ['http', 'external', 'grpc', 'webhook-callback', 'mcp', 'wasm', 'cli', 'a2a', 'queue'] as const;
export const OPERATION_CLASSES = ['read', 'write', 'delete', 'admin'] as const;
export const RISK_LEVELS = ['low', 'medium', 'high', 'critical'] as const;
export const ISOLATION_MODES = ['none', 'sandboxed', 'container', 'kubernetes', 'wasm'] as const;
export const JITTERS = ['none', 'full', 'equal'] as const;
export const TOOL_AUTH_PROFILES = ['bearer', 'api_key_header', 'basic', 'oauth2_client_credentials'] as const;
export const CLI_OUTPUTS = ['stdout', 'stderr', 'both'] as const;
export const UNKNOWN_OUTCOME_POLICIES = ['retry', 'ask'] as const;

const cli = group('The command of a tool of type cli. It runs without a shell, with only the variables named here.', {
  command: requiredText('Binary path or name.'),
  args: names('Argument templates, `{{ .field }}` of the input; each entry is exactly one argument.'),
  image: text('Container image. Required unless isolation_mode is none.'),
  image_pull_secret: text('Secret with registry credentials; needs image.', { format: 'ref:Secret' }),
  network: text('Container network mode.', { defaultText: 'the server’s --container-network, none' }),
  stdin_from_input: flag('Pipes the raw input to standard input.', { defaultText: 'false' }),
  output: text('Which stream is the result.', { defaultText: 'stdout', values: CLI_OUTPUTS }),
  working_dir: text('Working directory.'),
  env: textMap('Literal environment variables.'),
  env_from: listOf(
    'Environment variables from Secrets.',
    z.strictObject({
      name: requiredText('Name of the variable.'),
      secretRef: requiredText('Secret that holds its value.', { format: 'ref:Secret' }),
      key: text('Key within the Secret.', { defaultText: 'value' }),
    }),
  ),
});

export const toolSpec = z.strictObject({
  type: text('How the tool is reached.', { defaultText: 'http', values: TOOL_TYPES }),
  endpoint: text('URL, or host:port for gRPC.'),
  description: text('What the tool does; shown to the model.'),
  input_schema: anyObject(
    'JSON Schema of the parameters; inputs that do not fit are refused before the call. Absent for type a2a: `message`, `context_id`, `data`.',
  ),
  output_schema: anyObject('JSON Schema of the structured results of a tool of type mcp; a result that does not fit is an error.'),
  mcp_server_ref: text('McpServer of the tool. Required by type mcp.', { format: 'ref:McpServer' }),
  mcp_tool_name: text('Name in the server’s own list. Required by type mcp.'),
  cli,
  a2a: group('The remote agent of a tool of type a2a.', {
    agent_url: requiredText('Base address of the agent, address of its card, or its endpoint.'),
    protocol_version: text('Version of the protocol to speak: 1.0, 0.3 or spec.', {
      defaultText: 'the best that the card of the agent offers',
    }),
    prefer_streaming: flag('Streams the answer where the card of the agent offers it.', { defaultText: 'false' }),
  }),
  wasm: group('Settings of a tool of type wasm.', {
    entrypoint: text('Exported function to run.', { defaultText: '_start' }),
    memory_max_bytes: integer('Memory the module may have, in bytes.'),
  }),
  capabilities: names('What the tool can do, as words to match on.'),
  operation_classes: names('Effects that a call may have.', {
    defaultText: 'read; write for high and critical risk',
    values: OPERATION_CLASSES,
  }),
  risk_level: text('How much harm a wrong call may do.', { defaultText: 'low', values: RISK_LEVELS }),
  runtime: group('How calls are made.', {
    timeout: duration('Time one attempt may take.', { defaultText: '30s' }),
    isolation_mode: text('Where the tool runs.', {
      defaultText: 'container for cli; sandboxed for high and critical risk; else none',
      values: ISOLATION_MODES,
    }),
    on_unknown_outcome: text('A call without a recorded result after a crash: send it again, or ask a person.', {
      defaultText: 'retry; ask for high and critical risk',
      values: UNKNOWN_OUTCOME_POLICIES,
    }),
    retry: group('What follows a retryable failure.', {
      max_attempts: integer('Attempts in all.', { defaultText: '1' }),
      backoff: duration('Wait before the second attempt; it doubles.', { defaultText: '0s' }),
      max_backoff: duration('Longest wait.', { defaultText: '30s' }),
      jitter: text('Randomness of the wait.', { defaultText: 'none', values: JITTERS }),
    }),
  }),
  auth: group('Credentials of the call; not for type cli.', {
    profile: text('How the credential is sent.', { defaultText: 'bearer', values: TOOL_AUTH_PROFILES }),
    secretRef: text('Secret with the credential.', { format: 'ref:Secret' }),
    headerName: text('Header of profile api_key_header.'),
    tokenURL: text('Token endpoint of profile oauth2_client_credentials.'),
    scopes: names('Scopes of profile oauth2_client_credentials.'),
  }),
});

export const toolStatus = z.strictObject(commonStatus);

export type WrittenToolSpec = z.infer<typeof toolSpec>;
export type WrittenToolRuntime = NonNullable<WrittenToolSpec['runtime']>;
export type WrittenToolCli = NonNullable<WrittenToolSpec['cli']>;
export type WrittenToolAuth = NonNullable<WrittenToolSpec['auth']>;
