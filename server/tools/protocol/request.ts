// Tool protocol v1, our side: the request to every tool except types http and cli (docs/tools.md). Pure.
import type { JsonObject } from '@svc/shared/json';
import type { ToolInvocation } from '../../engine/ports.ts';

export const TOOL_CONTRACT_VERSION = 'v1';

export interface ProtocolRequest {
  readonly tool_contract_version: 'v1';
  /** The same in each attempt, and after a crash. */
  readonly request_id: string;
  /** `namespace/name` of the Task. */
  readonly task_id: string;
  readonly namespace: string;
  readonly agent: string;
  readonly tool: {
    readonly name: string;
    /** The strongest of the tool's operation classes. */
    readonly operation: string;
    readonly capabilities: readonly string[];
    readonly risk_level: string;
  };
  readonly input: JsonObject;
  /** 1-based. */
  readonly attempt: number;
}

/** From weak to strong. */
const OPERATIONS = ['read', 'write', 'delete', 'admin'];

export function protocolRequest(call: ToolInvocation, attempt: number): ProtocolRequest {
  const { spec, name } = call.tool;
  return {
    tool_contract_version: TOOL_CONTRACT_VERSION,
    request_id: call.requestId,
    task_id: call.taskId,
    namespace: call.namespace,
    agent: call.agent,
    tool: {
      name,
      operation: strongest(spec.operation_classes),
      capabilities: spec.capabilities ?? [],
      risk_level: spec.risk_level,
    },
    input: call.input,
    attempt,
  };
}

/** Headers, or metadata, that go with the request. */
export function protocolHeaders(call: Pick<ToolInvocation, 'requestId'>): Record<string, string> {
  return { 'x-tool-contract-version': TOOL_CONTRACT_VERSION, 'idempotency-key': call.requestId };
}

function strongest(classes: readonly string[]): string {
  return OPERATIONS[Math.max(0, ...classes.map((name) => OPERATIONS.indexOf(name)))] ?? 'read';
}
