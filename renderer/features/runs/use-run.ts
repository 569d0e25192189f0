// One run and what the server says of it now. The run itself comes with the live stream; what is made from its journal is asked again while it goes on.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api } from '../../live/api.ts';
import { problemOf } from '../../live/problem.ts';
import { asRun, hasEnded, isTemplate, TASK, type Run } from './run.ts';

export interface RunRef {
  readonly namespace: string;
  readonly name: string;
}

export interface RunRead {
  /** As it was last, also after it was deleted. */
  readonly run: Run | undefined;
  readonly loading: boolean;
  /** Null when it was read; a deleted run has none. */
  readonly error: unknown;
  readonly deleted: boolean;
  readonly retry: () => void;
}

export function useRun(ref: RunRef, enabled = true): RunRead {
  const { data, error, isPending, refetch } = useQuery(api.resources.get.queryOptions({ kind: TASK, ...ref, brief: true }, { enabled }));
  const run = data && asRun(data);
  const deleted = run !== undefined && error !== null && problemOf(error).code === 'not_found';
  return { run, loading: isPending, error: run === undefined ? error : null, deleted, retry: () => void refetch() };
}

/** The journal grows without the object changing. */
const AGAIN_MS = 3_000;

function goesOn(run: Run | undefined): boolean {
  return run !== undefined && !hasEnded(run) && !isTemplate(run);
}

/** How often to ask again, as queries take it. */
export function refreshOf(run: Run | undefined): number | false {
  return goesOn(run) ? AGAIN_MS : false;
}

const MADE_FROM_JOURNAL = [[['runs', 'explain']], [['runs', 'metrics']], [['runs', 'messages']], [['runs', 'trace']]] as const;

/** Asks for what is made from the journal once more whenever the run changes, its end included. Mounted once by the page. */
export function useJournalRefresh(run: Run | undefined): void {
  const queryClient = useQueryClient();
  const version = run && `${run.metadata.uid}/${run.metadata.resourceVersion}`;
  const before = useRef(version);
  useEffect(() => {
    if (before.current !== undefined && before.current !== version)
      for (const queryKey of MADE_FROM_JOURNAL) void queryClient.invalidateQueries({ queryKey });
    before.current = version;
  }, [version, queryClient]);
}

export function useExplanation(run: Run | undefined) {
  const ref = { namespace: run?.metadata.namespace ?? '', name: run?.metadata.name ?? '' };
  return useQuery(api.runs.explain.queryOptions(ref, { enabled: run !== undefined, refetchInterval: refreshOf(run) }));
}

export function useMetrics(run: Run | undefined) {
  const ref = { namespace: run?.metadata.namespace ?? '', name: run?.metadata.name ?? '' };
  return useQuery(api.runs.metrics.queryOptions(ref, { enabled: run !== undefined && !isTemplate(run), refetchInterval: refreshOf(run) }));
}
