// State of one tool call under review: reading, editing its input, answering in its place, reporting its outcome, deciding.
import { isObject, type JsonObject } from '@svc/shared/json';
import { ANSWERED, type CallOutcome } from '@svc/shared/kinds/tool-approval/outcomes';
import { useMemo } from 'react';
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import type { Approval, ToolApproval } from '../model/approval.ts';
import { readInput } from '../model/input-text.ts';
import { useApprovalContent, useRecordedTool, type ApprovalContent } from '../model/use-approval-content.ts';
import { useCallPlan, type ShownPlan } from './use-call-plan.ts';
import { useDecision, type Extra } from './use-decision.ts';
import { useInputDraft } from './use-input-draft.ts';
import { useApprovalDraft } from './use-approval-draft.ts';

interface Options {
  readonly blocked: string | undefined;
  readonly onDecided: (decided: Approval) => void;
}

/** One stable object: later answers of the server about the call do not change the choice. */
const NOTHING: Extra = {};

export type ToolDecisionState = ReturnType<typeof useToolDecision>;

export function useToolDecision(approval: ToolApproval, { blocked, onDecided }: Options) {
  const content = useApprovalContent(approval);
  const tool = useRecordedTool(approval, content);
  const [comment, setComment] = useApprovalDraft(approval.uid, 'comment', '');
  const [filling, setFilling] = useApprovalDraft<'input' | 'answer' | undefined>(approval.uid, 'filling', undefined);
  const [outcome, setOutcome] = useApprovalDraft<CallOutcome | undefined>(approval.uid, 'outcome', undefined);
  const [output, setOutput] = useApprovalDraft(approval.uid, 'output', '');
  const input = useExactInput(approval, content);
  const draft = useInputDraft(approval.uid, input);
  const { unknownOutcome } = approval;
  // The server refuses another input: the tool may know the call by its request id.
  const sent = unknownOutcome || content.answer?.call?.sent === true;
  const [editing, answering] = [filling === 'input' && !sent, filling === 'answer' && !sent];
  const extra = useMemo((): Extra => {
    if (answering) return output.trim() === '' ? NOTHING : { outcome: ANSWERED, output };
    if (unknownOutcome) return outcome === undefined ? NOTHING : { outcome, ...(outcome === 'done' && output !== '' && { output }) };
    return editing && draft.edits.length > 0 && isObject(draft.value) ? { input: draft.value } : NOTHING;
  }, [unknownOutcome, outcome, output, editing, answering, draft.edits, draft.value]);
  const control = useDecision({ approval, risk: tool.risk, extra, comment, blocked, onDecided });
  const plan = useCallPlan(approval, content, extra.input as JsonObject | undefined);
  const mayAnswer = !sent && blocked === undefined && content.answer !== undefined;
  const mayEdit = !sent && input !== undefined && blocked === undefined && tool.spec !== undefined;
  const startEditing = () => setFilling('input');
  const startAnswering = () => setFilling('answer');
  const stop = () => setFilling(undefined);
  const group = 'Approvals';
  useShortcut({ id: 'approvals.edit', keys: 'e', label: 'Edit the input', group, when: mayEdit && !editing, run: startEditing });
  const when = mayAnswer && !answering;
  useShortcut({ id: 'approvals.answer', keys: 'r', label: 'Answer in place of the call', group, when, run: startAnswering });
  return {
    content,
    tool,
    comment,
    setComment,
    editing,
    sent,
    startEditing: mayEdit ? startEditing : undefined,
    startAnswering: mayAnswer && !answering ? startAnswering : undefined,
    stop,
    draft,
    edited: extra.input !== undefined,
    control,
    plan,
    answerPanel: answering ? { answer: output, onAnswer: setOutput, onClose: stop } : undefined,
    outcomePanel: { outcome, output, onOutcome: setOutcome, onOutput: setOutput },
    approveConsequence: consequenceOf(approval, { outcome: extra.outcome, edited: extra.input !== undefined }),
    approveBlocked: approveProblem({ content, unknownOutcome, answering, extra, draft: editing ? draft.problem : undefined, input, plan }),
  };
}

const OUTCOMES: Readonly<Record<CallOutcome, string>> = {
  done: 'The agent continues as if the call succeeded.',
  not_done: 'The agent receives the result that the call did not run.',
  run_again: 'Sends the same call again with the same request ID.',
  answered: 'The call is not made. The agent continues with your answer.',
};

function consequenceOf(
  { tool }: ToolApproval,
  { outcome, edited }: { readonly outcome: CallOutcome | undefined; readonly edited: boolean },
): string {
  if (outcome !== undefined) return OUTCOMES[outcome];
  return edited ? `${tool.name} runs once, with your input instead of the agent’s.` : `${tool.name} runs once, with exactly this input.`;
}

/** The input in the run's record; without a run, the one in the object. */
function useExactInput({ input }: ToolApproval, { answer }: ApprovalContent): JsonObject | undefined {
  const own = answer?.call?.input;
  return useMemo(() => {
    const read = readInput(input);
    return own ?? (read.kind === 'object' ? read.value : undefined);
  }, [input, own]);
}

interface ApproveFacts {
  readonly content: ApprovalContent;
  readonly unknownOutcome: boolean;
  readonly answering: boolean;
  readonly extra: Extra;
  /** Problem of the edited input. */
  readonly draft: string | undefined;
  readonly input: unknown;
  readonly plan: ShownPlan;
}

/** Approving needs more information than denying, which is always possible. */
function approveProblem({ content, unknownOutcome, answering, extra: { outcome }, draft, input, plan }: ApproveFacts): string | undefined {
  if (content.error) return 'The planned call could not be loaded. Try again, or deny.';
  if (!content.answer) return 'Reading what would run…';
  if (answering) return outcome === undefined ? 'Write your answer first.' : undefined;
  if (unknownOutcome) return outcome === undefined ? 'Choose the outcome of the call first.' : undefined;
  if (draft !== undefined) return `Your edited input cannot be sent yet: ${draft}`;
  if (plan.error != null) return 'The plan of your edited input could not be read. Edit it again, or deny.';
  if (plan.updating) return 'Planning the call with your edited input…';
  return input === undefined ? 'A tool cannot be called with this input. Deny it.' : undefined;
}
