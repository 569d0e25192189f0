// Where a question comes from: the run, what happened just before, and what people decided before.
import type { Approval } from '../model/approval.ts';
import { EarlierDecisions } from './EarlierDecisions.tsx';
import { RunFacts } from './RunFacts.tsx';
import { TraceExcerpt } from './TraceExcerpt.tsx';

export function ContextPane({ approval }: { readonly approval: Approval }) {
  return (
    <div className="flex flex-col gap-6">
      <RunFacts approval={approval} />
      <TraceExcerpt key={approval.uid} approval={approval} />
      {approval.kind === 'ToolApproval' && <EarlierDecisions approval={approval} />}
    </div>
  );
}
