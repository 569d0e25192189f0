// Result of verifying a decision record, in two words.
import { BadgeCheck, ShieldQuestion, ShieldX } from 'lucide-react';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import type { CheckedRecord } from './use-record.ts';

export interface VerificationBadgeProps {
  readonly check: CheckedRecord['check'] | undefined;
  readonly failed: boolean;
}

export function VerificationBadge({ check, failed }: VerificationBadgeProps) {
  if (failed)
    return (
      <Badge tone="danger" icon={<ShieldX />}>
        not checked
      </Badge>
    );
  if (!check) return <Skeleton className="h-4 w-20" />;
  if (check.state === 'broken' || check.state === 'missing')
    return (
      <Badge tone="danger" icon={<ShieldX />}>
        {check.state}
      </Badge>
    );
  if (check.state === 'unchecked')
    return (
      <Badge tone="warn" icon={<ShieldQuestion />}>
        not checked
      </Badge>
    );
  return (
    <Badge tone="ok" icon={<BadgeCheck />}>
      {check.state === 'whole' ? 'verified' : 'hash checked'}
    </Badge>
  );
}
