// Decisions that this person made a moment ago, and the progress of their runs since.
import { ANSWERED } from '@svc/shared/kinds/tool-approval/outcomes';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleSlash, Undo2, X } from 'lucide-react';
import { StatePill } from '../../../kinds/StatePill.tsx';
import { api } from '../../../live/api.ts';
import { cn } from '../../../ui/cn.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Link } from '../../../ui/link/Link.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { approvalAddress, objectAddress } from '../../../navigation/addresses.ts';
import { useScope } from '../../../navigation/scope.ts';
import { subjectOf, type Approval } from '../model/approval.ts';

export interface JustDecidedProps {
  readonly decided: readonly Approval[];
  readonly onDismiss: () => void;
}

const ICONS = { Approved: CircleCheck, Denied: CircleSlash, ChangesRequested: Undo2 } as const;
const WORDS: Readonly<Record<string, string>> = { Approved: 'Approved', Denied: 'Denied', ChangesRequested: 'Sent back' };

export function JustDecided({ decided, onDismiss }: JustDecidedProps) {
  if (decided.length === 0) return null;
  const good = decided.every(({ phase }) => phase === 'Approved');
  return (
    <section
      aria-label="Just decided"
      className={cn('flex items-start gap-2 border-b border-border px-5 py-2 max-sm:px-4', good ? 'bg-ok-soft' : 'bg-neutral-soft')}
    >
      <ul role="status" className="flex min-w-0 flex-1 flex-col gap-1">
        {decided.map((approval) => (
          <Line key={approval.uid} approval={approval} />
        ))}
      </ul>
      <IconButton size="sm" label="Dismiss" icon={<X />} onClick={onDismiss} />
    </section>
  );
}

function wordOf(approval: Approval): string {
  if (approval.kind === 'ToolApproval' && approval.outcome === ANSWERED) return 'Answered';
  return WORDS[approval.phase] ?? approval.phase;
}

function Line({ approval }: { readonly approval: Approval }) {
  const { scope } = useScope();
  const { data, isError } = useQuery(api.resources.get.queryOptions({ kind: 'Task', ...approval.task }, { retry: false }));
  const Icon = ICONS[approval.phase as keyof typeof ICONS] ?? CircleCheck;
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5 text-base text-text">
      <Icon aria-hidden className={cn('size-4 shrink-0', approval.phase === 'Approved' ? 'text-ok' : 'text-muted')} />
      <span className="min-w-0">
        {wordOf(approval)}{' '}
        <Link className="underline" href={approvalAddress(scope, approval)}>
          <UntrustedText text={subjectOf(approval)} />
        </Link>
        .
      </span>
      <span className="inline-flex min-w-0 items-center gap-1.5 text-muted">
        {isError ? (
          'No run waits for it.'
        ) : (
          <>
            {approval.phase === 'Denied' ? 'Run' : 'It continues:'}
            <Link className="underline" href={objectAddress({ kind: 'Task', ...approval.task })}>
              {approval.task.name}
            </Link>
            {data && <StatePill kind="Task" status={data.status} look="quiet" />}
          </>
        )}
      </span>
    </li>
  );
}
