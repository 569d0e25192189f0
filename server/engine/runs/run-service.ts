// Operations on Task runs besides the generic resource operations. Everything here is a view of the journal or a signal to the run.
import type { ApprovalRequest, CallPlan } from '@svc/shared/api/approvals';
import type { AgentDefinition, HeldRuns, LiveText, RunDefinitions } from '@svc/shared/api/runs';
import type { JsonObject } from '@svc/shared/json';
import type { Resource } from '@svc/shared/resource';
import type { ApprovalRef } from '../approvals/approval-kind.ts';
import type { DecisionRequest } from '../approvals/decision-request.ts';
import type { RequestContext } from '../../registry/registry.ts';
import type { RetryOptions } from './retry-task.ts';

export interface ObjectRef {
  readonly namespace: string;
  readonly name: string;
}

export interface MeantTask extends ObjectRef {
  /** Uid of the intended Task; a different Task of that name is `conflict`. */
  readonly uid?: string | undefined;
}

export interface MessageFilter {
  readonly phase?: string;
  readonly from_agent?: string;
  readonly to_agent?: string;
  readonly branch_id?: string;
  readonly trace_id?: string;
  readonly limit?: number;
  /** Paging: message_id of the last one seen. */
  readonly after?: string;
}

/** Decision of a person on a run that waits at a breakpoint. */
export interface ContinueBody {
  /** Agent or turn that waits; needed where several do. */
  readonly at?: string | undefined;
  /** In place of the message into the agent; before its turn. */
  readonly input?: string | undefined;
  /** In place of its output; after its turn. */
  readonly output?: string | undefined;
  /** Ends the run as cancelled. */
  readonly end?: boolean | undefined;
  /** With `end`. */
  readonly reason?: string | undefined;
}

interface TracePageQuery {
  /** Cursor of the last entry seen. */
  readonly after: string | undefined;
  /** Steps of the run that the page covers at most, the greatest page when absent; a step may give several entries or none. */
  readonly limit?: number | undefined;
}

/** Methods reject with `not_found` when the Task is absent. */
export interface RunService {
  /** Ends a Task that is not terminal as Failed `cancelled`, aborting calls in flight; `conflict` when it is terminal or a template. */
  cancel(context: RequestContext, task: MeantTask, reason: string | undefined): Promise<Resource>;
  /** Creates `<name>-retry-<n>` from a terminal Task, optionally with other input, in another namespace or with another version of its system. With the key of an earlier retry it returns what that made. */
  retry(context: RequestContext, task: MeantTask, options?: RetryOptions): Promise<Resource>;
  /** Continues or ends a run at a breakpoint; `conflict` when it does not wait there, `invalid` when the text does not fit. */
  continue(context: RequestContext, task: MeantTask, body: ContinueBody): Promise<Resource>;
  /** Decides an approval and sends the decision to its waiting run. `conflict` when it is decided, expired or cannot be sent back, `invalid` when the request does not fit. */
  decide(context: RequestContext, approval: ApprovalRef, request: DecisionRequest): Promise<Resource>;
  /** Question of a pending approval, as its run recorded it. */
  approvalRequest(context: RequestContext, approval: ApprovalRef): Promise<ApprovalRequest>;
  /** Plans the call of a ToolApproval with an edited input; undefined without a Tool. Writes, starts and dials nothing. */
  plan(context: RequestContext, approval: ApprovalRef, input: JsonObject): Promise<CallPlan | undefined>;
  /** `{name, logs: ["<RFC3339> text", …], continue?}` */
  logs(context: RequestContext, task: ObjectRef, after: string | undefined): Promise<JsonObject>;
  agentLogs(context: RequestContext, agent: ObjectRef, after: string | undefined): Promise<JsonObject>;
  messages(context: RequestContext, task: ObjectRef, filter: MessageFilter): Promise<JsonObject>;
  metrics(context: RequestContext, task: ObjectRef): Promise<JsonObject>;
  /** One page of the trace in journal order: `{name, items: TraceEntry[], continue?}`. */
  trace(context: RequestContext, task: MeantTask, page: TracePageQuery): Promise<JsonObject>;
  /** The trace as it grows, from `after` on (absent: from the start); woken by commits, never polling fast. Ends after the entry that made the Task terminal. */
  followTrace(
    context: RequestContext,
    task: ObjectRef,
    options: { after?: string; signal: AbortSignal },
  ): Promise<AsyncIterable<readonly { cursor: string; entry: JsonObject }[]>>;
  /** Text of the Task's running model calls as it comes, first the text so far; not part of the record. Ends when aborted, at once for an ended Task. */
  followText(context: RequestContext, task: ObjectRef, signal: AbortSignal): Promise<AsyncIterable<readonly LiveText[]>>;
  /** Ticks when what is made from the Task's journal may read otherwise, at most once a second, until aborted. */
  followGrowth(context: RequestContext, task: ObjectRef, signal: AbortSignal): Promise<AsyncIterable<void>>;
  /** Runs that the worker of this name holds, among the oldest running Tasks; `more` where some were left out or not read; empty when it holds none or does not exist. */
  held(context: RequestContext, worker: string): Promise<HeldRuns>;
  /** Prompt and tools of an agent, as the attempt froze them. `not_found` for an attempt or agent that the run does not have. */
  agentDefinition(
    context: RequestContext,
    task: MeantTask,
    of: { readonly agent: string; readonly attempt: number },
  ): Promise<AgentDefinition>;
  /** Definitions that the last attempt froze. `not_found` for a Task without an attempt. */
  definitions(context: RequestContext, task: MeantTask): Promise<RunDefinitions>;
  /** Why the Task is not moving: `{name, namespace, phase, reasons: [{code, message, until?, object?}]}`, outermost first. */
  explain(context: RequestContext, task: ObjectRef): Promise<JsonObject>;
}
