// Decided and expired approvals, the last one closed first, each with its author, its time and the state of its record.
import { useMemo, useRef } from 'react';
import { withBase } from '../../../ui/link/base-path.ts';
import { approvalAddress } from '../../../navigation/addresses.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { cn } from '../../../ui/cn.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { isPlainClick } from '../../../ui/link/navigation.ts';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { endOf, subjectOf, type Approval } from '../model/approval.ts';
import { MissingApprovals } from './MissingApprovals.tsx';
import { QueueSkeleton } from './QueueSkeleton.tsx';
import type { History } from './use-history.ts';
import { useCheckedRecord } from '../record/use-record.ts';
import { useRowFocus, type RowFocus } from './use-row-focus.ts';
import { VerificationBadge } from '../record/VerificationBadge.tsx';

export interface HistoryListProps {
  readonly history: History;
  readonly scope: string;
  readonly current: string | undefined;
  readonly filtered: boolean;
  readonly onOpen: (key: string) => void;
  readonly rowFocus: RowFocus;
}

export function HistoryList({ history, scope, current, filtered, onOpen, rowFocus }: HistoryListProps) {
  const { items, read, loading, failed, error, more, loadingMore, onMore, retry } = history;
  const rows = useMemo(() => [...items], [items]);
  const scroller = useRef<HTMLDivElement>(null);
  useRowFocus(scroller, rowFocus);
  if (loading) return <QueueSkeleton />;
  if (failed.length > 0 && rows.length === 0)
    return (
      <div className="p-3">
        <ErrorCard error={error} title="The history could not be loaded" onRetry={retry} />
      </div>
    );
  if (rows.length === 0 && more)
    return (
      <EmptyState
        cause="filtered"
        title={`None of the newest ${read} match these filters`}
        action={
          <Button busy={loadingMore} onClick={onMore}>
            Search older ones
          </Button>
        }
      />
    );
  if (rows.length === 0)
    return (
      <EmptyState cause={filtered ? 'filtered' : 'none'} title={filtered ? 'No decisions match these filters' : 'No decisions yet'}>
        {filtered ? 'Remove a filter to see more.' : 'Decisions and expired approvals appear here, each with its signed record.'}
      </EmptyState>
    );
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
      <MissingApprovals failed={failed} error={error} onRetry={retry} />
      <ul aria-label="Past approvals">
        {rows.map((approval) => (
          <HistoryRow key={approval.key} approval={approval} scope={scope} current={approval.key === current} onOpen={onOpen} />
        ))}
      </ul>
      {more && (
        <div className="p-3 text-center">
          {filtered && <p className="mb-2 text-sm text-muted">Searched the newest {read}.</p>}
          <Button size="sm" busy={loadingMore} onClick={onMore}>
            Load more
          </Button>
        </div>
      )}
    </div>
  );
}

interface HistoryRowProps extends Pick<HistoryListProps, 'scope' | 'onOpen'> {
  readonly approval: Approval;
  readonly current: boolean;
}

function HistoryRow({ approval, scope, current, onOpen }: HistoryRowProps) {
  const { decision } = approval;
  const { data, isError } = useCheckedRecord(decision.record, approval);
  return (
    <li
      className={cn(
        'relative border-b border-border px-4 py-2.5 [contain-intrinsic-size:auto_72px] [content-visibility:auto]',
        current ? 'bg-selected before:absolute before:inset-y-0 before:left-0 before:w-0.5 before:bg-accent' : 'hover:bg-hover',
      )}
    >
      <a
        href={withBase(approvalAddress(scope, approval))}
        data-key={approval.key}
        aria-current={current || undefined}
        className="block rounded-sm -outline-offset-2 after:absolute after:inset-0"
        onClick={(event) => {
          if (!isPlainClick(event)) return;
          event.preventDefault();
          onOpen(approval.key);
        }}
      >
        <span className="flex items-center gap-2">
          <span className="min-w-0 flex-1 truncate font-medium text-text">
            <UntrustedText text={subjectOf(approval)} />
          </span>
          <PhasePill phase={approval.phase} kind={approval.kind} look="quiet" />
        </span>
        <span className="mt-0.5 block truncate text-sm text-muted">
          <UntrustedText text={approval.task.name} /> · {decision.by === undefined ? 'nobody' : <UntrustedText text={decision.by} />} ·{' '}
          <Time at={endOf(approval)} sentence />
        </span>
        <span className="mt-1 flex items-center gap-1.5 text-sm text-muted">
          {decision.record === undefined ? 'no record: nobody decided it' : <VerificationBadge check={data?.check} failed={isError} />}
          {decision.record !== undefined && `record ${decision.record}`}
        </span>
      </a>
    </li>
  );
}
