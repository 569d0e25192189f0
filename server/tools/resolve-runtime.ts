// Stage "resolve" and "isolation" of a call: the Tool's type and isolation_mode → the runtime that runs it. Pure; fails closed.
import { CallError, type ToolRef } from '../engine/ports.ts';
import { toolTitle } from './runtime.ts';

/** One runtime, or a substitute, for each type. */
export interface ByRuntime<Runtime> {
  /** By the value of `Tool.spec.type`. */
  readonly byType: ReadonlyMap<string, Runtime>;
  /** Runtime of tools that run in containers and Jobs, of any type but cli and wasm. */
  readonly contained: Runtime;
}

const CONTAINED: ReadonlySet<string> = new Set(['container', 'sandboxed', 'kubernetes']);
/** Types that bring their own isolation: they judge the mode themselves. */
const SELF_ISOLATED: ReadonlySet<string> = new Set(['cli', 'wasm', 'mcp', 'a2a', 'memory']);

/** Throws CallError `unsupported_tool` or `runtime_policy_invalid`. */
export function resolveRuntime<Runtime>(tool: ToolRef, { byType, contained }: ByRuntime<Runtime>): Runtime {
  const { type, runtime: settings } = tool.spec;
  const runtime = byType.get(type);
  if (!runtime) throw unsupported(tool, type, [...byType.keys()]);
  if (SELF_ISOLATED.has(type)) return runtime;
  const mode = settings.isolation_mode;
  if (mode === 'none') return runtime;
  if (CONTAINED.has(mode)) return contained;
  throw new CallError(
    'runtime_policy_invalid',
    `${toolTitle(tool)} has spec.runtime.isolation_mode "${mode}", which tools of type ${type} cannot have; use none, container, sandboxed or kubernetes`,
    { retryable: false, reason: 'isolation_mode' },
  );
}

function unsupported(tool: ToolRef, type: string, runs: readonly string[]): CallError {
  const message = `${toolTitle(tool)} has type "${type}", which this server does not run; it runs ${runs.join(', ')}`;
  return new CallError('unsupported_tool', message, { retryable: false, reason: 'unsupported_type' });
}
