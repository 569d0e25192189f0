// A decided or expired approval: its request, its result, and the record that proves it.
import { ANSWERED } from '@svc/shared/kinds/tool-approval/outcomes';
import { useMemo, type ReactNode } from 'react';
import { Card } from '../../../ui/layout/Card.tsx';
import { CodeBlock } from '../../../ui/text/CodeBlock.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import type { Approval, ToolApproval } from '../model/approval.ts';
import { Bold } from './Bold.tsx';
import { DecisionHead } from './DecisionHead.tsx';
import { editsBetween } from './edits.ts';
import { EditsList } from './EditsList.tsx';
import { InputCard } from './InputCard.tsx';
import { readInput } from '../model/input-text.ts';
import { OutputCard } from './OutputCard.tsx';
import { RecordCard } from '../record/RecordCard.tsx';
import { ReviewThread } from './ReviewThread.tsx';
import { useVersions } from './use-versions.ts';
import type { TaskApproval } from '../model/approval.ts';

export interface ClosedDecisionProps {
  readonly approval: Approval;
  readonly context: ReactNode;
}

export function ClosedDecision({ approval, context }: ClosedDecisionProps) {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto" data-decision-scroll>
      <div className="flex flex-col gap-4 px-5 py-4 max-sm:px-4">
        <DecisionHead approval={approval} risk={undefined} />
        <Became approval={approval} />
        {approval.kind === 'ToolApproval' ? <ClosedCall approval={approval} /> : <ClosedReview approval={approval} />}
        <RecordCard approval={approval} />
        <div className="xl:hidden">{context}</div>
      </div>
    </div>
  );
}

const WORDS: Readonly<Record<string, string>> = { Approved: 'approved this', Denied: 'denied this', ChangesRequested: 'requested changes' };

function Became({ approval }: { readonly approval: Approval }) {
  const { decision, phase } = approval;
  const answered = approval.kind === 'ToolApproval' && approval.outcome === ANSWERED;
  const word = answered ? 'answered in place of the call' : WORDS[phase];
  return (
    <div className="text-base">
      {word === undefined ? (
        <p>
          {decision.closedBecause === undefined ? (
            'Nobody decided in time.'
          ) : (
            <UntrustedText text={`It was closed: ${decision.closedBecause}.`} />
          )}
        </p>
      ) : (
        <p>
          <Bold text={decision.by ?? 'Somebody'} />
          {decision.onBehalfOf !== undefined && <UntrustedText text={` (for ${decision.onBehalfOf})`} />} {word}{' '}
          <Time at={decision.at} sentence />.
        </p>
      )}
      {decision.comment !== undefined && (
        <blockquote className="mt-1.5 border-l-2 border-border-strong pl-3 text-text">
          <UntrustedText block text={decision.comment} />
        </blockquote>
      )}
    </div>
  );
}

function ClosedCall({ approval }: { readonly approval: ToolApproval }) {
  const { input, editedInput, outcome, output } = approval;
  const edits = useMemo(() => {
    const [before, after] = [readInput(input), readInput(editedInput ?? '')];
    return 'value' in before && 'value' in after ? editsBetween(before.value, after.value) : [];
  }, [input, editedInput]);
  return (
    <>
      {outcome !== undefined && (
        <Card title={`Outcome: ${outcome.replace('_', ' ')}`}>
          {output === undefined ? (
            <p className="text-muted">No output of the tool was reported.</p>
          ) : (
            <CodeBlock wrap text={output} label={outcome === ANSWERED ? 'Answer of the reviewer' : 'What the tool answered'} />
          )}
        </Card>
      )}
      {editedInput !== undefined && (
        <Card title="Approved with another input">
          <EditsList edits={edits} />
        </Card>
      )}
      <InputCard title={editedInput === undefined ? 'Input' : 'Requested input'} text={input} hash={approval.inputHash} />
    </>
  );
}

function ClosedReview({ approval }: { readonly approval: TaskApproval }) {
  const { data } = useVersions(approval);
  return (
    <>
      <OutputCard approval={approval} before={data?.versions[0]} />
      {data && <ReviewThread {...data} />}
    </>
  );
}
