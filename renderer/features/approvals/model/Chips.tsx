// Type of the approval at a glance: class, risk, review cycle.
import { FileSearch, ShieldAlert } from 'lucide-react';
import { Badge } from '../../../ui/status/Badge.tsx';
import type { Approval } from './approval.ts';
import { RISK_TONES, type Risk } from './risk.ts';

export interface ChipsProps {
  readonly approval: Approval;
  readonly risk: Risk | undefined;
}

const CLASS_TONES = { read: 'info', write: 'warn', delete: 'danger', admin: 'danger' } as const;

export function Chips({ approval, risk }: ChipsProps) {
  if (approval.kind === 'TaskApproval') {
    return (
      <>
        <Badge tone="info" icon={<FileSearch />}>
          review
        </Badge>
        <Badge>
          cycle {approval.cycle} of {approval.maxCycles}
        </Badge>
      </>
    );
  }
  const known = Object.hasOwn(CLASS_TONES, approval.operation);
  return (
    <>
      {approval.operation !== '' && (
        <Badge tone={known ? CLASS_TONES[approval.operation as keyof typeof CLASS_TONES] : 'neutral'}>{approval.operation}</Badge>
      )}
      {risk !== undefined && (
        <Badge tone={RISK_TONES[risk]} {...((risk === 'high' || risk === 'critical') && { icon: <ShieldAlert /> })}>
          {risk === 'unknown' ? 'risk not known' : `${risk} risk`}
        </Badge>
      )}
      {approval.unknownOutcome && <Badge tone="warn">outcome unknown</Badge>}
    </>
  );
}
