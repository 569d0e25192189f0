// An output under review: the output, its changes since the last version, comments, and the decision.
import { sendBackProblem, subjectOf, type TaskApproval } from '../model/approval.ts';
import { DecisionBar } from './DecisionBar.tsx';
import { DecisionHead } from './DecisionHead.tsx';
import { OutputCard } from './OutputCard.tsx';
import { ReviewThread } from './ReviewThread.tsx';
import type { OpenDecisionProps } from './ToolDecision.tsx';
import { useDecision } from './use-decision.ts';
import { useApprovalDraft } from './use-approval-draft.ts';
import { useVersions } from './use-versions.ts';

const NOTHING = {};

export function TaskDecision({ approval, blocked, onDecided, onNext, context }: OpenDecisionProps<TaskApproval>) {
  const [comment, setComment] = useApprovalDraft(approval.uid, 'comment', '');
  const { data } = useVersions(approval);
  const control = useDecision({ approval, risk: undefined, extra: NOTHING, comment, blocked, onDecided });
  return (
    <>
      <div className="min-h-0 flex-1 overflow-y-auto" data-decision-scroll>
        <div className="mx-auto flex w-full max-w-4xl flex-col gap-4 px-5 py-4 max-sm:px-4">
          <DecisionHead approval={approval} risk={undefined} />
          <OutputCard approval={approval} before={data?.versions[0]} />
          {data && <ReviewThread {...data} />}
          <div className="@min-[62rem]/inbox:hidden">{context}</div>
        </div>
      </div>
      <DecisionBar
        control={control}
        subject={subjectOf(approval)}
        approveLabel="Approve"
        approveConsequence={`Run ${approval.task.name} continues with exactly this output.`}
        denyConsequence={`Run ${approval.task.name} ends as Denied, and this output is not used.`}
        blocked={blocked}
        approveBlocked={undefined}
        changes={{ blocked: sendBackProblem(approval) }}
        comment={comment}
        onComment={setComment}
        onNext={onNext}
      />
    </>
  );
}
