// Describes a call for the person who decides on it, composed of the parts that make the call. Pure: starts, dials and reads nothing.
import type { CallPlan } from '@svc/shared/api/approvals';
import { TemplateInputError } from '@svc/shared/cli-template';
import type { JsonObject } from '@svc/shared/json';
import { isolationOf } from '@svc/shared/kinds/tool/isolation-default';
import { CallError, type ToolRef } from '../engine/ports.ts';
import { requireAgent } from './a2a/a2a-tool.ts';
import { argvOf, renderArgument } from './cli/argv.ts';
import { cliSettings, type CliSettings } from './cli/cli-settings.ts';
import { httpHeaders } from './http/http-tool.ts';
import { networkOf } from './isolation/docker/container-options.ts';
import { isImageMode } from './isolation/isolation.ts';
import { toolVariables } from './isolation/tool-variables.ts';
import { postHeaders } from './protocol/http-exchange.ts';
import { requireMcpTool } from './mcp/mcp-tool.ts';
import { resolveRuntime } from './resolve-runtime.ts';
import { runnability } from './runnability.ts';
import { toolTitle, type ToolPortConfig } from './runtime.ts';
import { authSettings, callSettings, credentialHeader, endpointOf } from './tool-settings.ts';
import { wasmSettings } from './wasm/wasm-settings.ts';

type Fact = CallPlan['facts'][number];
type SecretUse = CallPlan['secrets'][number];

interface PlannedCall {
  readonly tool: ToolRef;
  readonly input: JsonObject;
  readonly config: ToolPortConfig;
}

/** Part of the plan that depends on the type of the tool. */
interface DescribedCall extends Pick<CallPlan, 'command' | 'request'> {
  readonly facts: readonly Fact[];
  readonly secrets: readonly SecretUse[];
  readonly network: string;
}

/** Throws CallError for a Tool that cannot be called as it is declared. */
type Describe = (call: PlannedCall) => DescribedCall;

/** Names the carriers of credentials only: no value is read. */
const NO_REQUEST = { requestId: '' };
const GUARDED = 'through the egress guard';

export function planCall(tool: ToolRef, input: JsonObject, config: ToolPortConfig): CallPlan {
  const call = { tool, input, config };
  const unrunnable = runnability(tool, { config, backends: undefined })?.message;
  const { described, problem } = attempt(() => resolveRuntime(tool, DESCRIPTIONS)(call));
  const unfilled = (described?.command?.args ?? []).flatMap((argument) => argument.problem ?? []);
  const tooLong = described?.command && unfilled.length === 0 ? lengthProblem(call) : undefined;
  const { timeoutMs, retry } = callSettings(tool);
  const { network = 'unknown', facts = [], secrets = [], ...what } = described ?? {};
  return {
    type: tool.spec.type,
    ...what,
    facts,
    secrets,
    isolation: { mode: isolationOf(tool.spec), network },
    timeoutMs,
    maxAttempts: retry.maxAttempts,
    problems: [...new Set([unrunnable, problem, tooLong, ...unfilled].flatMap((each) => each ?? []))],
  };
}

function attempt(describe: () => DescribedCall): { described?: DescribedCall; problem?: string } {
  try {
    return { described: describe() };
  } catch (error) {
    if (error instanceof CallError) return { problem: error.message };
    throw error;
  }
}

function lengthProblem({ tool, input, config }: PlannedCall): string | undefined {
  try {
    argvOf(cliSettings(tool), input, { maxBytes: config.cliArgvMaxBytes, title: toolTitle(tool) });
    return undefined;
  } catch (error) {
    if (error instanceof CallError) return error.message;
    throw error;
  }
}

const request = (headers: (call: typeof NO_REQUEST) => Record<string, string>, protocol: string): Describe => {
  return ({ tool }) => {
    const carrier = carrierOf(tool);
    return {
      request: {
        method: 'POST',
        url: endpointOf(tool),
        headers: [...Object.keys(headers(NO_REQUEST)), ...(carrier === undefined ? [] : [carrier])],
      },
      facts: [{ term: 'Protocol', text: protocol }],
      secrets: authSecrets(tool, carrier),
      network: GUARDED,
    };
  };
};

const message = (protocol: string): Describe => {
  return ({ tool }) => ({
    facts: [
      { term: 'Endpoint', text: endpointOf(tool) },
      { term: 'Protocol', text: protocol },
    ],
    secrets: authSecrets(tool, carrierOf(tool)),
    network: GUARDED,
  });
};

const command: Describe = (call) => {
  const settings = cliSettings(call.tool);
  const mode = call.tool.spec.runtime.isolation_mode;
  return {
    command: {
      binary: settings.command,
      args: argumentsOf(call, settings),
      stdin: settings.stdinFromInput ? 'input' : 'none',
    },
    facts: placeFacts(settings, isImageMode(mode) ? settings.image : undefined),
    secrets: commandSecrets(settings),
    network: isImageMode(mode) ? imageNetwork(call, settings) : 'network of the worker',
  };
};

const ofMemory: Describe = ({ tool }) => ({
  facts: [{ term: 'Memory', text: (tool.spec.endpoint ?? '').replace(/^memory:/, '') }],
  secrets: [],
  network: 'that of the backend of the Memory',
});

/** Tools of any type but cli and wasm that an isolation mode puts into an image: the image runs, and receives the endpoint as a variable. */
const contained: Describe = (call) => {
  const settings = cliSettings(call.tool);
  const carriers = Object.keys(toolVariables({ tool: call.tool, credentials: { headers: {}, secrets: [] }, ...NO_REQUEST }));
  const [auth] = carriers.filter((name) => name.startsWith('TOOL_AUTH_') && name !== 'TOOL_AUTH_HEADER_NAME');
  const image = settings.image ?? call.config.containerImage;
  const { endpoint } = call.tool.spec;
  return {
    command: {
      ...(settings.command !== '' && { binary: settings.command }),
      args: settings.command === '' ? [] : argumentsOf(call, settings),
      stdin: 'request',
    },
    facts: [
      ...placeFacts(settings, image),
      ...(endpoint === undefined ? [] : [{ term: 'Endpoint', text: endpoint }]),
      { term: 'Protocol', text: 'tool protocol v1 on standard input and output of the image' },
    ],
    secrets: [...commandSecrets(settings), ...authSecrets(call.tool, auth === undefined ? undefined : `$${auth}`)],
    network: imageNetwork(call, settings),
  };
};

const module: Describe = ({ tool, config }) => {
  const { source, entrypoint } = wasmSettings(tool, config.ceilings);
  return {
    facts: [
      { term: 'Module', text: source.url },
      ...(source.sha256 === undefined ? [] : [{ term: 'SHA-256', text: source.sha256 }]),
      { term: 'Entry point', text: entrypoint },
      { term: 'Protocol', text: 'tool protocol v1 on standard input and output of the module' },
    ],
    secrets: authSecrets(tool, carrierOf(tool)),
    network: 'none',
  };
};

const ofMcpServer: Describe = ({ tool }) => {
  const { server, name } = requireMcpTool(tool);
  return {
    facts: [
      { term: 'McpServer', text: server },
      { term: 'Tool of the server', text: name },
      { term: 'Protocol', text: 'Model Context Protocol over the transport of the McpServer' },
    ],
    secrets: [],
    network: 'that of the McpServer: through the egress guard, or a program of the worker’s machine',
  };
};

const ofAgent: Describe = ({ tool }) => {
  const { url, protocolVersion, preferStreaming } = requireAgent(tool);
  return {
    facts: [
      { term: 'Agent', text: url },
      {
        term: 'Protocol',
        text: `A2A over JSON-RPC, ${protocolVersion === undefined ? 'in the version of its card' : `version ${protocolVersion}`}`,
      },
      ...(preferStreaming ? [{ term: 'Streaming', text: 'where the card offers it' }] : []),
    ],
    secrets: authSecrets(tool, carrierOf(tool)),
    network: GUARDED,
  };
};

const DESCRIPTIONS = {
  byType: new Map<string, Describe>([
    ['http', request(httpHeaders, 'the input as JSON in the body')],
    ['external', request(postHeaders, 'tool protocol v1: the input in an envelope with request id, task and agent')],
    ['webhook-callback', request(postHeaders, 'tool protocol v1 with a callback address; the tool may answer later')],
    ['grpc', message('tool protocol v1 over gRPC, or the method that the endpoint names')],
    ['queue', message('tool protocol v1 as a message; the tool answers when it has worked on it')],
    ['wasm', module],
    ['cli', command],
    ['mcp', ofMcpServer],
    ['a2a', ofAgent],
    ['memory', ofMemory],
  ]),
  contained,
};

function argumentsOf({ tool, input, config }: PlannedCall, { args }: CliSettings): NonNullable<CallPlan['command']>['args'] {
  const templates = tool.spec.cli?.args ?? [];
  return args.map((parsed, index) => {
    const text = renderArgument(parsed, input, config.cliArgvMaxBytes);
    const template = templates[index] ?? '';
    return text instanceof TemplateInputError ? { template, problem: `Argument ${index + 1} ${text.message}.` } : { template, text };
  });
}

function placeFacts({ workingDir, env }: CliSettings, image: string | undefined): Fact[] {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return [
    ...(image === undefined ? [] : [{ term: 'Image', text: image }]),
    ...(workingDir === undefined ? [] : [{ term: 'Working directory', text: workingDir }]),
    ...(variables.length === 0 ? [] : [{ term: 'Environment', text: variables.join('\n') }]),
  ];
}

function imageNetwork({ tool, config }: PlannedCall, { network }: CliSettings): string {
  const mode = tool.spec.runtime.isolation_mode;
  if (!isImageMode(mode)) return 'none';
  if (mode === 'kubernetes') return network ?? 'network of the cluster';
  return networkOf({ mode, what: toolTitle(tool), ...(network !== undefined && { network }) }, config.containerNetwork);
}

function commandSecrets({ envFrom, image, imagePullSecret }: CliSettings): SecretUse[] {
  const variables = envFrom.map(({ name, secretRef, key }) => ({ carrier: `$${name}`, secret: secretRef, key }));
  return image === undefined || imagePullSecret === undefined
    ? variables
    : [...variables, { carrier: 'registry login', secret: imagePullSecret }];
}

function carrierOf(tool: ToolRef): string | undefined {
  const auth = authSettings(tool);
  return auth.profile === 'none' ? undefined : credentialHeader(auth);
}

function authSecrets(tool: ToolRef, carrier: string | undefined): SecretUse[] {
  const auth = authSettings(tool);
  if (auth.profile === 'none' || carrier === undefined) return [];
  return [{ carrier: `${carrier} (${auth.profile})`, secret: auth.secretRef }];
}
