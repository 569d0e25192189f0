// The reply to a tool call that came from outside, after the call itself had only been accepted. It ends the call as its own answer would have.
import type { ToolReply } from '../ports.ts';
import type { CallTag, Entry } from './entries.ts';
import { stepTag } from './scope.ts';
import type { CallState, RunState } from './state.ts';
import { authOf } from './tool-auth.ts';
import { toolOf } from './verdicts.ts';

/** Replies come in the tool protocol only. */
const TOOL_CONTRACT = 'v1';

export interface GivenReply {
  readonly requestId: string | undefined;
  readonly reply: ToolReply | undefined;
}

/** Undefined where no call of that id is in flight: it was answered, was never sent, or its turn is over. */
export function replyEntry(state: RunState, { requestId, reply }: GivenReply, at: number): Entry | undefined {
  if (requestId === undefined || requestId === '' || !reply) return undefined;
  const found = callThatIsOut(state, requestId);
  if (!found) return undefined;
  const { tag, call, facts } = found;
  const data = { ...tag, input: call.input ?? {}, ...facts, latency_ms: Math.max(0, at - call.sentAt) };
  if (reply.status === 'ok')
    return { type: 'tool.completed', at, data: { ...data, source: 'tool', output: reply.output, contract_version: TOOL_CONTRACT } };
  const { code, reason, message, retryable } = reply.error;
  return { type: 'tool.failed', at, data: { ...data, code, message, retryable, ...(reason !== undefined && { reason }) } };
}

interface CallOut {
  readonly tag: CallTag;
  readonly call: CallState;
  readonly facts: ReturnType<typeof authOf>;
}

/** A reply to a call with a pending approval counts when the call was sent: the approval is then obsolete. */
function callThatIsOut({ attempt }: RunState, requestId: string): CallOut | undefined {
  for (const turn of attempt?.turns.values() ?? []) {
    const call = turn.step?.calls.find((each) => each.requestId === requestId && isOut(each));
    if (!attempt || !turn.step || !call) continue;
    const { index, request } = call;
    const tag = { ...stepTag({ attempt, turn }, turn.step), index, call_id: request.id, tool: request.name, request_id: requestId };
    return { tag, call, facts: authOf(toolOf(attempt.snapshot, request.name)) };
  }
  return undefined;
}

function isOut({ phase, sentAt }: CallState): boolean {
  return phase === 'requested' || (phase === 'awaiting' && sentAt > 0);
}
