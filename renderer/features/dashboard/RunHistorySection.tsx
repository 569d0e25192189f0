// Recent run history: the window, charts or table, and the start of counting.
import { Suspense } from 'react';
import { problemOf } from '../../live/problem.ts';
import { useSearchState } from '../../navigation/search-state.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorCard } from '../../ui/ErrorCard.tsx';
import { Section } from '../../ui/Section.tsx';
import { SegmentedControl } from '../../ui/SegmentedControl.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { Time } from '../../ui/Time.tsx';
import { DASHBOARD_PARAMS, WINDOW_HOURS } from './dashboard-params.ts';
import { countedFrom, gapIn, type RunHistory } from './run-stats.ts';
import { useRunHistory } from './use-run-history.ts';
import { lazyPart } from '../../ui/lazy-part.ts';

const RunCharts = lazyPart(async () => (await import('./RunCharts.tsx')).RunCharts);
const RunTable = lazyPart(async () => (await import('./RunTable.tsx')).RunTable);

export function RunHistorySection({ namespace }: { readonly namespace: string | undefined }) {
  const [{ window, view }, setState] = useSearchState(DASHBOARD_PARAMS);
  const { data, error, refetch, isFetching } = useRunHistory(namespace, WINDOW_HOURS[window]);
  return (
    <Section
      title="Run history"
      description={data && <Honesty history={data} />}
      actions={
        <div className="flex flex-wrap gap-2">
          <SegmentedControl
            label="View"
            value={view}
            segments={[
              { value: 'charts', label: 'Charts' },
              { value: 'table', label: 'Table' },
            ]}
            onChange={(next) => setState({ view: next })}
          />
          <SegmentedControl
            label="Period"
            value={window}
            segments={[
              { value: '24h', label: '24 h', name: 'Last 24 hours' },
              { value: '7d', label: '7 d', name: 'Last 7 days' },
            ]}
            onChange={(next) => setState({ window: next })}
          />
        </div>
      }
    >
      {data === undefined && error !== null ? (
        <Failed error={error} onRetry={() => void refetch()} retrying={isFetching} />
      ) : (
        <Suspense fallback={<ChartsSkeleton />}>
          {data === undefined ? <ChartsSkeleton /> : view === 'table' ? <RunTable history={data} /> : <RunCharts history={data} />}
        </Suspense>
      )}
    </Section>
  );
}

function Failed({ error, onRetry, retrying }: { readonly error: unknown; readonly onRetry: () => void; readonly retrying: boolean }) {
  const { code, message } = problemOf(error);
  if (code === 'forbidden')
    return (
      <EmptyState cause="forbidden" title="You may not see statistics">
        {message}
      </EmptyState>
    );
  return <ErrorCard error={error} title="The statistics could not be loaded" onRetry={onRetry} retrying={retrying} />;
}

/** Zero and "not counted" are not the same. */
function Honesty({ history }: { readonly history: RunHistory }) {
  const since = countedFrom(history);
  const gap = gapIn(history);
  if (history.countedSince === undefined) return <>No statistics yet. They follow runs within a few seconds.</>;
  return (
    <>
      {since !== undefined && (
        <>
          Statistics start <Time at={since} sentence />.{' '}
        </>
      )}
      {gap && (
        <>
          Statistics may lack events between <Time at={gap.since} /> and <Time at={gap.until} />: the change log was pruned before it was
          read.
        </>
      )}
      {since === undefined && !gap && <>Grouped by the hour in which a run ended.</>}
    </>
  );
}

function ChartsSkeleton() {
  return (
    <div className="grid gap-4 lg:grid-cols-6" aria-busy>
      <Skeleton className="h-72 rounded-lg lg:col-span-4" />
      <Skeleton className="h-72 rounded-lg lg:col-span-2" />
      <Skeleton className="h-52 rounded-lg lg:col-span-2" />
      <Skeleton className="h-52 rounded-lg lg:col-span-2" />
      <Skeleton className="h-52 rounded-lg lg:col-span-2" />
    </div>
  );
}
