// The picture of the run's system with the run over it, above its waterfall; both show the place of the replay.
import { Suspense, useCallback, useMemo } from 'react';
import { objectAddress } from '../../../navigation/addresses.ts';
import { useSearchState } from '../../../navigation/search-state.ts';
import { Banner } from '../../../ui/Banner.tsx';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { Skeleton } from '../../../ui/Skeleton.tsx';
import { SplitPane } from '../../../ui/SplitPane.tsx';
import { useNavigation } from '../../../ui/navigation.ts';
import { parseRef } from '@svc/shared/resource';
import { readSystem } from '../../../graph/read-system.ts';
import { systemGraph } from '../../../graph/system-graph.ts';
import { TracePane } from '../../trace/parts/TracePane.tsx';
import { TRACE_SEARCH } from '../../trace/model/trace-search.ts';
import { useReplay, type Replay } from '../../trace/model/use-replay.ts';
import type { RunTrace } from '../../trace/model/use-run-trace.ts';
import { systemOf, type Run } from '../model/run.ts';
import { useRunSystem, type RunSystem } from './use-run-system.ts';
import { lazyPart } from '../../../ui/lazy-part.ts';

const SystemGraph = lazyPart(async () => (await import('../../../graph/SystemGraph.tsx')).SystemGraph);

export interface GraphTabProps {
  readonly run: Run;
  readonly scope: string;
  readonly trace: RunTrace;
}

export function GraphTab({ run, scope, trace }: GraphTabProps) {
  const replay = useReplay(trace);
  const system = useRunSystem(run);
  const pane = <TracePane trace={trace} replay={replay} namespace={run.metadata.namespace} />;
  const gone = !system.loading && system.spec === undefined;
  return (
    // As high as there is room, but always with some rows visible below: then the page scrolls.
    <div className="flex min-h-[40rem] flex-1 flex-col max-sm:min-h-[52rem]">
      {gone && (
        <Banner tone="info">
          The system {run.spec.system} does not exist any more, so there is no picture of it. The trace below is complete.
        </Banner>
      )}
      {gone ? (
        pane
      ) : (
        <SplitPane
          label="Height of the graph"
          axis="y"
          initial={300}
          min={140}
          max={900}
          rest={340}
          storageKey="run-graph"
          first={<RunGraph run={run} scope={scope} trace={trace} replay={replay} system={system} />}
          second={pane}
        />
      )}
    </div>
  );
}

interface RunGraphProps extends GraphTabProps {
  readonly replay: Replay;
  readonly system: RunSystem;
}

function RunGraph({ run, scope, trace, replay, system }: RunGraphProps) {
  const { store, version } = trace;
  const [{ agent }, setSearch] = useSearchState(TRACE_SEARCH);
  const navigation = useNavigation();
  const joins = useMemo(() => {
    const { nodes } = systemGraph(readSystem(system.spec));
    return new Map(nodes.flatMap(({ id, join }): [string, number][] => (join ? [[id, join.expected]] : [])));
  }, [system.spec]);
  const overlay = useMemo(
    () => (version >= 0 ? store.overlay(replay.position, joins) : undefined),
    [store, version, replay.position, joins],
  );
  const selection = useMemo(() => ({ nodes: agent === '' ? [] : [agent], edges: [] }), [agent]);
  const onSelect = useCallback(({ nodes }: { readonly nodes: readonly string[] }) => setSearch({ agent: nodes[0] ?? '' }), [setSearch]);
  const home = systemOf(run).namespace;
  const onOpen = useCallback(
    (name: string) => navigation.go(objectAddress({ kind: 'Agent', ...parseRef(name, home) }, scope)),
    [navigation, home, scope],
  );
  if (system.spec === undefined) return <Skeleton className="m-6 h-24" />;
  return (
    <Suspense fallback={<Skeleton className="m-6 h-24" />}>
      <SystemGraph
        label={`Graph of ${run.spec.system} with this run`}
        namespace={home}
        spec={system.spec}
        annotations={system.annotations}
        overlay={overlay}
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
