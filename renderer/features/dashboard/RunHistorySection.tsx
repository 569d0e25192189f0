// Recent run history: the window, charts or table, and the start of counting.
import { Suspense, useEffect, useRef } from 'react';
import { useSearchState, choiceParam } from '../../navigation/search-state.ts';
import { LoadFailure } from '../../ui/feedback/LoadFailure.tsx';
import { Section } from '../../ui/layout/Section.tsx';
import { SegmentedControl } from '../../ui/input/SegmentedControl.tsx';
import { Skeleton } from '../../ui/feedback/Skeleton.tsx';
import { Time } from '../../ui/status/Time.tsx';
import { countedFrom, gapIn, type RunHistory } from './run-stats.ts';
import { lazyPart } from '../../ui/lazy-part.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../live/api.ts';
import { useAfterChanges } from '../../live/use-after-changes.ts';
import { isOfRun } from '../runs/model/run-changes.ts';
import { useNow } from '../../ui/status/clock.ts';

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
        <LoadFailure
          error={error}
          title="The statistics could not be loaded"
          forbidden="You may not see statistics"
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      ) : (
        <Suspense fallback={<ChartsSkeleton />}>
          {data === undefined ? <ChartsSkeleton /> : view === 'table' ? <RunTable history={data} /> : <RunCharts history={data} />}
        </Suspense>
      )}
    </Section>
  );
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
          Statistics may miss events between <Time at={gap.since} /> and <Time at={gap.until} />: the change log was pruned before it was
          read.
        </>
      )}
      {since === undefined && !gap && <>Grouped by the hour in which a run ended.</>}
    </>
  );
}

function ChartsSkeleton() {
  return (
    <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-6" aria-busy>
      <Skeleton className="h-44 rounded-lg sm:col-span-2" />
      {['success', 'duration', 'tokens', 'cost'].map((chart) => (
        <Skeleton key={chart} className="h-44 rounded-lg" />
      ))}
    </div>
  );
}

/** Search parameters of the dashboard: the time window of its numbers, and charts or tables. */
const DASHBOARD_PARAMS = { window: choiceParam(['24h', '7d']), view: choiceParam(['charts', 'table']) };

const WINDOW_HOURS = { '24h': 24, '7d': 168 } as const;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

function useRunHistory(namespace: string | undefined, hours: number) {
  const input = { hours, ...(namespace !== undefined && { namespace }) };
  const query = useQuery(api.statistics.runs.queryOptions(input, { placeholderData: keepPreviousData }));
  const { refetch } = query;
  useAfterChanges(isOfRun, refetch);
  // The window advances without changes.
  const hour = Math.floor(useNow(MINUTE_MS) / HOUR_MS);
  const shown = useRef(hour);
  useEffect(() => {
    if (shown.current !== hour) void refetch();
    shown.current = hour;
  }, [hour, refetch]);
  return query;
}
