// Columns that show the use of a row's object: how often it ran in the last 30 days, how that ended, what it cost, and when it ran last.
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, type ReactNode } from 'react';
import type { Resource } from '@svc/shared/resource';
import { api } from '../../../live/api.ts';
import type { ListPages } from '../../../live/list-pages.ts';
import { problemOf } from '../../../live/problem.ts';
import { useAfterChanges } from '../../../live/use-after-changes.ts';
import { isOfRun } from '../../runs/model/run-changes.ts';
import { formatCost, formatDateTime, formatNumber, formatPercent } from '../../../ui/status/format.ts';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import type { DataColumn, TableSort } from '../../../ui/table/table-model.ts';
import { Time } from '../../../ui/status/Time.tsx';
import { refOf } from '../object-traits.ts';

const DAYS = 30;
/** Metrics of 30 days need not follow each run. */
const AFTER_MS = 15_000;
const LAST_RUN = 'last-run';

type ObjectUse = (typeof api.statistics.use)['~types']['output'];

type Ends = Pick<ObjectUse, 'succeeded' | 'failed' | 'deadLettered' | 'cancelled' | 'denied'>;

/** Runs that ended, in any way. */
function ended({ cancelled, denied, ...rest }: Ends): number {
  return settled(rest) + cancelled + denied;
}

/** Runs of the days: those that began in them, waiting ones included, or as many as ended in them. */
const all = (use: ObjectUse): number => Math.max(use.started, ended(use));

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
  /** Sort value; the least comes first in an ascending order. */
  readonly value: (use: ObjectUse) => number;
}

/** When a run last began or ended. */
function lastRunAt({ lastStartedAt, lastEndedAt }: ObjectUse): string | undefined {
  return [lastStartedAt, lastEndedAt]
    .flatMap((at) => at ?? [])
    .sort()
    .at(-1);
}

/** Below every metric: what never ran has none. */
const NEVER = -1;

const COLUMNS: readonly UseColumn[] = [
  { id: 'runs', title: `Runs, ${DAYS} d`, width: 88, show: (use) => <Runs use={use} />, value: all },
  {
    id: 'success',
    title: 'Success',
    width: 76,
    show: (use) => (settled(use) === 0 ? none : formatPercent(use.succeeded / settled(use))),
    value: (use) => (settled(use) === 0 ? NEVER : use.succeeded / settled(use)),
  },
  { id: 'cost', title: 'Cost', width: 76, show: (use) => <Cost use={use} />, value: (use) => (ended(use) === 0 ? NEVER : use.costUsd) },
  {
    id: LAST_RUN,
    title: 'Last run',
    width: 80,
    show: (use) => {
      const at = lastRunAt(use);
      if (at !== undefined) return <Time at={at} />;
      return all(use) === 0 ? none : <span title="None of its runs has ended yet">open</span>;
    },
    // The least age is that of the newest run.
    value: (use) => -(Date.parse(lastRunAt(use) ?? '') || 0),
  },
];

/** `sorted`: whether the list can be sorted by them. */
export function usageColumns(sorted: boolean): readonly DataColumn<Resource>[] {
  return COLUMNS.map(({ id, title, width, show }) => ({
    id,
    title,
    width,
    grow: 0,
    time: id === LAST_RUN,
    ...(sorted && { sort: id === LAST_RUN ? true : ('descending' as const) }),
    ...(id !== LAST_RUN && { align: 'end' as const }),
    cell: (row) => <UseCell row={row} show={show} />,
  }));
}

/** Rows of a list that can be sorted by their use: metrics of at most this many are read at once. */
const SORTED_MAX = 200;

export interface UsageOrder {
  readonly rows: readonly Resource[];
  /** Absent: the rows are in the server's order. */
  readonly sort?: TableSort;
  /** Whether the list can be sorted by use: all of its objects are loaded. */
  readonly possible: boolean;
}

/** Rows in the order of a metric of their use, where `param` of the address names one. The metrics are the server's, of all objects. */
export function useUsageOrder(
  counted: boolean,
  param: string,
  { rows, hasMore }: Pick<ListPages<Resource>, 'rows' | 'hasMore'>,
): UsageOrder {
  const possible = counted && !hasMore && rows.length <= SORTED_MAX;
  const column = possible ? COLUMNS.find(({ id }) => id === param.replace(/^-/, '')) : undefined;
  const direction = param.startsWith('-') ? 'desc' : 'asc';
  const queries = column === undefined ? [] : rows.map((row) => optionsOfUse(row));
  const uses = useQueries({ queries, combine: dataOf });
  return useMemo(() => {
    if (column === undefined) return { rows, possible };
    const sort: TableSort = { column: column.id, direction };
    return {
      rows: sortByMetric(
        rows,
        uses.map((use) => use && column.value(use)),
        direction,
      ),
      sort,
      possible,
    };
  }, [rows, uses, column, direction, possible]);
}

const optionsOfUse = (row: Resource) => api.statistics.use.queryOptions({ of: refOf(row), days: DAYS });
const dataOf = (results: readonly { readonly data: ObjectUse | undefined }[]) => results.map(({ data }) => data);

/** Rows by their metrics; those whose metric is not known yet are last. */
function sortByMetric(rows: readonly Resource[], metrics: readonly (number | undefined)[], direction: TableSort['direction']): Resource[] {
  const sign = direction === 'asc' ? 1 : -1;
  const known = rows.map((row, index) => ({ row, metric: metrics[index] }));
  return known
    .toSorted((a, b) => {
      if (a.metric === undefined || b.metric === undefined) return Number(a.metric === undefined) - Number(b.metric === undefined);
      return sign * (a.metric - b.metric);
    })
    .map(({ row }) => row);
}

/** Reads the metrics of all rows again, some seconds after runs have changed. */
export function useFreshUsage(): void {
  const queries = useQueryClient();
  const read = useCallback(() => void queries.invalidateQueries(api.statistics.use.pathFilter()), [queries]);
  useAfterChanges(isOfRun, read, AFTER_MS);
}

/** The metrics of a row are read while it is visible, once for all its columns. */
function UseCell({ row, show }: { readonly row: Resource; readonly show: UseColumn['show'] }) {
  const { data, error } = useQuery(optionsOfUse(row));
  if (data) return <span className="tabular-nums">{show(data)}</span>;
  if (error === null) return <Skeleton className="w-10" />;
  return (
    <span className="text-faint" title={problemOf(error).message}>
      ?
    </span>
  );
}

function Runs({ use }: { readonly use: ObjectUse }) {
  const count = all(use);
  const open = count - ended(use);
  const notes = [
    open > 0 && `${formatNumber(open)} not ended`,
    use.since !== undefined && `Counted since ${formatDateTime(Date.parse(use.since), 'local')}`,
    use.incomplete && 'At least: the agent is part of more systems than are added up',
  ].filter((note) => typeof note === 'string');
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
