// Decisions on ToolApprovals and TaskApprovals. What a decision may be and does is the run service's; this file only translates.
import { TASK_APPROVAL, TOOL_APPROVAL, type ApprovalKind } from '../../engine/approvals/approval-kind.ts';
import type { DecisionRequest } from '../../engine/approvals/decision-request.ts';
import type { RunService } from '../../engine/runs/run-service.ts';
import { json, SMALL_BODY_MAX_BYTES, type Call, type Route } from '../route.ts';
import { namespaceParameter, objectOf } from './parameters.ts';
import { readFields } from './request-fields.ts';
import { ref } from './schemas.ts';

interface Decision {
  readonly kind: ApprovalKind;
  readonly decision: DecisionRequest['decision'];
}

interface DecisionBody extends Readonly<Record<'decided_by' | 'comment' | 'reason' | 'uid' | 'outcome', string>> {
  readonly output: unknown;
  readonly input: unknown;
}

/** `reason` is an older name of `comment`. A decision is final, so the schemas take no other fields: a misspelt one is refused, as is an outcome in a denial. */
async function readDecisionRequest(call: Call, { kind, decision }: Decision): Promise<DecisionRequest> {
  const { decided_by, comment, reason, uid, outcome, output, input } = await readFields<DecisionBody>(call);
  const takesMore = kind === TOOL_APPROVAL && decision === 'approved';
  const said = comment?.trim() ? comment : (reason ?? comment);
  const approving = takesMore && { ...(outcome !== undefined && { outcome }), output, input };
  const seen = uid !== undefined && { uid };
  return { decision, ...seen, ...(decided_by && { decided_by }), ...(said !== undefined && { comment: said }), ...approving };
}

/** An input or an output of 1 MiB, each character of it escaped as JSON text within JSON, and a comment. */
const DECISION_BODY_MAX_BYTES = 2 * 1024 * 1024 + SMALL_BODY_MAX_BYTES;

const requestBody = (description: string, schema: string, optional = true) => ({
  description,
  schema: ref(schema),
  optional,
  maxBytes: DECISION_BODY_MAX_BYTES,
});

type Text = Pick<Route, 'operationId' | 'summary' | 'description' | 'body'>;

function toolDecisions(): { readonly action: string; readonly decision: DecisionRequest['decision']; readonly text: Text }[] {
  return [
    {
      action: 'approve',
      decision: 'approved',
      text: {
        operationId: 'approveToolApproval',
        summary: 'Approve a tool call',
        description:
          'The run continues in place. A call that has not been made runs with exactly the input shown, or with `input`: edited arguments, ' +
          'which must fit the tool’s input_schema. An approval about a call of unknown outcome (annotation `svc.dev/approval-reason: unknown_outcome`) ' +
          'needs `outcome` instead: `done` (it was carried out; `output` may hold its answer), `not_done` (it was not; the model gets an error) or ' +
          '`run_again` (it is sent again with the same request id). With `outcome: answered` the call is not made, and the model gets `output` in its place. 409 when it has been decided or has expired.',
        body: requestBody('Decider and comment.', 'ApproveRequest'),
      },
    },
    {
      action: 'deny',
      decision: 'denied',
      text: {
        operationId: 'denyToolApproval',
        summary: 'Deny a tool call',
        description: 'The Task ends as Failed with reason `approval_denied`. 409 when the approval has been decided or has expired.',
        body: requestBody('Decider and comment.', 'DenyRequest'),
      },
    },
  ];
}

function taskDecisions(): ReturnType<typeof toolDecisions> {
  return [
    {
      action: 'approve',
      decision: 'approved',
      text: {
        operationId: 'approveTaskApproval',
        summary: 'Approve an output',
        description: 'The run continues with exactly the reviewed output. 409 when the approval has been decided or has expired.',
        body: requestBody('Decider and comment.', 'ReviewRequest'),
      },
    },
    {
      action: 'deny',
      decision: 'denied',
      text: {
        operationId: 'denyTaskApproval',
        summary: 'Deny an output',
        description: 'The Task ends as Failed with reason `approval_denied`. 409 when the approval has been decided or has expired.',
        body: requestBody('Decider and comment.', 'ReviewRequest'),
      },
    },
    {
      action: 'request-changes',
      decision: 'request_changes',
      text: {
        operationId: 'requestChangesOfTaskApproval',
        summary: 'Send an output back',
        description:
          'The agent gets the comment and answers again; a new TaskApproval with the next `review_cycle` supersedes this one. ' +
          '409 when `allow_request_changes` is false, when `review_cycle` has reached `max_review_cycles`, or when it has been decided or has expired.',
        body: requestBody('The requested changes. `comment` (or `reason`) is required.', 'ReviewRequest', false),
      },
    },
  ];
}

export function approvalRoutes(runs: RunService): Route[] {
  const decide = async (call: Call, decision: Decision) => {
    const approval = { kind: decision.kind, ...objectOf(call) };
    return json(await runs.decide(call.context, approval, await readDecisionRequest(call, decision)));
  };
  const routesOf = (kind: ApprovalKind, plural: string, decisions: ReturnType<typeof toolDecisions>) =>
    decisions.map(({ action, decision, text }): Route => ({
      ...text,
      method: 'POST',
      path: `/v1/${plural}/{name}/${action}`,
      access: 'approver',
      tag: kind,
      query: [namespaceParameter],
      responses: { 200: { description: `The decided ${kind}.`, schema: ref(kind) } },
      handle: (call) => decide(call, { kind, decision }),
    }));
  return [...routesOf(TOOL_APPROVAL, 'tool-approvals', toolDecisions()), ...routesOf(TASK_APPROVAL, 'task-approvals', taskDecisions())];
}
