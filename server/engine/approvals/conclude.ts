// End of an approval: its decision is recorded, signed and sent to the waiting run, all in one transaction.
import type { Decider, DecisionDraft } from '@svc/shared/decision-record';
import { parseRef } from '@svc/shared/resource';
import { specOf } from '@svc/shared/kinds/read';
import { timestamp, type Clock } from '../../clock.ts';
import { hashText } from '../../decisions/decision-crypto.ts';
import type { RecordDecision } from '../../decisions/record-decision.ts';
import { replaceStatus } from '../../registry/own-writes.ts';
import type { StoredObject, StoreTransaction } from '../../store/store.ts';
import type { ApprovalVerdict } from '../core/entries.ts';
import type { InputChecks } from '../ports.ts';
import { approvalSpec, TASK_APPROVAL, TOOL_APPROVAL } from './approval-kind.ts';
import { sendDecision } from './approval-signal.ts';
import { APPROVAL_EXPIRY_QUEUE, timerKey } from './timers.ts';
import type { Verdict } from './verdict.ts';
import type { WaitingRun } from './waiting-run.ts';

export interface ApprovalDeps {
  readonly clock: Clock;
  readonly recordDecision: RecordDecision;
  readonly inputs: Pick<InputChecks, 'checkNow'>;
  /** Every decision takes another person: `--approvals-need-other`. */
  readonly needOther: boolean;
}

export type ConcludedApproval = Pick<StoredObject, 'kind' | 'namespace' | 'name' | 'uid' | 'spec' | 'status'>;

export interface Conclusion {
  /** Stored approval; its status holds the decision. */
  readonly approval: ConcludedApproval;
  readonly waiting: WaitingRun | undefined;
  readonly verdict: Verdict;
  /** Absent: nobody, the approval expired. */
  readonly decider: Decider | undefined;
  readonly now: number;
}

/** Records the decision and sends it to the run. Returns the number of its record. The caller holds the approval's lock, and writes the object before or after. */
export async function conclude(tx: StoreTransaction, recordDecision: RecordDecision, conclusion: Conclusion): Promise<number> {
  const { approval, waiting, verdict, now } = conclusion;
  const { seq } = await recordDecision(tx, draftOf(conclusion));
  if (waiting) await sendDecision(tx, { waiting, verdict: { ...verdict, decision_record: seq }, now });
  else await tx.removeUnclaimedWork(APPROVAL_EXPIRY_QUEUE, timerKey(approval));
  return seq;
}

export interface Concluding extends Pick<Conclusion, 'verdict' | 'now'> {
  readonly approval: StoredObject;
  /** Principal of the write, by name. */
  readonly by: string;
}

/** Writes the decided object and the fact of its decision. `message` says the decision in a few words. */
export async function writeConcluded(
  tx: StoreTransaction,
  { approval, verdict, by, now }: Concluding,
  { seq, message }: { seq: number; message: string },
): Promise<StoredObject> {
  const status = { ...approval.status, decision_record: seq, closed_at: timestamp(now) };
  const decided = await replaceStatus(tx, approval, { status, now, by });
  await tx.appendFact(decided, decided.updatedAt, decisionFact(decided, verdict.decision, message));
  return decided;
}

const ACTIONS = { approved: 'approved', denied: 'denied', expired: 'expired', request_changes: 'changes_requested' } as const;

/** `toolapproval.approved`, `taskapproval.changes_requested`, … */
export function decisionFact({ kind, spec, status }: StoredObject, decision: Verdict['decision'], message: string) {
  const action = ACTIONS[decision];
  const { decided_by, on_behalf_of, outcome, decision_record } = status;
  const { task_ref: task, tool, agent, checkpoint_id, review_cycle } = spec;
  const about = kind === TASK_APPROVAL ? { agent, checkpoint_id, review_cycle } : { tool };
  const all = { task, ...about, decided_by, on_behalf_of, outcome, decision_record };
  const data = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return { type: `${kind.toLowerCase()}.${action}`, source: 'engine', action, message, data };
}

/** The signed draft holds the question of the run, not the text of the object: a client may have edited that. */
function draftOf({ approval, waiting, verdict, decider, now }: Conclusion): DecisionDraft {
  const { namespace, name, uid } = approval;
  const task = waiting
    ? { namespace, name: waiting.task, uid: waiting.stream }
    : { ...parseRef(approvalSpec(approval).task_ref, namespace), uid: '' };
  const kind = approval.kind === TASK_APPROVAL ? TASK_APPROVAL : 'ToolApproval';
  return {
    timestamp: timestamp(now),
    approval: { kind, namespace, name, uid },
    task,
    decision: verdict.decision,
    ...(kind === TASK_APPROVAL ? reviewPart(approval, waiting) : callPart(approval, waiting, verdict)),
    ...(decider && { decider }),
    ...(verdict.comment !== undefined && { comment: verdict.comment }),
  };
}

type Part = Pick<DecisionDraft, 'type'> & Partial<DecisionDraft>;

function reviewPart(approval: ConcludedApproval, waiting: WaitingRun | undefined): Part {
  if (waiting?.kind === TASK_APPROVAL) {
    const { agent, output_hash } = waiting.review;
    return { type: 'task', ...(agent !== '' && { agent }), output_hash };
  }
  const { agent, output } = specOf(TASK_APPROVAL, approval);
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  return { type: 'task', ...(agent !== undefined && { agent }), ...(output !== undefined && { output_hash: hashText(text) }) };
}

/** Fields of a verdict that describe the call. */
type SaidOfCall = Pick<ApprovalVerdict, 'name' | 'outcome' | 'output' | 'edited_input' | 'call_hash'>;

function callPart(approval: ConcludedApproval, waiting: WaitingRun | undefined, verdict: SaidOfCall): Part {
  const { outcome, output, edited_input, call_hash } = verdict;
  const decided = {
    ...(outcome !== undefined && { outcome }),
    ...(output !== undefined && { output_hash: hashText(output) }),
    ...(edited_input && { edited_input }),
    ...(call_hash !== undefined && { call_hash }),
  };
  const asked = waiting?.kind === TASK_APPROVAL ? undefined : waiting;
  const type = asked?.reason === 'unknown_outcome' ? 'unknown_outcome' : 'tool';
  if (!asked?.call) {
    const { agent, tool: ref } = specOf(TOOL_APPROVAL, approval);
    const tool = parseRef(ref, approval.namespace);
    return { type, ...(agent !== undefined && { agent }), tool: `${tool.namespace}/${tool.name}`, ...decided };
  }
  const { tool, agent, request_id, input, operation, rule } = asked.call;
  return {
    type,
    agent,
    tool: `${tool.namespace}/${tool.name}`,
    request_id,
    proposed_input: input,
    ...(operation !== undefined && { operation }),
    ...(rule && { rule }),
    ...decided,
  };
}
