// A tool call under review: its plan, its exact input, the way to edit it, and the decision.
import { MessageSquareReply, Scale } from 'lucide-react';
import { Suspense, useState, type ReactNode } from 'react';
import { specOf } from '../../../kinds/read.ts';
import { ShortcutKeys } from '../../../shortcuts/ShortcutKeys.tsx';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import type { Approval, ToolApproval } from '../model/approval.ts';
import { AnswerPanel } from './AnswerPanel.tsx';
import { CallPlanCard } from './CallPlanCard.tsx';
import { DecisionBar } from './DecisionBar.tsx';
import { DecisionHead } from './DecisionHead.tsx';
import { InputCard } from './InputCard.tsx';
import { InputEditor } from './InputEditor.tsx';
import { OutcomePanel } from './OutcomePanel.tsx';
import { useToolDecision, type ToolDecisionState } from './use-tool-decision.ts';

const AlwaysDialog = lazyPart(async () => (await import('./AlwaysDialog.tsx')).AlwaysDialog);

export interface OpenDecisionProps<Kind extends Approval> {
  readonly approval: Kind;
  /** Reason why nothing can be decided: no permission, no connection, expiry. */
  readonly blocked: string | undefined;
  readonly onDecided: (decided: Approval) => void;
  readonly onNext: (() => void) | undefined;
  /** The context is beside or under the rest. */
  readonly context: ReactNode;
}

export function ToolDecision({ approval, blocked, onDecided, onNext, context }: OpenDecisionProps<ToolApproval>) {
  const state = useToolDecision(approval, { blocked, onDecided });
  const { content, tool, comment, setComment } = state;
  return (
    <>
      <div className="min-h-0 flex-1 overflow-y-auto" data-decision-scroll>
        <div className="mx-auto flex w-full max-w-4xl flex-col gap-4 px-5 py-4 max-sm:px-4">
          <DecisionHead approval={approval} risk={tool.risk} />
          {content.answer?.waits === false && (
            <Banner tone="info" className="rounded-md">
              No run waits for this approval. A decision is recorded and starts nothing.
            </Banner>
          )}
          {content.error != null && (
            <ErrorCard error={content.error} title="The planned call could not be loaded" onRetry={content.retry} />
          )}
          {approval.unknownOutcome && <OutcomePanel {...state.outcomePanel} />}
          {state.answerPanel && <AnswerPanel {...state.answerPanel} />}
          <Plan approval={approval} state={state} />
          <Input approval={approval} state={state} />
          <div className="@min-[62rem]/inbox:hidden">{context}</div>
        </div>
      </div>
      <DecisionBar
        control={state.control}
        subject={approval.tool.name}
        approveLabel={approveLabel(approval, state)}
        approveConsequence={state.approveConsequence}
        denyConsequence={`The call is not made and run ${approval.task.name} ends as Denied.`}
        blocked={blocked}
        approveBlocked={state.approveBlocked}
        comment={comment}
        onComment={setComment}
        onNext={onNext}
        more={
          !approval.unknownOutcome && (
            <>
              <Answer state={state} />
              <Always approval={approval} state={state} />
            </>
          )
        }
      />
    </>
  );
}

interface PartProps {
  readonly approval: ToolApproval;
  readonly state: ToolDecisionState;
}

function approveLabel({ unknownOutcome }: ToolApproval, { answerPanel, edited }: ToolDecisionState): string {
  if (unknownOutcome) return 'Answer';
  if (answerPanel) return 'Send the answer';
  return edited ? 'Approve with edits' : 'Approve';
}

function Answer({ state: { startAnswering } }: Pick<PartProps, 'state'>) {
  return (
    startAnswering && (
      <Button variant="ghost" icon={<MessageSquareReply />} onClick={startAnswering}>
        Answer instead…
        <ShortcutKeys id="approvals.answer" keys="r" className="max-sm:hidden" />
      </Button>
    )
  );
}

/** Rules are for people who may write them. */
function Always({ approval, state: { tool } }: PartProps) {
  const { allowed } = useCanWrite();
  const [open, setOpen] = useState(false);
  const operations = tool.spec && specOf('Tool', { spec: tool.spec }).operation_classes;
  if (!allowed || tool.missing) return null;
  return (
    <>
      <Button variant="ghost" icon={<Scale />} onClick={() => setOpen(true)}>
        Always…
      </Button>
      {open && (
        <Suspense>
          <AlwaysDialog
            approval={approval}
            operations={operations?.length ? operations : [approval.operation]}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}

function Plan({ approval, state }: PartProps) {
  const { tool, content, edited } = state;
  const { plan, ...stale } = state.plan;
  if (plan)
    return (
      <CallPlanCard
        title={approval.unknownOutcome ? 'Sent call' : 'Planned call'}
        plan={plan}
        stale={stale}
        tool={approval.tool}
        ofRun={tool.ofRun}
        drift={tool.drift}
        edited={edited}
      />
    );
  // The error above already explains why there is no plan.
  if (content.error != null) return null;
  if (!content.answer) return <Skeleton className="h-40 w-full rounded-lg" />;
  return (
    <Banner tone="warn" className="rounded-md">
      {tool.missing
        ? `The Tool ${approval.tool.name} does not exist, so its call cannot be shown.`
        : 'The input is not a JSON object, so the tool cannot be called with it.'}
    </Banner>
  );
}

function Input({ approval, state }: PartProps) {
  const { editing, draft, control, tool, sent, startEditing, stop } = state;
  if (!editing) {
    const title = sent ? 'Input that was sent' : 'Input';
    const note = sent
      ? `The call was sent with this input, so the input cannot be edited. ${approval.unknownOutcome ? 'Report its outcome' : 'Approve the call as it is'}, or deny it.`
      : undefined;
    return <InputCard title={title} text={approval.input} hash={approval.inputHash} note={note} onEdit={startEditing} />;
  }
  return (
    <InputEditor
      draft={draft}
      toolName={approval.tool.name}
      schema={tool.spec && specOf('Tool', { spec: tool.spec }).input_schema}
      refused={control.refusal?.details ?? []}
      onClose={stop}
    />
  );
}
