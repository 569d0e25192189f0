// Current runs, the longest first, and runs that wait for a worker. Each explains its state on request.
import type { Resource } from '@svc/shared/resource';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { TriangleAlert } from 'lucide-react';
import { kindAddress, pageAddress } from '../../navigation/addresses.ts';
import { api } from '../../live/api.ts';
import { Card } from '../../ui/layout/Card.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { formatNumber } from '../../ui/status/format.ts';
import { Link } from '../../ui/link/Link.tsx';
import { SkeletonLines } from '../../ui/feedback/Skeleton.tsx';
import { isUnschedulable, stuckText } from '../workers/model/unschedulable.ts';
import { longestFirst } from './needs.ts';
import { RunningRow } from './RunningRow.tsx';

const READ_MAX = 100;
const SHOWN_MAX = 8;
const PHASES = ['Running', 'Pending'] as const;
/** Templates are pending forever. */
const SELECTORS = { Running: 'status.phase=Running', Pending: 'status.phase=Pending,spec.mode=run' } as const;

export interface RunningNowProps {
  readonly scope: string;
  readonly namespace: string | undefined;
}

export function RunningNow({ scope, namespace }: RunningNowProps) {
  const { runs, stuck, more, counts, loading, error, retry } = useRunning(namespace);
  const shown = runs.slice(0, SHOWN_MAX);
  const [running, pending] = counts;
  return (
    <Card
      title="Running now"
      description={running === undefined ? undefined : `${formatNumber(running)} running · ${formatNumber(pending ?? 0)} queued`}
      actions={
        <Link href={kindAddress(scope, 'Task', { phase: PHASES })} className="text-sm">
          All running
        </Link>
      }
      flush
    >
      {error !== null && (
        <ErrorCard
          error={error}
          title={runs.length === 0 ? 'The runs could not be loaded' : 'Some runs could not be loaded'}
          onRetry={retry}
          className="m-4"
        />
      )}
      {loading && <SkeletonLines widths={['w-2/3', 'w-1/2', 'w-3/5']} className="p-4" />}
      {!loading && error === null && runs.length === 0 && (
        <p className="flex flex-wrap items-center gap-x-2 px-4 py-3 text-muted">
          Nothing is running.
          <Link href={kindAddress(scope, 'AgentSystem')}>Choose a system to run</Link>
        </p>
      )}
      {stuck > 0 && <Stuck count={stuck} more={more} href={pageAddress(scope, 'workers')} />}
      <ul className="divide-y divide-border/60">
        {shown.map((run) => (
          <RunningRow key={run.metadata.uid} run={run} scope={scope} named={namespace === undefined} />
        ))}
      </ul>
    </Card>
  );
}

/** Waiting is not a problem; waiting for a missing capability is one. */
function Stuck({ count, more, href }: { readonly count: number; readonly more: boolean; readonly href: string }) {
  return (
    <p className="flex items-center gap-2 border-b border-border/60 bg-warn-soft px-4 py-2">
      <TriangleAlert aria-hidden className="size-4 shrink-0 text-warn" />
      <span className="min-w-0 flex-1 text-pretty">{stuckText(count, more)}</span>
      <Link href={href} className="text-sm">
        See what is missing
      </Link>
    </p>
  );
}

/** Runs in these phases, live. */
function useRunning(namespace: string | undefined) {
  const where = namespace === undefined ? {} : { namespace };
  const input = (phase: (typeof PHASES)[number]) => ({
    kind: 'Task',
    ...where,
    fieldSelector: SELECTORS[phase],
    order: 'createdAt' as const,
    limit: READ_MAX,
  });
  const running = useQuery(api.resources.list.queryOptions(input('Running'), { placeholderData: keepPreviousData }));
  const pending = useQuery(api.resources.list.queryOptions(input('Pending'), { placeholderData: keepPreviousData }));
  const selections = PHASES.map((phase) => ({ kind: 'Task', ...where, fieldSelector: SELECTORS[phase] }));
  const counted = useQuery(api.resources.counts.queryOptions({ selections }, { placeholderData: keepPreviousData }));
  const runs = useMemo(() => {
    const all: readonly Resource[] = [...(running.data?.items ?? []), ...(pending.data?.items ?? [])];
    return longestFirst(all);
  }, [running.data, pending.data]);
  const counts = counted.data?.map(({ count }) => count) ?? [];
  const stuck = useMemo(() => (pending.data?.items ?? []).filter(isUnschedulable).length, [pending.data]);
  return {
    runs,
    stuck,
    more: pending.data?.continue !== undefined,
    counts,
    loading: running.isPending || pending.isPending,
    error: running.error ?? pending.error,
    retry: () => void Promise.all([running.refetch(), pending.refetch()]),
  };
}
