// Columns of the run list, and their preferred order.
import { taskOrigin } from '@svc/shared/run-origin';
import { Copy, GitFork } from 'lucide-react';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { objectAddress } from '../../../navigation/addresses.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { useNow } from '../../../ui/status/clock.ts';
import { Duration } from '../../../ui/status/Duration.tsx';
import { formatCost, formatNumber } from '../../../ui/status/format.ts';
import { Link } from '../../../ui/link/Link.tsx';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import type { DataColumn } from '../../../ui/table/table-model.ts';
import { Time } from '../../../ui/status/Time.tsx';
import { ServerText } from '../../../ui/text/ServerText.tsx';
import { RunOriginText } from '../../approvals/parts/RunOriginText.tsx';
import { durationOf, earlierRun, hasEnded, outcomeOf, isTemplate, tokensOf, troubleOf, type Run } from '../model/run.ts';
import { EarlierRun } from '../parts/EarlierRun.tsx';
import { FoundText } from '../parts/FoundText.tsx';
import { TrialBadge } from '../../trials/parts/trial-marks.tsx';
import type { RunListState } from './run-list-input.ts';
import type { ReactNode } from 'react';
import { beginningOf } from '../../../ui/text/whole-characters.ts';

export interface ColumnOptions {
  /** Namespace scope of the shell, which links keep. */
  readonly scope: string;
  readonly allNamespaces: boolean;
  /** Words of a search: a column shows where they were found. */
  readonly search?: string | undefined;
  /** Absent: a click on a value opens the row like any other. */
  readonly onFilter?: (change: Partial<RunListState>) => void;
}

type Filter = (change: Partial<RunListState>) => void;

const ignore = () => undefined;

const EXCERPT_CHARS = 300;
const none = <span className="text-faint">–</span>;

function Trouble({ run, onFilter }: { readonly run: Run; readonly onFilter: Filter }) {
  const { code, message } = troubleOf(run);
  if (code === undefined && message === undefined) return none;
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      {code !== undefined && (
        <span className="flex max-w-full shrink-0 font-mono text-sm">
          <FilterCell label={`Show only runs with reason ${code}`} onFilter={() => onFilter({ reason: code })}>
            {code}
          </FilterCell>
        </span>
      )}
      {message !== undefined && (
        <span className="truncate text-muted" title={beginningOf(message, EXCERPT_CHARS)}>
          <ServerText text={beginningOf(message, EXCERPT_CHARS)} className="[overflow-wrap:normal]" />
        </span>
      )}
    </span>
  );
}

function nameColumn({ scope, allNamespaces }: ColumnOptions): DataColumn<Run> {
  return {
    id: 'name',
    title: 'Name',
    width: 160,
    grow: 2.4,
    pinned: true,
    sort: true,
    cell: (run) => (
      <span className="flex min-w-0 items-center gap-2">
        <Link href={objectAddress({ kind: 'Task', ...run.metadata }, scope)} look="quiet" className="truncate font-medium" tabIndex={-1}>
          {allNamespaces && <span className="font-normal text-muted">{run.metadata.namespace}/</span>}
          {run.metadata.name}
        </Link>
        <ForkBadge run={run} scope={scope} />
      </span>
    ),
  };
}

function foundColumn({ search = '' }: ColumnOptions): readonly DataColumn<Run>[] {
  if (search === '') return [];
  return [{ id: 'found', title: 'Found in', width: 320, grow: 6, cell: (run) => <FoundText run={run} search={search} /> }];
}

/** Position in the queue, and holder of a run. */
function placeColumns(onFilter: Filter): readonly DataColumn<Run>[] {
  return [
    {
      id: 'priority',
      title: 'Priority',
      width: 80,
      grow: 0,
      cell: (run) => {
        const priority = run.spec.priority;
        return (
          <FilterCell label={`Show only runs of priority ${priority}`} onFilter={() => onFilter({ priority })}>
            <span className={priority === 'normal' ? 'text-muted' : 'font-medium'}>{priority}</span>
          </FilterCell>
        );
      },
    },
    {
      id: 'worker',
      title: 'Worker',
      width: 80,
      cell: (run) => {
        const worker = run.status.assignedWorker;
        if (worker === undefined) return none;
        return (
          <FilterCell label={`Show only runs of worker ${worker}`} onFilter={() => onFilter({ worker })}>
            {worker}
          </FilterCell>
        );
      },
    },
  ];
}

/** Columns that make room for the text where a search was found. */
const APART_FROM_SEARCHES: ReadonlySet<string> = new Set(['attempts', 'trouble', 'worker', 'priority']);

/** Columns of the list in their own order. Those shown at first fit into a window of 1280 px with absolute times; what is left is shared. */
export function runColumns(options: ColumnOptions): readonly DataColumn<Run>[] {
  const all = allColumns(options);
  return (options.search ?? '') === '' ? all : all.filter(({ id }) => !APART_FROM_SEARCHES.has(id));
}

function allColumns(options: ColumnOptions): readonly DataColumn<Run>[] {
  const onFilter = options.onFilter ?? ignore;
  return [
    {
      id: 'phase',
      title: 'State',
      width: 184,
      grow: 0,
      sort: true,
      cell: (run) =>
        isTemplate(run) ? (
          <Badge icon={<Copy />}>Template</Badge>
        ) : (
          <FilterCell label={`Show only ${outcomeOf(run)} runs`} onFilter={() => onFilter({ phase: [outcomeOf(run)] })}>
            <PhasePill phase={outcomeOf(run)} />
          </FilterCell>
        ),
    },
    nameColumn(options),
    ...foundColumn(options),
    {
      id: 'system',
      title: 'System',
      width: 94,
      grow: 1.4,
      sort: true,
      cell: (run) => (
        <FilterCell label={`Show only runs of ${run.spec.system}`} onFilter={() => onFilter({ system: run.spec.system })}>
          {run.spec.system}
        </FilterCell>
      ),
    },
    { id: 'age', title: 'Age', width: 76, grow: 0, time: true, sort: true, cell: (run) => <Time at={run.metadata.createdAt} /> },
    {
      id: 'ended',
      title: 'Ended',
      width: 76,
      grow: 0,
      time: true,
      sort: true,
      cell: (run) => (run.status.completedAt === undefined ? none : <Time at={run.status.completedAt} />),
    },
    { id: 'duration', title: 'Duration', width: 88, grow: 0, align: 'end', sort: 'descending', cell: (run) => <RunDuration run={run} /> },
    { id: 'cost', title: 'Cost', width: 76, grow: 0, align: 'end', sort: 'descending', cell: (run) => <RunCost run={run} /> },
    { id: 'origin', title: 'Origin', width: 120, grow: 2, cell: (run) => <Origin run={run} scope={options.scope} /> },
    { id: 'attempts', title: 'Attempts', width: 78, grow: 0, align: 'end', cell: (run) => run.status.attempts ?? none },
    { id: 'trouble', title: 'Reason', width: 88, grow: 2.4, cell: (run) => <Trouble run={run} onFilter={onFilter} /> },
    ...placeColumns(onFilter),
    {
      id: 'tokens',
      title: 'Tokens',
      width: 90,
      grow: 0,
      align: 'end',
      sort: 'descending',
      cell: (run) => {
        const tokens = tokensOf(run);
        return tokens === undefined ? none : formatNumber(tokens);
      },
    },
  ];
}

/** Hidden by default. */
export const HIDDEN_AT_FIRST: readonly string[] = ['origin', 'tokens', 'ended', 'priority', 'worker'];

interface OriginProps {
  readonly run: Run;
  readonly scope: string;
}

/** Origin in the column of names: the link of a fork to its earlier run, or the badge of another trial. */
function ForkBadge({ run, scope }: OriginProps) {
  const earlier = earlierRun(run);
  if (earlier?.at === undefined) return <TrialBadge run={run} />;
  const title = `${earlier.label} ${earlier.name} at ${earlier.at}`;
  return (
    <PeekLink object={earlier} scope={scope} tabIndex={-1} aria-label={title} title={title} className="shrink-0">
      <Badge tone="info" icon={<GitFork aria-hidden />}>
        Fork
      </Badge>
    </PeekLink>
  );
}

function Origin({ run, scope }: OriginProps) {
  if (earlierRun(run)) return <EarlierRun run={run} scope={scope} />;
  return isTemplate(run) ? none : <RunOriginText origin={taskOrigin(run.metadata, run.spec)} scope={scope} />;
}

const STILL_TICK_MS = 3_600_000;

/** Without the time in which it waited for people. */
function RunDuration({ run }: { readonly run: Run }) {
  const now = useNow(hasEnded(run) ? STILL_TICK_MS : 1_000);
  return run.status.startedAt === undefined ? none : <Duration ms={durationOf(run, now)} />;
}

/** As recorded with each call, at the prices of that time. */
function RunCost({ run }: { readonly run: Run }) {
  const { costUsd, unpricedCalls = 0 } = run.status;
  if (costUsd === undefined) return unpricedCalls > 0 ? <span title="No price is known for its model calls">?</span> : none;
  const lacking = unpricedCalls > 0;
  return (
    <span title={lacking ? `At least: no price is known for ${unpricedCalls} of its model calls` : undefined}>
      {lacking && '≥ '}
      {formatCost(costUsd)}
    </span>
  );
}

/** Columns in the preferred order; unlisted ones stay after their predecessor. */
export function inOrder<Column extends { readonly id: string }>(columns: readonly Column[], order: readonly string[]): readonly Column[] {
  const wanted = order.flatMap((id) => columns.find((column) => column.id === id) ?? []);
  const result: Column[] = [...wanted];
  columns.forEach((column, index) => {
    if (result.includes(column)) return;
    const before = columns[index - 1];
    const at = before === undefined ? 0 : result.indexOf(before) + 1;
    result.splice(at, 0, column);
  });
  return result;
}

/** Ids after one of them moved a place up or down. */
export function moved(ids: readonly string[], id: string, by: -1 | 1): string[] {
  const at = ids.indexOf(id);
  const to = at + by;
  const next = [...ids];
  if (at < 0 || to < 0 || to >= ids.length) return next;
  next.splice(at, 1);
  next.splice(to, 0, id);
  return next;
}

interface FilterCellProps {
  /** "Show only runs of service-desk". */
  readonly label: string;
  readonly onFilter: () => void;
  readonly children: ReactNode;
}

/** A value in the run list that narrows the list to rows with the same value. Out of the tab order: the filters of the toolbar have the same values for keys. */
function FilterCell({ label, onFilter, children }: FilterCellProps) {
  return (
    <button
      type="button"
      tabIndex={-1}
      title={label}
      onClick={onFilter}
      className="max-w-full truncate rounded-xs text-left decoration-dotted underline-offset-4 hover:text-accent-text hover:underline"
    >
      {children}
    </button>
  );
}
