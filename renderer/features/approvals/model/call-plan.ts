// What exactly will run when a call is approved: read from the tool as the run has it and the input as it will be sent. Shows what the server does, and never a Secret's value. Pure.
import { ARGV_MAX_BYTES_DEFAULT, parseTemplate, renderTemplate, TemplateInputError, TemplateSyntaxError } from '@svc/shared/cli-template';
import { isObject, type JsonObject } from '@svc/shared/json';
import { isolationDefault } from '@svc/shared/kinds/tool/isolation-default';
import { formatNumber } from '../../../ui/format.ts';

/** More than any input can give; how long a command line may be is the worker's to say. */
const RENDERED_MAX_CHARS = 8 * 1024 * 1024;

export interface PlanArgument {
  /** As it stands in the tool. */
  readonly template: string;
  /** What it becomes; undefined where `problem` says why not. */
  readonly text: string | undefined;
  readonly problem: string | undefined;
}

export interface SecretUse {
  /** The variable or header that carries it. */
  readonly carrier: string;
  readonly secret: string;
  readonly key: string | undefined;
}

export interface PlanFact {
  readonly term: string;
  readonly text: string;
}

export interface CallPlan {
  readonly type: string;
  /** Of a command: the binary and its arguments. */
  readonly command: { readonly binary: string; readonly args: readonly PlanArgument[]; readonly stdin: boolean } | undefined;
  /** Of a request: method and address. */
  readonly request: { readonly method: string; readonly url: string; readonly headers: readonly string[] } | undefined;
  readonly facts: readonly PlanFact[];
  readonly secrets: readonly SecretUse[];
  readonly isolation: { readonly mode: string; readonly isDefault: boolean; readonly network: string };
  /** What makes the call fail before anything happens. */
  readonly problems: readonly string[];
  /** What may make it fail likewise: that is for the worker to say, whose settings are not known here. */
  readonly caution: string | undefined;
}

type Spec = Readonly<Record<string, unknown>>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const part = (value: unknown): Spec => (isObject(value) ? value : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const fact = (term: string, value: unknown): PlanFact[] => (text(value) === '' ? [] : [{ term, text: text(value) }]);

const OVER_HTTP: ReadonlySet<string> = new Set(['http', 'external', 'webhook-callback']);

const PROTOCOLS: Readonly<Record<string, string>> = {
  http: 'the input as JSON in the body',
  external: 'tool protocol v1, the input in an envelope with request id, task and agent',
  'webhook-callback': 'tool protocol v1 with a callback address; the tool may answer later',
  grpc: 'tool protocol v1 over gRPC',
  queue: 'tool protocol v1 as a message; the tool answers when it has worked on it',
  wasm: 'a WebAssembly module that gets the input on standard input',
  mcp: 'a tool call of the Model Context Protocol',
  a2a: 'a message to a remote agent',
};

/** `input` is undefined when it is no JSON object. */
export function planCall(spec: Spec, input: JsonObject | undefined): CallPlan {
  const type = text(spec['type']) || 'http';
  const cli = part(spec['cli']);
  const command = type === 'cli' ? commandOf(cli, input) : undefined;
  return {
    type,
    command,
    request: OVER_HTTP.has(type) ? requestOf(type, spec) : undefined,
    facts: type === 'cli' ? cliFacts(cli, part(spec['runtime'])) : otherFacts(type, spec),
    secrets: type === 'cli' ? cliSecrets(cli) : authSecrets(part(spec['auth'])),
    isolation: isolationOf(type, spec),
    caution: command && lengthCaution(command),
    problems: [...new Set([...(command?.args ?? []).flatMap(({ problem }) => problem ?? []), ...missing(type, spec)])],
  };
}

function missing(type: string, spec: Spec): string[] {
  if (type === 'cli' && text(part(spec['cli'])['command']) === '') return ['The tool names no command.'];
  if (OVER_HTTP.has(type) && text(spec['endpoint']) === '') return ['The tool names no endpoint.'];
  return [];
}

function commandOf(cli: Spec, input: JsonObject | undefined): NonNullable<CallPlan['command']> {
  const args = list(cli['args']).map((each, index): PlanArgument => expand(text(each), index, input));
  return { binary: text(cli['command']), args, stdin: cli['stdin_from_input'] === true };
}

const utf8 = new TextEncoder();

function lengthCaution({ binary, args }: NonNullable<CallPlan['command']>): string | undefined {
  const bytes = [binary, ...args.map((argument) => argument.text ?? '')].reduce((sum, each) => sum + utf8.encode(each).length + 1, 0);
  if (bytes <= ARGV_MAX_BYTES_DEFAULT) return undefined;
  return `The command line has ${formatNumber(bytes)} bytes. A worker takes ${formatNumber(ARGV_MAX_BYTES_DEFAULT)} at most unless it is set otherwise (--cli-tool-max-argv-length); with more, the call fails before anything happens.`;
}

function expand(template: string, index: number, input: JsonObject | undefined): PlanArgument {
  if (input === undefined) return { template, text: undefined, problem: 'The input is no JSON object, so no argument can be filled.' };
  try {
    const rendered = renderTemplate(parseTemplate(template), input, RENDERED_MAX_CHARS);
    if (rendered.includes('\0')) throw new TemplateInputError('holds a NUL character, which no argument can');
    return { template, text: rendered, problem: undefined };
  } catch (error) {
    if (error instanceof TemplateInputError || error instanceof TemplateSyntaxError)
      return { template, text: undefined, problem: `Argument ${index + 1} ${error.message}.` };
    throw error;
  }
}

function cliFacts(cli: Spec, runtime: Spec): PlanFact[] {
  const variables = Object.entries(part(cli['env'])).map(([name, value]) => `${name}=${text(value)}`);
  return [
    ...fact('Image', cli['image']),
    ...fact('Working directory', cli['working_dir']),
    ...(variables.length > 0 ? [{ term: 'Environment', text: variables.join('\n') }] : []),
    ...fact('Time limit', runtime['timeout'] ?? '30s'),
  ];
}

function cliSecrets(cli: Spec): SecretUse[] {
  const variables = list(cli['env_from']).map((entry): SecretUse => {
    const { name, secretRef, key } = part(entry);
    return { carrier: `$${text(name)}`, secret: text(secretRef), key: text(key) || 'value' };
  });
  const pull = text(cli['image_pull_secret']);
  return pull === '' ? variables : [...variables, { carrier: 'registry login', secret: pull, key: undefined }];
}

function requestOf(type: string, spec: Spec): NonNullable<CallPlan['request']> {
  const auth = part(spec['auth']);
  const own =
    type === 'http'
      ? ['content-type', 'accept', 'idempotency-key']
      : ['x-tool-contract-version', 'idempotency-key', 'content-type', 'accept'];
  const carrier = authCarrier(auth);
  return { method: 'POST', url: text(spec['endpoint']), headers: [...own, ...(carrier === undefined ? [] : [carrier])] };
}

function authCarrier(auth: Spec): string | undefined {
  if (text(auth['secretRef']) === '') return undefined;
  return auth['profile'] === 'api_key_header' ? text(auth['headerName']).toLowerCase() : 'authorization';
}

function authSecrets(auth: Spec): SecretUse[] {
  const carrier = authCarrier(auth);
  if (carrier === undefined) return [];
  return [{ carrier: `${carrier} (${text(auth['profile']) || 'bearer'})`, secret: text(auth['secretRef']), key: undefined }];
}

function otherFacts(type: string, spec: Spec): PlanFact[] {
  const { wasm, a2a, runtime } = spec;
  return [
    ...(OVER_HTTP.has(type) ? [] : fact('Endpoint', spec['endpoint'])),
    { term: 'Protocol', text: PROTOCOLS[type] ?? type },
    ...fact('Module entry', part(wasm)['entrypoint']),
    ...fact('Remote agent', part(a2a)['agent_url']),
    ...fact('MCP server', spec['mcp_server_ref']),
    ...fact('MCP tool', spec['mcp_tool_name']),
    ...fact('Time limit', part(runtime)['timeout'] ?? '30s'),
  ];
}

function isolationOf(type: string, spec: Spec): CallPlan['isolation'] {
  const given = text(part(spec['runtime'])['isolation_mode']);
  const mode = given || isolationDefault(type, spec['risk_level']);
  return { mode, isDefault: given === '', network: networkOf(type, mode, part(spec['cli'])) };
}

function networkOf(type: string, mode: string, cli: Spec): string {
  if (type === 'wasm' || mode === 'wasm') return 'none';
  if (mode === 'none') return type === 'cli' ? 'that of the worker' : 'through the egress guard';
  return type === 'cli' ? text(cli['network']) || 'the server’s default' : 'to the tool’s endpoint';
}

/** An argument as one would type it in a shell, so that spaces and quotes cannot make one look like two. For reading only: no shell is involved. */
export function quoteArgument(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
