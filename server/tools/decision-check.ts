// Stage "approval" of a call: one that a person had to approve runs only as it was approved. Reads the decision record; fails closed.
import { createHash } from 'node:crypto';
import { hashedCallText } from '@svc/shared/call-hash';
import { CallError, type ToolInvocation } from '../engine/ports.ts';
import { toolTitle } from './runtime.ts';

/** The signed records of what people decided. */
export interface ApprovedCalls {
  /** The hash of the call that decision record lets run, as `sha256:<hex>`; undefined when there is no such approval or its record is not to be trusted. */
  callHashOf(decision: number): Promise<string | undefined>;
}

/** Throws CallError `permission_denied` when the call is not the one that was approved. A call that nobody had to approve passes. */
export async function checkDecision(call: ToolInvocation, decisions: ApprovedCalls): Promise<void> {
  const { approved, tool } = call;
  if (!approved) return;
  const hash = callHashOf(call);
  const recorded = await readDecision(call, decisions, approved.decision);
  if (hash === approved.callHash && hash === recorded) return;
  const problem = recorded === undefined ? 'holds no approval' : 'approved another call than this one';
  throw new CallError(
    'permission_denied',
    `the call of ${toolTitle(tool)} was not made: decision record ${approved.decision} ${problem}; see npx svcctl decisions verify`,
    { retryable: false, reason: 'decision_mismatch' },
  );
}

/** The hash of a call as it would run. */
export function callHashOf({ tool, taskId, requestId, input }: ToolInvocation): string {
  const text = hashedCallText({ tool: `${tool.namespace}/${tool.name}`, task: taskId, request_id: requestId, input });
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

async function readDecision({ tool }: ToolInvocation, decisions: ApprovedCalls, decision: number): Promise<string | undefined> {
  try {
    return await decisions.callHashOf(decision);
  } catch (error) {
    throw new CallError(
      'execution_failed',
      `the call of ${toolTitle(tool)} was not made: decision record ${decision} could not be read just now`,
      { retryable: true, reason: 'decision_unreadable', cause: error },
    );
  }
}
