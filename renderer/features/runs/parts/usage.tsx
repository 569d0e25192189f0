// Use of an agent or an agent system: its runs with their success, durations and tokens, and each run again with the current definitions.
import { useQuery } from '@tanstack/react-query';
import { GitCompareArrows } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { api } from '../../../live/api.ts';
import { serverNow } from '../../../live/server-clock.ts';
import { kindAddress, objectAddress, type ObjectRef } from '../../../navigation/addresses.ts';
import { useScope } from '../../../navigation/scope.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { useListPeek } from '../../../inspector/use-list-peek.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { formatCost, formatDuration, formatNumber, formatPercent } from '../../../ui/status/format.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Link } from '../../../ui/link/Link.tsx';
import { useNavigation } from '../../../ui/link/navigation.ts';
import { StatTile } from '../../../ui/status/StatTile.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import type { DataColumn } from '../../../ui/table/table-model.ts';
import { canAct } from '../actions/batch.ts';
import { useRunAgain } from '../actions/use-retry.ts';
import { runColumns } from '../list/run-columns.tsx';
import { AgainNewest } from './AgainNewest.tsx';
import { durationOf, runKey, TASK, tokensOf, type Run } from '../model/run.ts';
import { useSystemRuns, type SystemName, type Use } from '../model/use-system-runs.ts';

const SHOWN = 50;
/** Systems of one agent whose runs are read. */
const SYSTEMS_MAX = 5;
const REFERRERS_MAX = 50;

export function SystemUse({ object }: { readonly object: ObjectRef }) {
  return <Runs of={object} systems={[object]} more={false} />;
}

/** An agent runs in systems: its use is theirs. */
export function AgentUse({ object }: { readonly object: ObjectRef }) {
  const { data, error, refetch } = useQuery(api.resources.referrers.queryOptions({ ...object, limit: REFERRERS_MAX }));
  if (error !== null && data === undefined)
    return <ErrorCard className="m-6" title="The systems of this agent could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return null;
  const systems = data.items.filter(({ kind }) => kind === 'AgentSystem');
  if (systems.length === 0)
    return (
      <EmptyState cause="none" title="No system uses this agent">
        It runs as a part of an agent system. Add it to one in the designer.
      </EmptyState>
    );
  return <Runs of={object} systems={systems.slice(0, SYSTEMS_MAX)} more={systems.length > SYSTEMS_MAX} />;
}

interface RunsProps {
  readonly of: ObjectRef;
  readonly systems: readonly SystemName[];
  /** There are more systems than these. */
  readonly more: boolean;
}

function Runs({ of, systems, more }: RunsProps) {
  const { scope } = useScope();
  const navigation = useNavigation();
  const { runs, loading, error, retry, use } = useSystemRuns(systems, SHOWN);
  const columns = useMemo(() => columnsOf(scope, systems.length > 1), [scope, systems.length]);
  const peek = useListPeek(TASK, refOfRun);
  const open = useCallback((run: Run) => navigation.go(objectAddress({ kind: TASK, ...run.metadata }, scope)), [navigation, scope]);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <Metrics use={use} runs={runs} />
      <AgainNewest of={of} runs={runs} />
      {systems.length > 1 || more ? (
        <p className="px-6 pb-2 text-sm text-muted max-sm:px-4">
          Runs of {more ? `the first ${systems.length} systems` : 'the systems'} with this agent:{' '}
          {systems.map(({ name }) => name).join(', ')}.
        </p>
      ) : null}
      <div className="flex min-h-64 flex-1 flex-col border-t border-border">
        <DataTable
          label={`Runs of ${of.name}`}
          rows={runs}
          rowKey={runKey}
          columns={columns}
          loading={loading}
          onOpen={open}
          {...peek}
          empty={
            error === null ? (
              <EmptyState cause="none" title="No runs yet">
                Runs appear here when the system is started.
              </EmptyState>
            ) : (
              <ErrorCard title="The runs could not be loaded" error={error} onRetry={retry} />
            )
          }
        />
      </div>
      <p className="px-6 py-1.5 text-sm text-muted">
        {runs.length === SHOWN && `The newest ${SHOWN}. `}Trials are left out.{' '}
        {systems.length === 1 && (
          <>
            <Link className="underline" href={kindAddress(scope, TASK, { system: systems[0]?.name })}>
              All runs
            </Link>
            ,{' '}
            <Link className="underline" href={kindAddress(scope, TASK, { system: systems[0]?.name, trial: 'only' })}>
              trials
            </Link>
          </>
        )}
      </p>
    </div>
  );
}

const refOfRun = ({ metadata: { namespace, name } }: Run): ObjectRef => ({ kind: TASK, namespace, name });

interface MetricsProps {
  readonly use: Use | undefined;
  readonly runs: readonly Run[];
}

function Metrics({ use, runs }: MetricsProps) {
  const ended = use === undefined ? 0 : use.succeeded + use.failed;
  const active = average(runs.filter(({ status }) => status.completedAt !== undefined).map((run) => durationOf(run, serverNow())));
  const tokens = average(runs.map(tokensOf));
  const cost = average(runs.map(({ status }) => status.costUsd));
  const last = runs[0]?.metadata.createdAt;
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(9rem,1fr))] gap-3 px-6 py-4 max-sm:px-4">
      <StatTile label="Runs" value={use === undefined ? '–' : `${formatNumber(use.total)}${use.more ? '+' : ''}`} />
      <StatTile
        label="Success"
        value={use === undefined || ended === 0 ? '–' : formatPercent(use.succeeded / ended)}
        note={use === undefined || use.failed === 0 ? undefined : `${formatNumber(use.failed)} failed`}
      />
      <StatTile label="Active time, average" value={active === undefined ? '–' : formatDuration(active)} note={newest(runs)} />
      <StatTile label="Tokens, average" value={tokens === undefined ? '–' : formatNumber(Math.round(tokens))} note={newest(runs)} />
      <StatTile label="Cost, average" value={cost === undefined ? '–' : formatCost(cost)} note={newest(runs)} />
      <StatTile label="Last run" value={last === undefined ? '–' : <Time at={last} sentence />} />
    </div>
  );
}

function newest(runs: readonly Run[]): string | undefined {
  return runs.length < SHOWN ? undefined : `newest ${SHOWN}`;
}

function average(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** Columns of the run list that are useful for one system. */
const COLUMNS: readonly string[] = ['phase', 'name', 'system', 'age', 'duration', 'cost', 'tokens', 'trouble'];

function columnsOf(scope: string, several: boolean): readonly DataColumn<Run>[] {
  const columns = runColumns({ scope, allNamespaces: false }).filter(({ id }) => COLUMNS.includes(id) && (several || id !== 'system'));
  return [
    ...columns.map(({ sort: _, ...column }) => column),
    { id: 'again', title: 'Run again', titleHidden: true, width: 48, grow: 0, cell: (run) => <Again run={run} scope={scope} /> },
  ];
}

function Again({ run, scope }: { readonly run: Run; readonly scope: string }) {
  const { reason } = useCanWrite();
  const again = useRunAgain(run, scope);
  if (!canAct('retry', run)) return null;
  return (
    <IconButton
      size="sm"
      label={`Run ${run.metadata.name} again and compare`}
      icon={<GitCompareArrows />}
      disabledReason={reason}
      tabIndex={-1}
      onClick={again}
    />
  );
}
