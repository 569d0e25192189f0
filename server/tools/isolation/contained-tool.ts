// Tools of other types than cli and wasm with an isolation mode: an image is run for each call, gets the tool protocol's request on its input and gives the reply on its output.
import { isObject } from '@svc/shared/json';
import { CallError, type ToolRef } from '../../engine/ports.ts';
import { argvOf } from '../cli/argv.ts';
import { variablesOf } from '../cli/cli-secrets.ts';
import { cliSettings, type CliSettings } from '../cli/cli-settings.ts';
import { FLOOD_MAX_BYTES, imageRequest } from '../cli/cli-tool.ts';
import { commandOutput, requireSuccess } from '../cli/command-result.ts';
import { protocolRequest, TOOL_CONTRACT_VERSION } from '../protocol/request.ts';
import { readReply } from '../protocol/reply.ts';
import { OUTPUT_MAX_BYTES, toolTitle, type RuntimeDeps, type ToolCall, type ToolRun, type ToolRuntime } from '../runtime.ts';
import { invalidTool } from '../tool-settings.ts';
import { isImageMode, type ImageMode, type ImageRequest, type IsolatedResult } from './isolation.ts';
import { toolVariables } from './tool-variables.ts';
import { withFacts } from './with-facts.ts';

export type ContainedDeps = Pick<RuntimeDeps, 'secrets' | 'config' | 'isolation'>;

export function createContainedToolRuntime(deps: ContainedDeps): ToolRuntime {
  return {
    type: 'contained',
    async prepare(call) {
      const request = await requestOf(deps, call, cliSettings(call.tool));
      await deps.isolation.engineFor(request.mode, request.what).prepare(request);
    },
    async run(call) {
      const settings = cliSettings(call.tool);
      const env = { ...(await variablesOf(settings, call, deps.secrets)), ...toolVariables(call) };
      const result = await execute(deps, call, { settings, env });
      try {
        return { ...answerOf(result, call, Object.values(env)), isolation: result.facts };
      } catch (error) {
        throw withFacts(error, result.facts);
      }
    },
  };
}

interface Execution {
  readonly settings: CliSettings;
  readonly env: Readonly<Record<string, string>>;
}

async function execute(deps: ContainedDeps, call: ToolRun, { settings, env }: Execution): Promise<IsolatedResult> {
  const request = await requestOf(deps, call, settings);
  const { workingDir, network, command } = settings;
  const argv = command === '' ? undefined : argvOf(settings, call.input, { maxBytes: deps.config.cliArgvMaxBytes, title: request.what });
  return deps.isolation.engineFor(request.mode, request.what).run({
    ...request,
    ...(argv && { command: argv }),
    env,
    envBase: 'image',
    stdin: JSON.stringify(protocolRequest(call, call.attempt)),
    ...(workingDir !== undefined && { workingDir }),
    ...(network !== undefined && { network }),
    deadline: call.deadline,
    outputMaxBytes: OUTPUT_MAX_BYTES,
    floodMaxBytes: FLOOD_MAX_BYTES,
    owner: { requestId: call.requestId, taskId: call.taskId, tool: `${call.tool.namespace}/${call.tool.name}` },
  });
}

/** Rejects with CallError `isolation_unavailable` where nothing says which image. */
function requestOf(deps: ContainedDeps, call: ToolCall, settings: CliSettings): Promise<ImageRequest> {
  const mode = call.tool.spec.runtime.isolation_mode;
  const { containerImage } = deps.config;
  if (!isImageMode(mode)) throw new Error(`a tool with isolation mode ${mode} cannot run in a container`);
  requireImageChoice(call.tool, { mode, image: settings.image ?? containerImage });
  return imageRequest(deps, call, { mode, settings, ...(containerImage !== undefined && { defaultImage: containerImage }) });
}

/** Throws CallError where nothing names an image: `runtime_policy_invalid` for a command, else `isolation_unavailable`. */
export function requireImageChoice(
  tool: ToolRef,
  { mode, image }: { readonly mode: ImageMode; readonly image: string | undefined },
): string {
  if (image !== undefined) return image;
  if (tool.spec.type === 'cli') throw invalidTool(tool, `spec.cli.image is required by runtime.isolation_mode ${mode}`);
  const advice = 'set --tool-container-image, or runtime.isolation_mode none where the endpoint isolates itself';
  const message = `${toolTitle(tool)} is to run ${mode}, and nothing says in which image: ${advice}`;
  throw new CallError('isolation_unavailable', message, { retryable: false, reason: 'not_configured' });
}

function answerOf(result: IsolatedResult, call: ToolRun, secrets: readonly string[]): { output: string; contractVersion?: string } {
  const title = toolTitle(call.tool);
  const reply = { output: () => readReply(result.stdout, title), contractVersion: TOOL_CONTRACT_VERSION };
  // The tool's own error reply is more precise than its exit code.
  if (isReply(result.stdout) && !result.truncated.stdout) return { output: reply.output(), contractVersion: reply.contractVersion };
  requireSuccess(result, { title, secrets });
  const output = commandOutput(result, { output: 'stdout', title, secrets });
  if (call.tool.spec.type === 'http') return { output };
  return { output: reply.output(), contractVersion: reply.contractVersion };
}

/** Whether the text has the shape of a reply, rather than of a result that happens to be JSON. */
function isReply(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return false;
    const { status, output, error } = value;
    return (
      (status === 'ok' && (output === undefined || isObject(output))) || ((status === 'error' || status === 'denied') && isObject(error))
    );
  } catch {
    return false;
  }
}
