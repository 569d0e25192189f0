// Tool type `mcp`: calls a tool of an MCP server through the port McpCalls, and gives its result to the model. The protocol itself is in server/mcp.
import type { JsonObject } from '@svc/shared/json';
import { CallError, type InputChecks, type ToolRef } from '../../engine/ports.ts';
import { toolTitle, type CallSettings, type ToolRun, type ToolRuntime } from '../runtime.ts';
import { invalidTool } from '../tool-settings.ts';
import { outputOf, textOf, type McpResult } from './result.ts';

export interface McpCall {
  readonly tool: ToolRef;
  /** Reference to the McpServer, from the Tool's namespace. */
  readonly server: string;
  /** Name of the tool in the server's own list. */
  readonly name: string;
  readonly input: JsonObject;
  readonly signal: AbortSignal;
  /** The longest silence; each progress notification begins it again. */
  readonly idleMs: number;
  /** The longest time with progress. */
  readonly maxMs: number;
  readonly onProgress: (message: string) => void;
  /** Values of Secrets that the connection uses. */
  readonly conceal: (values: readonly string[]) => void;
}

export interface McpCalls {
  /** One `tools/call`. Rejects with CallError, or with the signal's reason when aborted; the server receives a cancellation. */
  call(call: McpCall): Promise<McpResult>;
}

/** A call that reports progress may take this many times `runtime.timeout`. */
const PROGRESS_FACTOR = 10;

const maxMs = ({ timeoutMs }: CallSettings): number => timeoutMs * PROGRESS_FACTOR;

export interface McpToolDeps {
  readonly mcp: McpCalls;
  readonly inputs: InputChecks;
}

export function createMcpToolRuntime({ mcp, inputs }: McpToolDeps): ToolRuntime {
  return {
    type: 'mcp',
    attemptMaxMs: maxMs,
    async run(call) {
      const { server, name } = requireMcpTool(call.tool);
      const { tool, input, signal, settings, conceal, onProgress } = call;
      const result = await mcp.call({
        ...{ tool, server, name, input, signal, conceal },
        idleMs: settings.timeoutMs,
        maxMs: maxMs(settings),
        onProgress: (message) => onProgress?.({ type: 'tool.progress', message }),
      });
      if (result.isError) throw failure(call, result);
      await checkStructured(tool, result, inputs);
      return { output: outputOf(result), ...(result.isolation && { isolation: result.isolation }) };
    },
  };
}

/** Throws CallError `runtime_policy_invalid`. */
export function requireMcpTool(tool: ToolRef): { readonly server: string; readonly name: string } {
  const { mcp_server_ref: server, mcp_tool_name: name, runtime } = tool.spec;
  if (server === undefined) throw invalidTool(tool, 'spec.mcp_server_ref is missing');
  if (name === undefined) throw invalidTool(tool, 'spec.mcp_tool_name is missing');
  if (runtime.isolation_mode !== 'none' && runtime.isolation_mode !== 'sandboxed') {
    const problem = `has spec.runtime.isolation_mode "${runtime.isolation_mode}", which tools of type mcp cannot have: leave it out, the McpServer decides where its program runs`;
    throw invalidTool(tool, problem);
  }
  return { server, name };
}

function failure({ tool }: ToolRun, result: McpResult): CallError {
  const text = textOf(result.content).trim();
  return new CallError('execution_failed', `${toolTitle(tool)} failed${text === '' ? '' : `: ${text}`}`, {
    retryable: false,
    reason: 'tool_error',
  });
}

async function checkStructured(tool: ToolRef, { structured }: McpResult, inputs: InputChecks): Promise<void> {
  const { output_schema: schema } = tool.spec;
  if (schema === undefined) return;
  const misfit = (problem: string, cause?: unknown) =>
    new CallError('malformed_response', `${toolTitle(tool)} ${problem}`, { retryable: false, reason: 'output_schema', cause });
  if (structured === undefined) throw misfit('sent no structured result, and its spec.output_schema demands one');
  const error = await inputs.check({ ...tool, spec: { input_schema: schema } }, structured as JsonObject);
  if (!error) return;
  const places = error.problems.map(({ path, message }) => `${path} ${message}`).join('; ');
  throw misfit(`sent a structured result that does not fit its spec.output_schema${places === '' ? '' : `: ${places}`}`, error);
}
