// Earlier decisions on the same tool, as precedents for the reviewer.
import { useMemo } from 'react';
import { Link } from '../../../ui/link/Link.tsx';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { Section } from '../../../ui/layout/Section.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { approvalAddress } from '../../../navigation/addresses.ts';
import { useScope } from '../../../navigation/scope.ts';
import { endOf, readApproval, type ToolApproval } from '../model/approval.ts';
import { precedentsOf, precedentsText } from './precedents.ts';
import { useApprovalList } from '../model/use-approvals.ts';

const READ = 100;
const SHOWN = 4;

export function EarlierDecisions({ approval }: { readonly approval: ToolApproval }) {
  const { scope } = useScope();
  const { namespace, tool, uid } = approval;
  const input = useMemo(
    () => ({ kind: 'ToolApproval', namespace, fieldSelector: 'status.phase!=Pending', order: '-status.closed_at', limit: READ }) as const,
    [namespace],
  );
  const { data, isPending, isError } = useApprovalList(input);
  const precedents = useMemo(() => {
    const all = (data?.pages[0]?.items ?? []).map(readApproval);
    return precedentsOf(all, { tool, uid });
  }, [data, tool, uid]);
  const all = data?.pages[0]?.continue === undefined;
  return (
    <Section
      title="Earlier decisions on this tool"
      description={isPending || isError ? undefined : precedentsText(precedents, all ? undefined : READ)}
    >
      {isPending && <Skeleton className="h-8 w-full" />}
      {isError && <p className="text-muted">They could not be read.</p>}
      <ul className="flex flex-col gap-1.5">
        {precedents.decided.slice(0, SHOWN).map((each) => (
          <li key={each.uid} className="flex flex-wrap items-center gap-x-2 text-sm">
            <PhasePill phase={each.phase} kind="ToolApproval" look="quiet" />
            {each.decision.by !== undefined && (
              <span className="text-muted">
                by <UntrustedText text={each.decision.by} />
              </span>
            )}
            {each.kind === 'ToolApproval' && each.editedInput !== undefined && <span className="text-muted">with edits</span>}
            <Link href={approvalAddress(scope, each)} look="quiet" className="text-muted">
              <Time at={endOf(each)} sentence />
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
