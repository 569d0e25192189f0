// Approvals of a run: requests, deciders, and open ones.
import { approvalAddress } from '../../../navigation/addresses.ts';
import { Card } from '../../../ui/layout/Card.tsx';
import { Countdown } from '../../../ui/status/Countdown.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { LinkButton } from '../../../ui/button/LinkButton.tsx';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { isOpen, questionOf, type RunApproval } from '../model/run-approvals.ts';
import type { Run } from '../model/run.ts';
import { useRunApprovals } from '../model/use-run-approvals.ts';
import { beginningOf } from '../../../ui/text/whole-characters.ts';

export function ApprovalsTab({ run, scope }: { readonly run: Run; readonly scope: string }) {
  const { approvals, loading, cut, error, retry } = useRunApprovals(run);
  if (error !== null) return <ErrorCard className="m-6" title="The approvals could not be loaded" error={error} onRetry={retry} />;
  if (loading) return <Skeleton className="m-6 h-24" />;
  if (approvals.length === 0)
    return (
      <EmptyState cause="none" title="No approvals">
        Calls that need approval and outputs under review appear here.
      </EmptyState>
    );
  return (
    <div className="flex flex-col gap-3 p-6 max-sm:p-4">
      {cut && <p className="text-sm text-warn">Only the newest are shown. The inbox lists all.</p>}
      {approvals.map((approval) => (
        <ApprovalItem key={approval.metadata.uid} approval={approval} scope={scope} />
      ))}
    </div>
  );
}

const INPUT_CHARS = 600;

function ApprovalItem({ approval, scope }: { readonly approval: RunApproval; readonly scope: string }) {
  const { spec, status, metadata, kind } = approval;
  const input = approval.kind === 'ToolApproval' ? approval.spec.input : undefined;
  const edited = approval.kind === 'ToolApproval' && approval.status.edited_input !== undefined;
  return (
    <Card
      title={questionOf(approval)}
      description={
        <PeekLink object={{ kind, ...metadata }} scope={scope} look="quiet" className="font-mono">
          {metadata.name}
        </PeekLink>
      }
      actions={
        <span className="flex flex-wrap items-center gap-3">
          {isOpen(approval) && status.expires_at !== undefined && (
            <Countdown until={status.expires_at} label={`The approval ${metadata.name}`} />
          )}
          <PhasePill phase={status.phase} kind={kind} />
          <LinkButton size="sm" variant={isOpen(approval) ? 'primary' : 'secondary'} href={approvalAddress(scope, { kind, ...metadata })}>
            {isOpen(approval) ? 'Decide' : 'Open in the inbox'}
          </LinkButton>
        </span>
      }
    >
      <div className="flex flex-col gap-2">
        {spec.reason !== undefined && <UntrustedText block text={spec.reason} />}
        {input !== undefined && (
          <p className="max-h-32 overflow-auto rounded-md bg-sunken px-3 py-2">
            <UntrustedText mono text={beginningOf(input, INPUT_CHARS)} />
          </p>
        )}
        {status.decided_at !== undefined && (
          <p className="text-muted">
            {status.decision?.replaceAll('_', ' ') ?? 'Decided'} by{' '}
            <span className="font-medium text-text">{status.decided_by ?? 'somebody'}</span> <Time at={status.decided_at} sentence />
            {edited && ', with edited input'}
          </p>
        )}
        {status.comment !== undefined && status.comment !== '' && (
          <blockquote className="border-l-2 border-border-strong/50 pl-3">
            <UntrustedText block text={status.comment} />
          </blockquote>
        )}
      </div>
    </Card>
  );
}
