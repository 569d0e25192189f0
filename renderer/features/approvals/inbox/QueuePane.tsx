// The left of the inbox: filters, the queue or why it is empty, and the selection.
import { useMemo } from 'react';
import { guideAddress } from '../../../navigation/addresses.ts';
import { useConnection } from '../../../live/connection.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Link } from '../../../ui/link/Link.tsx';
import type { Approval } from '../model/approval.ts';
import { BatchBar } from './BatchBar.tsx';
import type { InboxState, SetInbox } from './inbox-params.ts';
import { MissingApprovals } from './MissingApprovals.tsx';
import { QueueFilters } from './QueueFilters.tsx';
import { QueueList } from './QueueList.tsx';
import { QueueSkeleton } from './QueueSkeleton.tsx';
import type { Queue } from './use-queue.ts';
import type { useSelection } from './use-selection.ts';
import type { RowFocus } from './use-row-focus.ts';

export interface QueuePaneProps {
  readonly queue: Queue;
  readonly state: InboxState;
  readonly onState: SetInbox;
  readonly scope: string;
  readonly selection: ReturnType<typeof useSelection>;
  readonly onOpen: (key: string) => void;
  readonly rowFocus: RowFocus;
  readonly onDecided: (decided: Approval) => void;
}

export function QueuePane({ queue, state, onState, scope, selection, onOpen, rowFocus, onDecided }: QueuePaneProps) {
  const { items, groups, counts } = queue;
  const { failed, error, loading, retry } = queue.pending;
  const known = failed.length === 0 && (items.length > 0 || !loading);
  const chosen = useMemo(() => items.filter(({ approval }) => selection.selected.has(approval.key)), [items, selection.selected]);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <QueueFilters
        text={state.q}
        kinds={state.kind}
        risks={state.risk}
        grouping={state.group}
        counts={known ? counts : undefined}
        onChange={onState}
      />
      {queue.all.length > 0 && <MissingApprovals failed={failed} error={error} onRetry={retry} />}
      {queue.pending.cut && (
        <p role="status" className="border-b border-border bg-warn-soft px-3 py-1.5 text-sm text-warn">
          More approvals are waiting. Choose one namespace to see them all.
        </p>
      )}
      {items.length > 0 ? (
        <QueueList
          groups={groups}
          scope={scope}
          current={state.item}
          selected={selection.selected}
          onOpen={onOpen}
          rowFocus={rowFocus}
          onSelect={selection.toggle}
        />
      ) : (
        <NoItems queue={queue} scope={scope} onState={onState} />
      )}
      <BatchBar items={chosen} onClear={selection.clear} onDecided={onDecided} />
    </div>
  );
}

function NoItems({ queue, scope, onState }: Pick<QueuePaneProps, 'queue' | 'scope' | 'onState'>) {
  const { phase } = useConnection();
  const { pending, all } = queue;
  if (pending.failed.length > 0 && all.length === 0)
    return (
      <div className="p-3">
        <ErrorCard error={pending.error} title="The queue could not be loaded" onRetry={pending.retry} />
      </div>
    );
  if (pending.loading) return <QueueSkeleton />;
  if (all.length > 0)
    return (
      <EmptyState
        cause="filtered"
        title="No approvals match these filters"
        action={<Button onClick={() => onState({ kind: [], risk: [], q: '' })}>Show all {all.length}</Button>}
      />
    );
  if (phase === 'offline' || phase === 'reconnecting')
    return (
      <EmptyState cause="offline" title="No known approvals waiting">
        The server cannot be reached now. Newer approvals appear once it answers.
      </EmptyState>
    );
  return (
    <EmptyState cause="none" title="No approvals waiting" guide={<Link href={guideAddress(scope, 'approvals')}>Guide to approvals</Link>}>
      Calls that need approval and outputs under review appear here.
    </EmptyState>
  );
}
