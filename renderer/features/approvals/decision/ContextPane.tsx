// Context of an approval: the run, its last steps, and earlier decisions.
import type { Approval } from '../model/approval.ts';
import { EarlierDecisions } from './EarlierDecisions.tsx';
import { RequestingRun } from './RequestingRun.tsx';
import { TraceExcerpt } from './TraceExcerpt.tsx';

export function ContextPane({ approval }: { readonly approval: Approval }) {
  return (
    <div className="flex flex-col gap-6">
      <RequestingRun approval={approval} />
      <TraceExcerpt key={approval.uid} approval={approval} />
      {approval.kind === 'ToolApproval' && <EarlierDecisions approval={approval} />}
    </div>
  );
}
