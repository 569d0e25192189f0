// Tool type `cli`: a command without a shell, in a container, a sandbox or a Job, or as a process of the worker where the operator lets it.
import { CallError, type ToolRef } from '../../engine/ports.ts';
import { requireImage } from '../ceilings.ts';
import { isImageMode, type ImageMode, type ImageRequest, type IsolatedResult } from '../isolation/isolation.ts';
import { loginFor } from '../isolation/registry-logins.ts';
import { runProcess } from '../isolation/process/run-process.ts';
import {
  OUTPUT_MAX_BYTES,
  toolTitle,
  type RuntimeDeps,
  type ToolCall,
  type ToolPortConfig,
  type ToolRun,
  type ToolRuntime,
} from '../runtime.ts';
import { invalidTool } from '../tool-settings.ts';
import { argvOf } from './argv.ts';
import { pullLogins, variablesOf } from './cli-secrets.ts';
import { cliSettings, type CliSettings } from './cli-settings.ts';
import { commandOutput } from './command-result.ts';

/** Useful output is never this long; a command that writes more will not stop. */
export const FLOOD_MAX_BYTES = 16 * OUTPUT_MAX_BYTES;

export type CliDeps = Pick<RuntimeDeps, 'secrets' | 'clock' | 'config' | 'isolation' | 'searchPath'>;

export function createCliToolRuntime(deps: CliDeps): ToolRuntime {
  return {
    type: 'cli',
    async prepare(call) {
      const settings = settingsOf(call.tool);
      const mode = cliModeOf(call.tool, deps.config);
      // The input decides first: nothing is fetched for a call that cannot run.
      commandLine(deps, call, settings);
      if (mode === 'none') return;
      const request = await imageRequest(deps, call, { mode, settings });
      await deps.isolation.engineFor(mode, request.what).prepare(request);
    },
    async run(call) {
      const settings = settingsOf(call.tool);
      const command = commandLine(deps, call, settings);
      const env = await variablesOf(settings, call, deps.secrets);
      const result = await execute(deps, call, { settings, command, env });
      const secrets = settings.envFrom.map(({ name }) => env[name] ?? '');
      const output = commandOutput(result, { output: settings.output, title: toolTitle(call.tool), secrets });
      return { output, isolation: result.facts };
    },
  };
}

interface Execution {
  readonly settings: CliSettings;
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

async function execute(deps: CliDeps, call: ToolRun, { settings, command, env }: Execution): Promise<IsolatedResult> {
  const mode = cliModeOf(call.tool, deps.config);
  const { workingDir, network } = settings;
  const what = toolTitle(call.tool);
  const common = {
    command,
    env,
    ...(settings.stdinFromInput && { stdin: JSON.stringify(call.input) }),
    ...(workingDir !== undefined && { workingDir }),
    signal: call.signal,
    outputMaxBytes: OUTPUT_MAX_BYTES,
    floodMaxBytes: FLOOD_MAX_BYTES,
    what,
  };
  if (mode === 'none') return runProcess(common, deps);
  const request = await imageRequest(deps, call, { mode, settings });
  return deps.isolation.engineFor(mode, what).run({
    ...request,
    ...common,
    envBase: 'exact',
    ...(network !== undefined && { network }),
    deadline: call.deadline,
    owner: { requestId: call.requestId, taskId: call.taskId, tool: `${call.tool.namespace}/${call.tool.name}` },
  });
}

export interface ImagePlace {
  readonly mode: ImageMode;
  readonly settings: CliSettings;
  /** Where `spec.cli` names none. */
  readonly defaultImage?: string;
}

/** Which image a call runs in, with what it takes to pull it. */
export async function imageRequest(
  { secrets, config }: Pick<RuntimeDeps, 'secrets' | 'config'>,
  call: ToolCall,
  { mode, settings, defaultImage }: ImagePlace,
): Promise<ImageRequest> {
  const image = settings.image ?? defaultImage;
  const what = toolTitle(call.tool);
  if (image === undefined) throw invalidTool(call.tool, `spec.cli.image is required by runtime.isolation_mode ${mode}`);
  requireImage(image, what, config.ceilings);
  const logins = settings.image === undefined ? undefined : await pullLogins(settings, call, secrets);
  const login = logins && loginFor(image, logins);
  const { signal, onProgress } = call;
  return { mode, image, signal, what, ...(login && { registryLogins: login }), ...(onProgress && { onProgress }) };
}

/** Throws CallError `runtime_policy_invalid`. */
export function settingsOf(tool: ToolRef): CliSettings {
  const settings = cliSettings(tool);
  if (settings.command === '') throw invalidTool(tool, 'spec.cli.command is missing');
  return settings;
}

function commandLine({ config }: CliDeps, { tool, input }: ToolCall, settings: CliSettings): [string, ...string[]] {
  return argvOf(settings, input, { maxBytes: config.cliArgvMaxBytes, title: toolTitle(tool) });
}

/** Throws CallError `runtime_policy_invalid` for modes that a command cannot have here. */
export function cliModeOf(tool: ToolRef, config: Pick<ToolPortConfig, 'unisolatedCli'>): ImageMode | 'none' {
  const mode = tool.spec.runtime.isolation_mode;
  if (isImageMode(mode)) return mode;
  const refused = (problem: string, reason: string) =>
    new CallError('runtime_policy_invalid', `${toolTitle(tool)} ${problem}`, { retryable: false, reason });
  if (mode !== 'none') {
    const advice = 'use container, sandboxed, kubernetes or none';
    throw refused(`has spec.runtime.isolation_mode "${mode}", which tools of type cli do not support; ${advice}`, 'isolation_mode');
  }
  if (config.unisolatedCli === 'admin') return mode;
  throw refused(
    'has runtime.isolation_mode none, and this server runs no commands without isolation (--unisolated-cli-tools never)',
    'unisolated_cli',
  );
}
