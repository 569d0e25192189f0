// The line above a list of approvals of which some could not be loaded.
import { problemOf } from '../../../live/problem.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import type { ApprovalKind } from '../model/approval.ts';

export interface MissingApprovalsProps {
  readonly failed: readonly ApprovalKind[];
  readonly error: unknown;
  readonly onRetry: () => void;
}

const NOUN = { ToolApproval: 'Calls', TaskApproval: 'Reviews' } as const;

export function MissingApprovals({ failed, error, onRetry }: MissingApprovalsProps) {
  const [kind] = failed;
  if (kind === undefined) return null;
  return (
    <Banner
      tone="danger"
      className="items-start border-b border-border"
      action={
        <Button size="sm" onClick={onRetry}>
          Retry
        </Button>
      }
    >
      {failed.length > 1 ? 'Approvals' : NOUN[kind]} could not be loaded, so some are missing here. {problemOf(error).message}
    </Banner>
  );
}
