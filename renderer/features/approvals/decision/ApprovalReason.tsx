// Reason for the review: the words of the rule, and the rule itself.
import { MessageSquareQuote } from 'lucide-react';
import { verdictKinds } from '../../../kinds/kind-table.ts';
import { Link } from '../../../ui/link/Link.tsx';
import { Mono } from '../../../ui/text/Mono.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { objectAddress, simulatorAddress } from '../../../navigation/addresses.ts';
import { parseRule, type Approval, type TaskApproval, type ToolApproval } from '../model/approval.ts';

export function ApprovalReason({ approval }: { readonly approval: Approval }) {
  const { reason } = approval;
  const rule = approval.kind === 'ToolApproval' ? approval.rule : reviewPointOf(approval);
  const parsed = parseRule(rule);
  return (
    <div className="flex gap-2 text-base text-muted">
      <MessageSquareQuote aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" />
      <div className="min-w-0">
        <span className="sr-only">Reason for the review: </span>
        {reason === '' ? 'No reason is given.' : <UntrustedText block text={reason} className="text-text" />}
        {rule !== '' && (
          <p className="text-sm">
            Asked by{' '}
            {parsed ? (
              <>
                <Link className="underline" href={objectAddress(parsed, undefined, { tab: 'yaml', path: parsed.path })}>
                  {parsed.kind} {parsed.name}
                </Link>{' '}
                <Mono>{parsed.path}</Mono>
                {approval.kind === 'ToolApproval' && verdictKinds.includes(parsed.kind) && (
                  <>
                    {' · '}
                    <Link className="underline" href={tryAddress(approval, parsed)}>
                      Try another rule
                    </Link>
                  </>
                )}
              </>
            ) : (
              <UntrustedText text={rule} />
            )}
          </p>
        )}
      </div>
    </div>
  );
}

function reviewPointOf({ checkpoint, wholeTask }: TaskApproval): string {
  return `review point ${checkpoint} of the system, ${wholeTask ? 'for the output of the whole run' : 'for the output of this agent'}`;
}

/** Opens the same call in the simulator, where a rule that asks too often or too rarely can be changed. */
function tryAddress({ namespace, agent, tool, operation, task }: ToolApproval, rule: NonNullable<ReturnType<typeof parseRule>>): string {
  const named = ({ namespace: home, name }: ToolApproval['tool']) => (home === namespace ? name : `${home}/${name}`);
  return simulatorAddress(namespace, { agent, tool: named(tool), operation, task: named(task), rule });
}
