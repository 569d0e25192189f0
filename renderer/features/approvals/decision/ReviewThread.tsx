// Comments of reviewers on earlier versions, oldest first.
import { Card } from '../../../ui/layout/Card.tsx';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { Link } from '../../../ui/link/Link.tsx';
import { approvalAddress } from '../../../navigation/addresses.ts';
import { useScope } from '../../../navigation/scope.ts';
import type { Versions } from './use-versions.ts';

export function ReviewThread({ versions, broken }: Versions) {
  const { scope } = useScope();
  if (versions.length === 0) return null;
  return (
    <Card title="Earlier reviews of this output">
      <ol className="flex flex-col gap-3">
        {[...versions].reverse().map((version) => (
          <li key={version.uid} className="border-l-2 border-border pl-3">
            <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
              <Link href={approvalAddress(scope, version)}>Cycle {version.cycle}</Link>
              <PhasePill phase={version.phase} kind="TaskApproval" look="quiet" />
              {version.decision.by !== undefined && <UntrustedText text={version.decision.by} />}
              <Time at={version.decision.at} sentence />
            </p>
            {version.decision.comment !== undefined && (
              <UntrustedText block text={version.decision.comment} className="mt-1 text-base text-text" />
            )}
          </li>
        ))}
      </ol>
      {broken && <p className="mt-2 text-sm text-muted">An earlier version was deleted.</p>}
    </Card>
  );
}
