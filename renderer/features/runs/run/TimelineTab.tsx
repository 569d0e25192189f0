// The waterfall of a run, with the picture of its system beside it; both show the place of the replay.
import { Workflow } from 'lucide-react';
import { Suspense, useCallback, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { objectAddress } from '../../../navigation/addresses.ts';
import { choiceParam, useSearchState } from '../../../navigation/search-state.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { cn } from '../../../ui/cn.ts';
import { PRINTED_PANE } from '../../../ui/layout/SplitPane.tsx';
import { Separator } from '../../../ui/layout/Separator.tsx';
import { useResizable } from '../../../ui/layout/use-resizable.ts';
import { useNavigation } from '../../../ui/link/navigation.ts';
import { parseRef } from '@svc/shared/resource';
import { readSystem } from '../../../graph/read-system.ts';
import { systemGraph } from '../../../graph/system-graph.ts';
import { TracePane } from '../../trace/parts/TracePane.tsx';
import { TRACE_SEARCH } from '../../trace/model/trace-search.ts';
import { useReplay, type Replay } from '../../trace/model/use-replay.ts';
import { draftOfTrial, marksOf } from '../../trials/model/trial-draft.ts';
import { systemOf } from '../model/run.ts';
import { useRunSystem, type RunSystem } from './use-run-system.ts';
import { lazyPart } from '../../../ui/lazy-part.ts';
import type { RunPartProps } from './RunPage.tsx';

const SystemGraph = lazyPart(async () => (await import('../../../graph/SystemGraph.tsx')).SystemGraph);

/** The graph is shown by itself where it leaves the waterfall enough room. */
const PARAMS = { graph: choiceParam(['auto', 'shown', 'hidden']) };
const ROOM_PX = 1_000;
/** Left to the waterfall, whatever size was stored on a larger screen. */
const WATERFALL_PX = { width: 520, height: 260 };
/** Initial share of the width for the graph. */
const GRAPH_SHARE = 0.42;

export function TimelineTab({ run, scope, trace }: RunPartProps) {
  const replay = useReplay(trace);
  const system = useRunSystem(run);
  const [{ graph }, setSearch] = useSearchState(PARAMS);
  const { frame, width } = useWidth();
  const roomy = width >= ROOM_PX;
  const shown = !system.deleted && (graph === 'shown' || (graph === 'auto' && roomy));
  const toggle = (
    <Button
      size="sm"
      icon={<Workflow />}
      aria-pressed={shown}
      disabledReason={system.deleted ? `The system ${run.spec.system} no longer exists` : undefined}
      onClick={() => setSearch({ graph: shown === roomy ? (shown ? 'hidden' : 'shown') : 'auto' })}
    >
      Graph
    </Button>
  );
  return (
    // As high as there is room, but always with some rows visible: then the page scrolls. The waterfall keeps its place in the tree, and
    // with it its focus and zoom, wherever the graph stands.
    <div ref={frame} className={cn('flex min-h-96 min-w-0 flex-1 print:flex-col-reverse', roomy ? 'flex-row' : 'flex-col-reverse')}>
      <TracePane trace={trace} replay={replay} aside={toggle} />
      {shown && (
        <GraphPane key={String(roomy)} beside={roomy} room={width}>
          <RunGraph run={run} scope={scope} trace={trace} replay={replay} system={system} />
        </GraphPane>
      )}
    </div>
  );
}

interface GraphPaneProps {
  /** At the right of the waterfall; otherwise above it. */
  readonly beside: boolean;
  /** Width of both together. */
  readonly room: number;
  readonly children: ReactNode;
}

function GraphPane({ beside, room, children }: GraphPaneProps) {
  const { size, separator } = useResizable({
    axis: beside ? 'x' : 'y',
    direction: beside ? -1 : 1,
    initial: beside ? room * GRAPH_SHARE : 220,
    min: 140,
    max: 900,
    storageKey: beside ? 'run-graph-width' : 'run-graph',
  });
  const style = beside
    ? { width: size, maxWidth: `calc(100% - ${WATERFALL_PX.width}px)` }
    : { height: size, maxHeight: `calc(100% - ${WATERFALL_PX.height}px)` };
  return (
    <>
      <Separator label={beside ? 'Width of the graph' : 'Height of the graph'} {...separator} />
      <div className={cn('relative flex shrink-0 flex-col overflow-hidden', PRINTED_PANE)} style={style}>
        {children}
      </div>
    </>
  );
}

/** Width of an element, live. */
function useWidth() {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { frame, width };
}

interface RunGraphProps extends RunPartProps {
  readonly replay: Replay;
  readonly system: RunSystem;
}

function RunGraph({ run, scope, trace, replay, system }: RunGraphProps) {
  const { store, version, state } = trace;
  const [{ agent }, setSearch] = useSearchState(TRACE_SEARCH);
  const navigation = useNavigation();
  const joins = useMemo(() => {
    const { nodes } = systemGraph(readSystem(system.spec));
    return new Map(nodes.flatMap(({ id, join }): [string, number][] => (join ? [[id, join.expected]] : [])));
  }, [system.spec]);
  // Without any entry nothing is known, not even that an agent has not started.
  const read = state.phase !== 'loading' && state.phase !== 'failed';
  const overlay = useMemo(
    () => (version >= 0 && (read || store.entries.length > 0) ? store.overlay(replay.position, joins) : undefined),
    [store, version, replay.position, joins, read],
  );
  const selection = useMemo(() => ({ nodes: agent === '' ? [] : [agent], edges: [] }), [agent]);
  const onSelect = useCallback(({ nodes }: { readonly nodes: readonly string[] }) => setSearch({ agent: nodes[0] ?? '' }), [setSearch]);
  const { trial } = run.spec;
  const marks = useMemo(() => trial && marksOf(draftOfTrial(trial)), [trial]);
  const home = systemOf(run).namespace;
  const onOpen = useCallback(
    (name: string) => navigation.go(objectAddress({ kind: 'Agent', ...parseRef(name, home) }, scope)),
    [navigation, home, scope],
  );
  if (system.error !== null)
    return (
      <ErrorCard className="m-4" title={`The system ${run.spec.system} could not be read`} error={system.error} onRetry={system.retry} />
    );
  if (system.spec === undefined) return <Skeleton className="m-6 h-24" />;
  return (
    <Suspense fallback={<Skeleton className="m-6 h-24" />}>
      <SystemGraph
        turns
        label={`Graph of ${run.spec.system} with this run`}
        namespace={home}
        spec={system.spec}
        annotations={system.annotations}
        overlay={overlay}
        marks={marks}
        selection={selection}
        onSelect={onSelect}
        onOpen={onOpen}
      />
      {system.changedSince && (
        <p className="absolute top-2 left-3 z-10 max-w-md rounded-md bg-raised px-2.5 py-1 text-sm text-muted shadow-overlay">
          The system was changed after this run began:{' '}
          <PeekLink object={systemOf(run)} scope={scope}>
            {run.spec.system}@{system.generation}
          </PeekLink>{' '}
          is shown, which may not be what ran.
        </p>
      )}
    </Suspense>
  );
}
