// Reads the decision in an approval's stored status, in the form its run receives. An inconsistent status permits nothing.
import { hashedCallText } from '@svc/shared/call-hash';
import { defined } from '@svc/shared/kinds/clean';
import { readStatus, statusOf } from '@svc/shared/kinds/read';
import { ANSWERED } from '@svc/shared/kinds/tool-approval/outcomes';
import type { JsonObject } from '@svc/shared/json';
import { hashText } from '../../decisions/decision-crypto.ts';
import type { ApprovalVerdict, ReviewVerdict } from '../core/entries.ts';
import type { InputChecks } from '../ports.ts';
import { approvalStatus, TASK_APPROVAL, TOOL_APPROVAL } from './approval-kind.ts';
import { readInput } from './edited-input.ts';
import type { RequestedCall, WaitingCall, WaitingReview, WaitingRun } from './waiting-run.ts';

export type Verdict = ApprovalVerdict | ReviewVerdict;

/** An approval as far as a verdict needs it. */
interface DecidedApproval {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly status: Readonly<Record<string, unknown>>;
}

export interface VerdictInput {
  readonly approval: DecidedApproval;
  readonly waiting: WaitingRun | undefined;
  readonly inputs: Pick<InputChecks, 'checkNow'>;
}

/** `expired` stands for every decision that cannot continue the run; only the phase shows whether the time is over. */
export function verdictOf({ approval, waiting, inputs }: VerdictInput): Verdict {
  const by = decidedBy(approval);
  const { name } = approval;
  const { phase } = approvalStatus(approval);
  if (phase === 'Denied') return { name, decision: 'denied', ...by };
  if (approval.kind === TASK_APPROVAL) return reviewVerdict(approval, waiting?.kind === TASK_APPROVAL ? waiting : undefined);
  if (phase !== 'Approved') return { name, decision: 'expired' };
  if (waiting === undefined || waiting.kind === TASK_APPROVAL) return { name, decision: 'approved', ...by };
  return waiting.reason === 'unknown_outcome' ? lostCallVerdict(approval, waiting) : callVerdict({ approval, inputs }, waiting);
}

type By = Partial<Record<'decided_by' | 'on_behalf_of' | 'comment', string>>;

function decidedBy(approval: DecidedApproval): By {
  const { decided_by, on_behalf_of, comment } = approvalStatus(approval);
  return defined({ decided_by, on_behalf_of, comment });
}

function lostCallVerdict(approval: DecidedApproval, { task, call }: WaitingCall): ApprovalVerdict {
  const { name, namespace } = approval;
  const { outcome, output } = statusOf(TOOL_APPROVAL, approval);
  if (outcome === undefined) return { name, decision: 'expired' };
  const said = output !== undefined && { output };
  const again = outcome === 'run_again' && call && { call_hash: hashOf(call, { namespace, task }, call.input) };
  return { name, decision: 'approved', outcome, ...said, ...again, ...decidedBy(approval) };
}

/** A call that has not run yet is bound to the input that was approved. */
function callVerdict({ approval, inputs }: Pick<VerdictInput, 'approval' | 'inputs'>, { task, call }: WaitingCall): ApprovalVerdict {
  const { name, namespace } = approval;
  const { value: status, problems } = readStatus(TOOL_APPROVAL, approval);
  // A damaged status may have lost an edited input, so it lets nothing run.
  if (problems.length > 0) return { name, decision: 'expired' };
  const { outcome, output } = status;
  if (outcome !== undefined) {
    if (outcome !== ANSWERED || output === undefined) return { name, decision: 'expired' };
    return { name, decision: 'approved', outcome, output, ...decidedBy(approval) };
  }
  const given = status.edited_input;
  const edited = given === undefined ? undefined : readInput(given);
  const broken =
    given !== undefined && (edited === undefined || call?.sent === true || (call && inputs.checkNow(call.tool, edited)) !== undefined);
  if (!call || broken) return { name, decision: 'expired' };
  const call_hash = hashOf(call, { namespace, task }, edited ?? call.input);
  return { name, decision: 'approved', ...(edited && { edited_input: edited }), call_hash, ...decidedBy(approval) };
}

function hashOf({ tool, request_id }: RequestedCall, { namespace, task }: { namespace: string; task: string }, input: JsonObject): string {
  return hashText(hashedCallText({ tool: `${tool.namespace}/${tool.name}`, task: `${namespace}/${task}`, request_id, input }));
}

function reviewVerdict(approval: DecidedApproval, waiting: WaitingReview | undefined): ReviewVerdict {
  const { name } = approval;
  const { phase } = statusOf(TASK_APPROVAL, approval);
  const by = decidedBy(approval);
  if (phase === 'Approved') return { name, decision: 'approved', ...by };
  if (phase !== 'ChangesRequested') return { name, decision: 'expired' };
  const asks = by.comment !== undefined && by.comment.trim() !== '' && (!waiting || mayBeSentBack(waiting.review));
  return asks ? { name, decision: 'request_changes', ...by } : { name, decision: 'expired' };
}

export interface SendBackRule {
  readonly allow_request_changes: boolean;
  readonly review_cycle: number;
  readonly max_review_cycles: number;
}

/** Changes may be requested in every review cycle but the last. */
export function mayBeSentBack({ allow_request_changes, review_cycle, max_review_cycles }: SendBackRule): boolean {
  return allow_request_changes && review_cycle < max_review_cycles;
}
