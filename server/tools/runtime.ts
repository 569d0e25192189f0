// What a tool runtime is: one adapter per tool type behind the ToolPort. Knows no type.
import type { ToolInvocation, ToolOutcome, ToolRef } from '../engine/ports.ts';

export interface ToolRun extends ToolInvocation {
  readonly signal: AbortSignal;
}

export interface ToolRuntime {
  /** The value of `Tool.spec.type` it runs. */
  readonly type: string;
  /** One call with the tool's own timeout and retries; the input has passed its schema. Rejects with CallError. */
  run(call: ToolRun): Promise<ToolOutcome>;
}

/** How errors name the tool. */
export function toolTitle(tool: ToolRef): string {
  return `Tool "${tool.namespace}/${tool.name}"`;
}
