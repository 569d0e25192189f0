// First card on the page of a run that waits for people: the approvals, their expiry, and links to them.
import { CircleUser } from 'lucide-react';
import { approvalAddress } from '../../../navigation/addresses.ts';
import { cn } from '../../../ui/cn.ts';
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import { useNavigation } from '../../../ui/link/navigation.ts';
import { Countdown } from '../../../ui/status/Countdown.tsx';
import { LinkButton } from '../../../ui/button/LinkButton.tsx';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { isOpen, questionOf, type RunApproval } from '../model/run-approvals.ts';
import type { Run } from '../model/run.ts';
import { useRunApprovals } from '../model/use-run-approvals.ts';

export interface WaitingCardProps {
  readonly run: Run;
  readonly scope: string;
  readonly className?: string;
}

export function WaitingCard({ run, scope, className }: WaitingCardProps) {
  const { approvals, loading } = useRunApprovals(run);
  const open = approvals.filter(isOpen);
  if (!loading && open.length === 0) return null;
  return (
    <section
      aria-label="Waiting for approval"
      className={cn('max-h-52 min-w-0 overflow-auto rounded-lg border border-waiting/40 bg-surface shadow-raised', className)}
    >
      {loading && <Skeleton className="m-4 h-5" />}
      {open.map((approval) => (
        <OpenQuestion key={approval.metadata.uid} approval={approval} scope={scope} />
      ))}
    </section>
  );
}

function OpenQuestion({ approval, scope }: { readonly approval: RunApproval; readonly scope: string }) {
  const expires = approval.status.expires_at;
  const { go } = useNavigation();
  const href = approvalAddress(scope, { kind: approval.kind, ...approval.metadata });
  useShortcut({ id: `run.decide.${approval.metadata.name}`, label: `Approve or deny: ${questionOf(approval)}`, run: () => go(href) });
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-border/60 px-4 py-3 last:border-0">
      <CircleUser aria-hidden className="size-4 shrink-0 text-waiting" />
      <div className="min-w-0 flex-1 basis-72">
        <p className="font-medium">{questionOf(approval)}</p>
        {approval.spec.reason !== undefined && (
          <p className="text-muted">
            <UntrustedText text={approval.spec.reason.slice(0, 300)} />
          </p>
        )}
      </div>
      <PhasePill phase={approval.status.phase} kind={approval.kind} />
      {expires !== undefined && <Countdown until={expires} label={`The approval ${approval.metadata.name}`} />}
      <LinkButton variant="primary" href={href}>
        Decide in the inbox
      </LinkButton>
    </div>
  );
}
