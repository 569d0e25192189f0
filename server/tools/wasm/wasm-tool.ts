// Tool type `wasm`: runs a WASI preview 1 module in a sandbox of this process. Standard input is a request of tool protocol v1, standard output its reply.
import { canceled, orAborted } from '../../egress/deadline.ts';
import { redact } from '../../egress/redact.ts';
import { CallError, type CallErrorCode, type ToolRef } from '../../engine/ports.ts';
import { toolVariables } from '../isolation/tool-variables.ts';
import { readReply } from '../protocol/reply.ts';
import { protocolRequest, TOOL_CONTRACT_VERSION } from '../protocol/request.ts';
import {
  OUTPUT_MAX_BYTES,
  toolTitle,
  type RuntimeDeps,
  type ToolAnswer,
  type ToolCall,
  type ToolPortConfig,
  type ToolRun,
  type ToolRuntime,
} from '../runtime.ts';
import { createModuleStore, type LoadedModule, type ModuleStore } from './module-store.ts';
import { createSandboxPool, type SandboxPool, type SandboxResult } from './sandbox-pool.ts';
import { WASI_FUNCTIONS } from './wasi-functions.ts';
import { policyError, wasmSettings, type WasmSettings } from './wasm-settings.ts';

const STDERR_MAX_BYTES = 4 * 1024;
const STDERR_SHOWN_CHARS = 300;
/** A reply wraps the output, so it may be larger than that. */
const REPLY_MAX_BYTES = 2 * OUTPUT_MAX_BYTES;

export type WasmToolDeps = Pick<RuntimeDeps, 'egress' | 'clock' | 'config' | 'permittedBy'>;

export function createWasmToolRuntime({ egress, clock, config, permittedBy }: WasmToolDeps): ToolRuntime {
  const modules = createModuleStore({ egress, clock, allowPrivate: config.allowPrivateEndpoints, permittedBy });
  const pool = createSandboxPool(config.ceilings.wasmMemoryTotalBytes);
  return {
    type: 'wasm',
    prepare: (call) => prepare(call, checkedSettings(call.tool, config), modules),
    async run(call) {
      const settings = checkedSettings(call.tool, config);
      const loaded = await orAborted(modules.load(call.tool, settings), call.signal);
      return answerOf(call, { loaded, result: await execute(call, { loaded, settings, pool }) });
    },
    close: () => pool.close(),
  };
}

/** Fetching and compiling happen once per module, and are not part of a call's time. What may pass is retried by the attempts. */
async function prepare(...[call, settings, modules]: [ToolCall, WasmSettings, ModuleStore]): Promise<void> {
  const { signal, tool } = call;
  try {
    await orAborted(modules.load(tool, settings), signal);
  } catch (error) {
    if (signal.aborted) throw canceled(`call of ${toolTitle(tool)}`, signal);
    if (!(error instanceof CallError && error.retryable)) throw error;
  }
}

/** Throws CallError `runtime_policy_invalid`. */
export function checkedSettings(tool: ToolRef, { ceilings }: Pick<ToolPortConfig, 'ceilings'>): WasmSettings {
  const mode = tool.spec.runtime.isolation_mode;
  if (mode === 'none' || mode === 'sandboxed' || mode === 'wasm') return wasmSettings(tool, ceilings);
  throw policyError(
    tool,
    `has spec.runtime.isolation_mode "${mode}"; a wasm tool runs in a sandbox of its own, so leave it out`,
    'isolation_mode',
  );
}

interface PreparedModule {
  readonly loaded: LoadedModule;
  readonly settings: WasmSettings;
  readonly pool: SandboxPool;
}

function execute(call: ToolRun, { loaded, settings, pool }: PreparedModule): Promise<SandboxResult> {
  const job = {
    module: loaded.module,
    memoryMaxBytes: loaded.memoryMaxBytes,
    entrypoint: settings.entrypoint,
    functions: [...WASI_FUNCTIONS],
    stdin: Buffer.from(JSON.stringify(protocolRequest(call, call.attempt))),
    env: variablesOf(call),
    outputMaxBytes: REPLY_MAX_BYTES,
    stderrMaxBytes: STDERR_MAX_BYTES,
  };
  return pool.run(job, call.signal);
}

/** Credentials only: the rest is in the request. */
function variablesOf(call: ToolRun): string[] {
  const variables = Object.entries(toolVariables(call)).filter(([name]) => name.startsWith('TOOL_AUTH_'));
  return variables.map(([name, value]) => `${name}=${value}`);
}

interface Ran {
  readonly loaded: LoadedModule;
  readonly result: SandboxResult;
}

function answerOf(call: ToolRun, ran: Ran): ToolAnswer {
  const isolation = factsOf(ran);
  const title = toolTitle(call.tool);
  try {
    requireSuccess(call, ran.result);
    const output = readReply(Buffer.from(ran.result.stdout).toString('utf8'), title);
    return { output, contractVersion: TOOL_CONTRACT_VERSION, isolation };
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const { code, message, retryable, reason } = error;
    throw new CallError(code, message, { retryable, isolation, ...(reason !== undefined && { reason }) });
  }
}

function factsOf({ loaded, result }: Ran) {
  return {
    mode: 'wasm',
    backend: 'wasm',
    module_sha256: loaded.sha256,
    memory_bytes: loaded.memoryMaxBytes,
    memory_used_bytes: result.memoryBytes,
    network: 'none',
    read_only: true,
    capabilities: [],
    ...(result.ending === 'returned' && { exit_code: result.exitCode }),
    warm: result.warm,
  };
}

type FailureText = readonly [code: CallErrorCode, reason: string, problem: string];

const FAILURES: Readonly<Record<Exclude<SandboxResult['ending'], 'returned'>, FailureText>> = {
  trapped: ['execution_failed', 'trap', 'trapped'],
  exhausted: ['execution_failed', 'resources_exhausted', 'used up its stack or memory'],
  thread_lost: ['execution_failed', 'resources_exhausted', 'exceeded the limits of its sandbox'],
  flooded: ['execution_failed', 'output_flood', `wrote more than ${REPLY_MAX_BYTES} bytes`],
  unlinkable: ['runtime_policy_invalid', 'invalid_module', 'imports WASI functions with a wrong signature'],
};

/** A module is deterministic as far as it can be, so what it did once is not retried. Its stderr is passed on, for the model to react to. */
function requireSuccess(call: ToolRun, { ending, exitCode, problem, stderr }: SandboxResult): void {
  if (ending === 'returned' && exitCode === 0) return;
  const [code, reason, text]: FailureText =
    ending === 'returned' ? ['execution_failed', 'exit_code', `ended with exit code ${exitCode}`] : FAILURES[ending];
  const why = problem === '' ? '' : ` (${problem.slice(0, 200)})`;
  const said = redact(Buffer.from(stderr).toString('utf8'), call.credentials.secrets)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, STDERR_SHOWN_CHARS);
  throw new CallError(code, `${toolTitle(call.tool)} ${text}${why}${said === '' ? '' : `: ${said}`}`, { retryable: false, reason });
}
