// The waterfall of a run with filters and replay. The page around it reads the trace, owns the replay and shows the open span (SpanPanel).
import { useCallback, type ReactNode } from 'react';
import { useSearchState } from '../../../navigation/search-state.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { formatNumber } from '../../../ui/status/format.ts';
import { useActiveRow } from '../../../ui/table/use-active-row.ts';
import { isFiltered, type Row } from '../waterfall/rows.ts';
import { TimeAxis } from '../waterfall/TimeAxis.tsx';
import { ExportTraceButton } from '../file/ExportTraceButton.tsx';
import { Minimap } from '../waterfall/Minimap.tsx';
import { ReplayBar, replayKey } from '../waterfall/ReplayBar.tsx';
import { useCovered } from '../../../inspector/covered.ts';
import { useInspector } from '../../../inspector/inspector-context.ts';
import { TRACE_SEARCH } from '../model/trace-search.ts';
import { TraceGrid } from '../waterfall/TraceGrid.tsx';
import { TraceSummary } from '../waterfall/TraceSummary.tsx';
import { TraceToolbar } from '../waterfall/TraceToolbar.tsx';
import type { Replay } from '../model/use-replay.ts';
import type { RunTrace } from '../model/use-run-trace.ts';
import { useWaterfall } from '../waterfall/use-waterfall.ts';
import { useZoomSteps } from '../waterfall/use-zoom-steps.ts';

export interface TracePaneProps {
  readonly trace: RunTrace;
  readonly replay: Replay;
  /** Buttons at the right of the toolbar. */
  readonly aside?: ReactNode;
}

const idOf = ({ id }: Row): string => id;

const NO_FILTERS = { failed: false, agent: '', tool: '', branch: '', find: '' };

export function TracePane({ trace, replay, aside }: TracePaneProps) {
  const [search, setSearch] = useSearchState(TRACE_SEARCH);
  const fall = useWaterfall(trace, replay, search);
  const { rows, view, zoom, setZoom } = fall;
  const [active, setActive] = useActiveRow(rows, idOf);
  const steps = useZoomSteps(fall, rows[active]);
  const open = useCallback((row: Row) => row.type === 'span' && setSearch({ span: row.id }), [setSearch]);
  const inspector = useInspector();
  const covered = useCovered();
  const close = useCallback(() => (covered ? inspector?.close() : setSearch({ span: '' })), [covered, inspector, setSearch]);
  const fold = useFolding(fall.setFolded);
  const { store, state, version } = trace;
  const loading = state.phase === 'loading' && store.entries.length === 0;
  if (state.phase === 'failed' && store.entries.length === 0) {
    return (
      <div className="min-w-0 flex-1 p-6">
        <ErrorCard title="The trace could not be loaded" error={state.error} onRetry={trace.retry} />
      </div>
    );
  }
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <TraceNotes trace={trace} />
      {trace.imported && fall.stats && <TraceSummary stats={fall.stats} />}
      <TraceToolbar
        search={search}
        onChange={setSearch}
        choices={fall.choices}
        failed={store.fold.root?.failedBelow ?? 0}
        zoom={steps}
        aside={
          <>
            {!trace.imported && <ExportTraceButton run={{ ...trace.run, uid: trace.uid }} />}
            {aside}
          </>
        }
      />
      {store.fold.spans.length > MINIMAP_FROM && (
        <Minimap fold={store.fold} version={version} scale={fall.whole} now={view.now} zoom={zoom} onZoom={setZoom} />
      )}
      <div className="flex min-h-0 flex-1">
        <TraceGrid
          rows={rows}
          view={view}
          openId={search.span}
          current={fall.current}
          active={active}
          onActive={setActive}
          onOpen={open}
          onClose={close}
          onFold={fold}
          onOtherKey={(event) => replayKey(event, replay)}
          busy={loading}
          head={<TimeAxis scale={view.scale} origin={view.origin} zoomed={zoom !== undefined} onZoom={setZoom} />}
          empty={<NoRows loading={loading} filtered={isFiltered(fall.filter)} onClear={() => setSearch(NO_FILTERS)} />}
        />
      </div>
      <ReplayBar trace={trace} replay={replay} scale={fall.whole} origin={view.origin} />
    </div>
  );
}

/** Number of spans above which an overview helps. */
const MINIMAP_FROM = 200;

function useFolding(setFolded: (change: (before: ReadonlySet<string>) => ReadonlySet<string>) => void) {
  return useCallback(
    (row: Row, folded: boolean) =>
      setFolded((before) => {
        const next = new Set(before);
        if (folded) next.add(row.id);
        else next.delete(row.id);
        return next;
      }),
    [setFolded],
  );
}

/** Notes on the limits of the shown trace. */
function TraceNotes({ trace }: { readonly trace: RunTrace }) {
  const { store, state, retry } = trace;
  return (
    <>
      {state.phase === 'failed' && (
        <Banner
          tone="danger"
          action={
            <Button size="sm" onClick={retry}>
              Load again
            </Button>
          }
        >
          The trace was interrupted. Some entries may be missing.
        </Banner>
      )}
      {store.full && (
        <Banner tone="warn">
          The first {formatNumber(store.entries.length)} entries are shown; this run has more. Export has them all.
        </Banner>
      )}
    </>
  );
}

interface NoRowsProps {
  readonly loading: boolean;
  readonly filtered: boolean;
  readonly onClear: () => void;
}

function NoRows({ loading, filtered, onClear }: NoRowsProps) {
  if (loading) return <SkeletonRows />;
  if (filtered) {
    return (
      <EmptyState cause="filtered" title="No matching spans" action={<Button onClick={onClear}>Clear the filters</Button>}>
        Remove a filter to see more.
      </EmptyState>
    );
  }
  return (
    <EmptyState cause="none" title="No trace yet">
      The trace starts when a worker picks up the run.
    </EmptyState>
  );
}

const SKELETON_ROWS = 8;

function SkeletonRows() {
  return (
    <div className="flex flex-col gap-5 p-4">
      <span className="sr-only">The trace is loading</span>
      {Array.from({ length: SKELETON_ROWS }, (_, index) => (
        <div key={index} className="flex gap-6">
          <Skeleton className="w-48" />
          <Skeleton className={['w-1/2', 'w-1/3', 'w-1/4'][index % 3] ?? 'w-1/4'} />
        </div>
      ))}
    </div>
  );
}
