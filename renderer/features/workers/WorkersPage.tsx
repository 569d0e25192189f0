// Workers with their load, and runs that no worker can take with the reason.
import { TriangleAlert } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useInspector } from '../../inspector/inspector-context.ts';
import { useListPeek } from '../../inspector/use-list-peek.ts';
import { usePageTitle } from '../../navigation/page-title.ts';
import { useScope } from '../../navigation/scope.ts';
import { textParam, useSearchState } from '../../navigation/search-state.ts';
import { Badge } from '../../ui/status/Badge.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { CodeBlock } from '../../ui/text/CodeBlock.tsx';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { LoadFailure } from '../../ui/feedback/LoadFailure.tsx';
import { PageHeader } from '../../ui/layout/PageHeader.tsx';
import { PhasePill } from '../../ui/status/PhasePill.tsx';
import type { DataColumn, TableSort } from '../../ui/table/table-model.ts';
import { EngineCard } from './EngineCard.tsx';
import { HeartbeatAge } from './HeartbeatAge.tsx';
import { SlotsBar } from './parts/SlotsBar.tsx';
import { UnschedulableRuns } from './UnschedulableRuns.tsx';
import { useWorkers } from './model/use-workers.ts';
import { capacityOf, isLost, offersOf, remedyOf, sortWorkers, stateOf, type WorkerView } from './model/worker.ts';

/** Old links name a worker like this. */
const PARAMS = { worker: textParam };
const refOf = ({ namespace, name }: WorkerView) => ({ kind: 'Worker', namespace, name });
const ROWS_BEFORE_SCROLL = 8;
const BY_NAME: TableSort = { column: 'name', direction: 'asc' };

const COLUMNS: readonly DataColumn<WorkerView>[] = [
  {
    id: 'name',
    title: 'Worker',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
    width: 150,
    grow: 2,
    pinned: true,
    sort: true,
  },
  {
    id: 'phase',
    title: 'State',
    cell: (worker) => <PhasePill phase={stateOf(worker)} kind="Worker" look="quiet" />,
    width: 110,
    grow: 0,
    sort: true,
  },
  {
    id: 'heartbeat',
    title: 'Heartbeat',
    cell: ({ heartbeat, phase }) => <HeartbeatAge at={heartbeat} lost={isLost(phase)} />,
    width: 120,
    grow: 0,
    sort: true,
  },
  {
    id: 'slots',
    title: 'Slots taken',
    cell: ({ name, phase, running, slots }) =>
      isLost(phase) ? (
        <span className="text-muted">not ready</span>
      ) : (
        <SlotsBar taken={running} slots={slots} label={`Slots of ${name}`} className="w-40" />
      ),
    width: 190,
    grow: 0,
    sort: 'descending',
  },
  {
    id: 'offers',
    title: 'Capabilities',
    cell: (worker) => offersOf(worker).join(', ') || <span className="text-faint">–</span>,
    width: 120,
    sort: true,
  },
  { id: 'isolation', title: 'Isolation', cell: (worker) => <Isolation worker={worker} />, width: 140 },
];

function Isolation({ worker }: { readonly worker: WorkerView }) {
  const ready = worker.isolation.filter(({ available }) => available);
  if (ready.length === 0) return <span className="text-muted">none</span>;
  return (
    <span className="flex gap-1">
      {ready.map(({ backend }) => (
        <Badge key={backend} tone="ok">
          {backend}
        </Badge>
      ))}
    </span>
  );
}

/** Opens the worker that an old link names in the inspector. */
function useLinkedWorker(): void {
  const [{ worker }, setState] = useSearchState(PARAMS);
  const inspector = useInspector();
  useEffect(() => {
    const [namespace = '', name = ''] = worker.split('/');
    if (name === '') return;
    setState({ worker: '' });
    inspector?.open({ kind: 'Worker', namespace, name });
  }, [worker, setState, inspector]);
}

export function WorkersPage() {
  usePageTitle('Workers');
  const { scope, namespace } = useScope();
  const fleet = useWorkers();
  const [sort, setSort] = useState(BY_NAME);
  const rows = useMemo(() => sortWorkers(fleet.workers, sort), [fleet.workers, sort]);
  const capacity = useMemo(() => capacityOf(fleet.workers), [fleet.workers]);
  const { onPeek, onActiveChange, openKey } = useListPeek('Worker', refOf);
  useLinkedWorker();
  const shownRows = Math.min(Math.max(fleet.workers.length, 1), ROWS_BEFORE_SCROLL);
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col overflow-y-auto">
        <PageHeader
          title="Workers"
          meta={
            fleet.data && (
              <>
                <span>
                  {capacity.ready} of {capacity.workers} ready
                </span>
                <SlotsBar taken={capacity.taken} slots={capacity.slots} label="Slots of the fleet" className="w-48" />
              </>
            )
          }
        />
        {fleet.data && fleet.workers.length > 0 && capacity.ready === 0 && (
          <Banner tone="warn" icon={<TriangleAlert />}>
            No worker is ready, so runs do not start. {remedyOf(fleet.workers)}
          </Banner>
        )}
        <div
          className="flex shrink-0 flex-col border-y border-border"
          style={{ height: fleet.workers.length === 0 ? undefined : `calc(2.125rem + ${shownRows} * var(--spacing-row, 2.25rem) + 1px)` }}
        >
          <DataTable
            label="Workers"
            rows={rows}
            // The order of the first 1,000 workers alone would not be that of the fleet.
            sort={fleet.cut ? undefined : sort}
            onSort={fleet.cut ? undefined : setSort}
            rowKey={(worker) => worker.key}
            columns={COLUMNS}
            loading={fleet.isPending}
            rowLabel={({ name }) => name}
            onOpen={(worker) => onPeek(worker, 'click')}
            onPeek={onPeek}
            onActiveChange={onActiveChange}
            openKey={openKey}
            empty={<WorkersEmpty error={fleet.data ? null : fleet.error} onRetry={() => void fleet.refetch()} />}
          />
        </div>
        {fleet.cut && <p className="px-6 py-2 text-sm text-muted">These are the first 1,000 workers.</p>}
        <div className="grid items-start gap-4 p-6 max-sm:p-4 xl:grid-cols-2">
          <UnschedulableRuns scope={scope} namespace={namespace} ready={fleet.data && capacity.ready} />
          <EngineCard scope={scope} />
        </div>
      </div>
    </div>
  );
}

function WorkersEmpty({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  if (error !== null)
    return (
      <LoadFailure
        error={error}
        title="The workers could not be loaded"
        forbidden="You may not see workers"
        onRetry={onRetry}
        className="mx-auto my-6 max-w-2xl"
      />
    );
  return (
    <EmptyState
      cause="none"
      title="No worker is registered"
      sample={<CodeBlock label="Command that starts a worker" text="svcd worker --database-url postgres://…" />}
    >
      Runs wait for a worker. Start the server with --embedded-worker, or start workers on a shared PostgreSQL database.
    </EmptyState>
  );
}
