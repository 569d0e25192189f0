// The middle of the inbox: the selected approval, open or closed, with the reason why it cannot be decided.
import { Inbox } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { announce } from '../../../ui/feedback/announcer.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import type { Approval, ApprovalKind, Place } from '../model/approval.ts';
import { ClosedDecision } from '../decision/ClosedDecision.tsx';
import { ContextPane } from '../decision/ContextPane.tsx';
import { TaskDecision } from '../decision/TaskDecision.tsx';
import { ToolDecision } from '../decision/ToolDecision.tsx';
import type { useApproval } from '../model/use-approvals.ts';
import { useApprovalContent } from '../model/use-approval-content.ts';
import { useExpired } from '../decision/use-expired.ts';
import { useConcurrentDecision } from '../decision/use-concurrent-decision.ts';
import { LoadingSkeleton } from '../../../ui/feedback/Skeleton.tsx';

export interface DecisionPaneProps {
  readonly place: Place & { readonly kind: ApprovalKind };
  readonly query: ReturnType<typeof useApproval>;
  /** The uid seen when it was opened; a later object of this name is a different object. */
  readonly onDecided: (decided: Approval) => void;
  readonly onNext: (() => void) | undefined;
  /** False where the page around it is the context. */
  readonly withContext?: boolean;
}

/** After an approval has appeared: a key that was meant for it came too early, and what follows was typed as its reason. */
const EARLY_KEYS_MS = 1_500;

export function DecisionPane({ place, query, onDecided, onNext, withContext = true }: DecisionPaneProps) {
  const { approval, missing, error, isError, refetch } = query;
  const [early, setEarly] = useState(false);
  const shown = approval?.uid;
  useEffect(() => {
    if (!early || shown === undefined) return;
    const timer = setTimeout(() => setEarly(false), EARLY_KEYS_MS);
    return () => clearTimeout(timer);
  }, [early, shown]);
  useConcurrentDecision({ approval, missing });
  if (missing) return <Gone place={place} onNext={onNext} />;
  if (approval)
    return <Present key={approval.uid} early={early} approval={approval} onDecided={onDecided} onNext={onNext} withContext={withContext} />;
  if (isError)
    return (
      <div className="p-5">
        <ErrorCard error={error} title="This approval could not be loaded" onRetry={() => void refetch()} />
      </div>
    );
  return <Loading onKey={() => setEarly(true)} />;
}

function Loading({ onKey }: { readonly onKey: () => void }) {
  const run = () => {
    onKey();
    announce('The approval is loading. Nothing was decided.');
  };
  useShortcut({ group: 'Approvals', id: 'approvals.approve', keys: 'a', label: 'Approve', run });
  useShortcut({ group: 'Approvals', id: 'approvals.deny', keys: 'd', label: 'Deny', run });
  return (
    <LoadingSkeleton
      label="Loading the approval"
      className="mx-auto w-full max-w-4xl gap-4 p-5"
      parts={['h-6 w-2/3', 'h-40 w-full', 'h-40 w-full']}
    />
  );
}

function Gone({ place, onNext }: Pick<DecisionPaneProps, 'place' | 'onNext'>) {
  return (
    <div tabIndex={-1} data-decision-title className="focus-visible:outline-none">
      <EmptyState
        cause="none"
        icon={<Inbox />}
        title="This approval no longer exists"
        action={
          onNext && (
            <Button variant="primary" onClick={onNext}>
              Next approval
            </Button>
          )
        }
      >
        <UntrustedText
          text={`${place.kind} ${place.namespace}/${place.name} was deleted, alone or with its run. Deleting a pending approval denies it.`}
        />
      </EmptyState>
    </div>
  );
}

interface PresentProps extends Pick<DecisionPaneProps, 'onDecided' | 'onNext' | 'withContext'> {
  readonly approval: Approval;
  /** A key of a decision was pressed before the approval was on screen. */
  readonly early: boolean;
}

function Present({ approval, early, onDecided, onNext, withContext }: PresentProps) {
  const { reason } = useCanWrite('approver');
  const expired = useExpired(approval.expiresAt);
  const { answer } = useApprovalContent(approval);
  const context = withContext === true && <ContextPane approval={approval} />;
  if (approval.phase !== 'Pending') return <ClosedDecision approval={approval} context={context} />;
  const refused = reason ?? answer?.refused ?? (early ? 'It has just appeared. Press the key again in a moment.' : undefined);
  const blocked = expired ? 'It has expired; the server is closing it.' : refused;
  const shared = { blocked, onDecided, onNext, context };
  return (
    <>
      {expired && <Banner tone="warn">This approval has expired and can no longer be decided. Its run receives the expiry.</Banner>}
      {!expired && answer?.needs_other === true && answer.refused === undefined && (
        <Banner tone="info">The approver must not be the person who created the run or last changed the rule. You may decide.</Banner>
      )}
      {approval.kind === 'ToolApproval' ? (
        <ToolDecision approval={approval} {...shared} />
      ) : (
        <TaskDecision approval={approval} {...shared} />
      )}
    </>
  );
}
