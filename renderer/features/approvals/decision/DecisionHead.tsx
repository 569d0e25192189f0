// The question, its chips and the time that is left.
import { Countdown } from '../../../ui/status/Countdown.tsx';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { subjectOf, type Approval } from '../model/approval.ts';
import { Chips } from '../model/Chips.tsx';
import type { Risk } from '../model/risk.ts';
import { RunOriginText } from '../parts/RunOriginText.tsx';
import { Sentence } from './Sentence.tsx';
import { ApprovalReason } from './ApprovalReason.tsx';

export interface DecisionHeadProps {
  readonly approval: Approval;
  readonly risk: Risk | undefined;
}

export function DecisionHead({ approval, risk }: DecisionHeadProps) {
  const open = approval.phase === 'Pending';
  return (
    <header className="flex flex-col gap-2">
      <h2 tabIndex={-1} data-decision-title className="text-lg leading-snug font-normal text-balance text-text focus-visible:outline-none">
        <Sentence approval={approval} />
      </h2>
      <div className="flex flex-wrap items-center gap-1.5">
        {open ? null : <PhasePill phase={approval.phase} kind={approval.kind} />}
        <Chips approval={approval} risk={risk} />
        {open && Number.isFinite(approval.expiresAt) && (
          <Countdown until={approval.expiresAt} label={`Approval of ${subjectOf(approval)}`} className="ml-1" />
        )}
      </div>
      {approval.origin && <RunOriginText origin={approval.origin} />}
      <ApprovalReason approval={approval} />
    </header>
  );
}
