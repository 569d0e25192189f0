// Columns that show the use of a row's object: how often it ran in the last 30 days, how that ended, what it cost, and when it ran last.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, type ReactNode } from 'react';
import type { Resource } from '@svc/shared/resource';
import { api } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import { useAfterChanges } from '../../../live/use-after-changes.ts';
import { isOfRun } from '../../runs/model/run-changes.ts';
import { formatCost, formatDateTime, formatNumber, formatPercent } from '../../../ui/format.ts';
import { Skeleton } from '../../../ui/Skeleton.tsx';
import type { DataColumn } from '../../../ui/table-model.ts';
import { Time } from '../../../ui/Time.tsx';
import { refOf } from '../object-traits.ts';

const DAYS = 30;
/** Figures of 30 days need not follow each run. */
const AFTER_MS = 15_000;

type ObjectUse = (typeof api.statistics.use)['~types']['output'];

type Ends = Pick<ObjectUse, 'succeeded' | 'failed' | 'deadLettered' | 'cancelled' | 'denied'>;

/** Runs that ended, in any way. */
function ended({ cancelled, denied, ...rest }: Ends): number {
  return settled(rest) + cancelled + denied;
}

/** Runs that a rate of success is of: cancelled and denied ones neither succeeded nor failed. */
function settled({ succeeded, failed, deadLettered }: Pick<Ends, 'succeeded' | 'failed' | 'deadLettered'>): number {
  return succeeded + failed + deadLettered;
}

const none = <span className="text-faint">–</span>;

interface UseColumn {
  readonly id: string;
  readonly title: string;
  readonly width: number;
  readonly show: (use: ObjectUse) => ReactNode;
}

const COLUMNS: readonly UseColumn[] = [
  { id: 'runs', title: `Runs, ${DAYS} d`, width: 88, show: (use) => <Runs use={use} /> },
  { id: 'success', title: 'Success', width: 76, show: (use) => (settled(use) === 0 ? none : formatPercent(use.succeeded / settled(use))) },
  { id: 'cost', title: 'Cost', width: 76, show: (use) => <Cost use={use} /> },
  {
    id: 'last-run',
    title: 'Last run',
    width: 80,
    show: ({ lastEndedAt }) => (lastEndedAt === undefined ? none : <Time at={lastEndedAt} />),
  },
];

export const usageColumns: readonly DataColumn<Resource>[] = COLUMNS.map(({ id, title, width, show }) => ({
  id,
  title,
  width,
  grow: 0,
  ...(id !== 'last-run' && { align: 'end' as const }),
  cell: (row) => <UseCell row={row} show={show} />,
}));

/** Reads the figures of all rows again, some seconds after runs have changed. */
export function useFreshUsage(): void {
  const queries = useQueryClient();
  const read = useCallback(() => void queries.invalidateQueries(api.statistics.use.pathFilter()), [queries]);
  useAfterChanges(isOfRun, read, AFTER_MS);
}

/** The figures of a row are read while it is visible, once for all its columns. */
function UseCell({ row, show }: { readonly row: Resource; readonly show: UseColumn['show'] }) {
  const { data, error } = useQuery(api.statistics.use.queryOptions({ of: refOf(row), days: DAYS }));
  if (data) return <span className="tabular-nums">{show(data)}</span>;
  if (error === null) return <Skeleton className="w-10" />;
  return (
    <span className="text-faint" title={problemOf(error).message}>
      ?
    </span>
  );
}

function Runs({ use }: { readonly use: ObjectUse }) {
  const notes = [
    use.since !== undefined && `Counted since ${formatDateTime(Date.parse(use.since), 'local')}`,
    use.incomplete && 'At least: the agent is part of more systems than are added up',
  ].filter((note) => typeof note === 'string');
  const count = ended(use);
  return (
    <span title={notes.length > 0 ? notes.join('\n') : undefined} className={count === 0 ? 'text-faint' : undefined}>
      {use.incomplete && '≥ '}
      {formatNumber(count)}
    </span>
  );
}

function Cost({ use }: { readonly use: ObjectUse }) {
  if (ended(use) === 0) return none;
  const lacking = use.unpricedRuns > 0;
  if (lacking && use.costUsd === 0) return <span title="No price is known for the model calls of these runs">?</span>;
  return (
    <span title={lacking ? `At least: no price is known for calls of ${formatNumber(use.unpricedRuns)} of these runs` : undefined}>
      {lacking && '≥ '}
      {formatCost(use.costUsd)}
    </span>
  );
}
