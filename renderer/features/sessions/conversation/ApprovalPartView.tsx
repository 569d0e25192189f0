// An approval where it happens in the conversation, decided as in the inbox.
import type { ApprovalPart } from '@svc/shared/sessions/conversation';
import { CircleUser } from 'lucide-react';
import { approvalAddress } from '../../../navigation/addresses.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Link } from '../../../ui/link/Link.tsx';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import type { Place } from '../model/session.ts';
import { useApproval } from '../../approvals/model/use-approvals.ts';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Suspense } from 'react';

const DecisionPane = lazyPart(async () => (await import('../../approvals/parts/DecisionPane.tsx')).DecisionPane);

export interface ApprovalPartViewProps {
  readonly part: ApprovalPart;
  readonly place: Place | undefined;
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

export function ApprovalPartView({ part, place, open, onOpen }: ApprovalPartViewProps) {
  const { kind, name, decision, decidedBy, reason } = part;
  const address = place && approvalAddress(place.scope, { kind, namespace: place.namespace, name });
  if (decision !== undefined)
    return (
      <div className="flex flex-wrap items-center gap-2 rounded-md border border-border bg-surface px-3 py-1.5 text-sm">
        <PhasePill look="quiet" phase={(Object.hasOwn(DECISION_PHASES, decision) ? DECISION_PHASES[decision] : undefined) ?? decision} />
        {decidedBy !== undefined && (
          <span className="text-muted">
            by <UntrustedText text={decidedBy} />
          </span>
        )}
        {address !== undefined && (
          <Link href={address} className="ml-auto">
            Decision
          </Link>
        )}
      </div>
    );
  if (!place || address === undefined) return <Undecided reason={reason} />;
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
      {open && <OpenApproval part={part} namespace={place.namespace} />}
    </section>
  );
}

/** An approval of a conversation from a file: it is decided where it is, if anywhere. */
function Undecided({ reason }: { readonly reason: string | undefined }) {
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-md border border-border bg-surface px-3 py-1.5 text-sm">
      <CircleUser aria-hidden className="size-4 text-muted" />
      <span>Waited for a decision when it was exported</span>
      {reason !== undefined && <UntrustedText text={reason} className="min-w-0 text-muted" />}
    </div>
  );
}

/** The event of the decision replaces this card, so nothing has to happen after it. */
const nothing = () => undefined;

function OpenApproval({ part: { kind, name }, namespace }: { readonly part: ApprovalPart; readonly namespace: string }) {
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
