// Follows one run and maps its trace to the picture of the system.
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { api, client } from '../../../live/api.ts';
import type { RunOverlay } from '../../../graph/overlay.ts';
import type { SystemGraphModel } from '../../../graph/system-graph.ts';
import { asRun, hasEnded, type Run } from '../../runs/model/run.ts';
import { OverlayScan } from '../../trace/model/run-overlay.ts';

export interface FollowedRun {
  /** Undefined for a run that cannot be read, or is not yet. */
  readonly overlay: RunOverlay | undefined;
  /** Undefined while it is read. */
  readonly task: Run | undefined;
  readonly error: unknown;
}

const EMPTY: RunOverlay = { nodes: new Map(), edges: new Map() };
/** Entries that come close together are drawn together. */
const DRAW_MS = 80;

/** Undefined while no run is followed. */
export function useRunOverlay(namespace: string, task: string | undefined, model: SystemGraphModel): FollowedRun | undefined {
  const [overlay, setOverlay] = useState<RunOverlay>(EMPTY);
  const [error, setError] = useState<unknown>();
  const joins = useMemo(() => new Map(model.nodes.flatMap(({ id, join }) => (join ? [[id, join.expected] as const] : []))), [model]);
  const sizes = useRef(joins);
  useEffect(() => {
    sizes.current = joins;
  });
  useEffect(() => {
    setOverlay(EMPTY);
    setError(undefined);
    if (task === undefined) return;
    const entries: TraceEntry[] = [];
    const scan = new OverlayScan();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      timer = undefined;
      setOverlay(scan.at(entries, entries.length, sizes.current));
    };
    const subscription = client.runs.followTrace.subscribe(
      { namespace, name: task },
      {
        onData: ({ data }) => {
          entries.push(...data.entries);
          timer ??= setTimeout(draw, DRAW_MS);
        },
        onError: setError,
      },
    );
    return () => {
      subscription.unsubscribe();
      clearTimeout(timer);
    };
  }, [namespace, task]);
  const { data } = useQuery({
    ...api.resources.get.queryOptions({ kind: 'Task', namespace, name: task ?? '' }),
    enabled: task !== undefined,
  });
  const run = useMemo(() => data && asRun(data), [data]);
  const ended = run !== undefined && hasEnded(run);
  const shown = useMemo(() => ({ ...overlay, ended }), [overlay, ended]);
  if (task === undefined) return undefined;
  // A run that has started has a trace, and until it arrives no agent is known to be "not started".
  const unread = overlay === EMPTY && (error !== undefined || run === undefined || run.status.startedAt !== undefined);
  return { overlay: unread ? undefined : shown, task: run, error };
}
