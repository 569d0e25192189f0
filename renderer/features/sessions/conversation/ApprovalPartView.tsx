// An approval where it happens in the conversation, decided as in the inbox.
import type { ApprovalPart } from '@svc/shared/sessions/conversation';
import { CircleUser } from 'lucide-react';
import { approvalAddress } from '../../../navigation/addresses.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Link } from '../../../ui/link/Link.tsx';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { useApproval } from '../../approvals/model/use-approvals.ts';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Suspense } from 'react';

const DecisionPane = lazyPart(async () => (await import('../../approvals/parts/DecisionPane.tsx')).DecisionPane);

export interface ApprovalPartViewProps {
  readonly part: ApprovalPart;
  readonly namespace: string;
  readonly scope: string;
  /** One approval at a time is open: its keys are those of the page. */
  readonly open: boolean;
  readonly onOpen: () => void;
}

const DECISION_PHASES: Readonly<Record<string, string>> = {
  approved: 'Approved',
  denied: 'Denied',
  request_changes: 'ChangesRequested',
  changes_requested: 'ChangesRequested',
  expired: 'Expired',
};

export function ApprovalPartView({ part, namespace, scope, open, onOpen }: ApprovalPartViewProps) {
  const { kind, name, decision, decidedBy, reason } = part;
  const address = approvalAddress(scope, { kind, namespace, name });
  if (decision !== undefined)
    return (
      <div className="flex flex-wrap items-center gap-2 rounded-md border border-border bg-surface px-3 py-1.5 text-sm">
        <PhasePill look="quiet" phase={DECISION_PHASES[decision] ?? decision} />
        {decidedBy !== undefined && (
          <span className="text-muted">
            by <UntrustedText text={decidedBy} />
          </span>
        )}
        <Link href={address} className="ml-auto">
          Decision
        </Link>
      </div>
    );
  return (
    <section aria-label="Approval needed" className="overflow-hidden rounded-lg border border-waiting bg-bg">
      <header className="flex flex-wrap items-center gap-2 bg-waiting-soft px-3 py-2 text-sm">
        <CircleUser aria-hidden className="size-4 text-waiting" />
        <span className="font-medium text-waiting">Your decision is needed</span>
        {reason !== undefined && !open && <UntrustedText text={reason} className="min-w-0 flex-1 text-text" />}
        <span className="ml-auto flex items-center gap-3">
          {!open && (
            <Button size="sm" onClick={onOpen}>
              Decide here
            </Button>
          )}
          <Link href={address}>Open in the inbox</Link>
        </span>
      </header>
      {open && <OpenApproval part={part} namespace={namespace} />}
    </section>
  );
}

/** The event of the decision replaces this card, so nothing has to happen after it. */
const nothing = () => undefined;

function OpenApproval({ part: { kind, name }, namespace }: Pick<ApprovalPartViewProps, 'part' | 'namespace'>) {
  const place = { kind, namespace, name };
  const query = useApproval(place);
  return (
    <div className="@container/inbox flex max-h-[min(34rem,70vh)] flex-col low-session:max-h-none">
      <Suspense fallback={<Skeleton className="m-4 h-40" />}>
        <DecisionPane place={place} query={query} onDecided={nothing} onNext={undefined} withContext={false} />
      </Suspense>
    </div>
  );
}
