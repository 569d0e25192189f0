// One run and the server's current views of it. The run itself comes with the live stream; views made from its journal are refetched while
// it is open.
import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api, client } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import { asRun, hasEnded, isTemplate, TASK, type Run } from './run.ts';

export interface RunRef {
  readonly namespace: string;
  readonly name: string;
}

export interface RunRead {
  /** Its last known state, even after its deletion. */
  readonly run: Run | undefined;
  readonly loading: boolean;
  /** Null when it was loaded; a deleted run has none. */
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

const MADE_FROM_JOURNAL = [
  [['runs', 'definitions']],
  [['runs', 'explain']],
  [['runs', 'metrics']],
  [['runs', 'messages']],
  [['runs', 'trace']],
] as const;

/**
 * Refetches views of the journal whenever the run changes, its end included, and whenever its journal grows, which the object does not
 * show. Mounted once by the page.
 */
export function useJournalRefresh(run: Run | undefined): void {
  const queryClient = useQueryClient();
  const version = run && `${run.metadata.uid}/${run.metadata.resourceVersion}`;
  const before = useRef(version);
  useEffect(() => {
    if (before.current !== undefined && before.current !== version) refresh(queryClient);
    before.current = version;
  }, [version, queryClient]);
  const { namespace = '', name = '' } = run?.metadata ?? {};
  const goesOn = run !== undefined && !hasEnded(run) && !isTemplate(run);
  useEffect(() => {
    if (!goesOn) return undefined;
    const growth = client.runs.growth.subscribe({ namespace, name }, { onData: () => refresh(queryClient) });
    return () => growth.unsubscribe();
  }, [goesOn, namespace, name, queryClient]);
}

function refresh(queryClient: QueryClient): void {
  for (const queryKey of MADE_FROM_JOURNAL) void queryClient.invalidateQueries({ queryKey });
  void queryClient.invalidateQueries({ predicate: ({ queryKey }) => isWholeTask(queryKey) });
}

/** A Task with its records, as its history needs it. */
function isWholeTask([procedure, options]: readonly unknown[]): boolean {
  const { input } = (options ?? {}) as { input?: { kind?: string; brief?: boolean } };
  return Array.isArray(procedure) && procedure.join('.') === 'resources.get' && input?.kind === TASK && input.brief !== true;
}

/** Not `enabled`: returns known data without a request. */
export function useExplanation(run: Run | undefined, enabled = true) {
  const ref = { namespace: run?.metadata.namespace ?? '', name: run?.metadata.name ?? '' };
  return useQuery(api.runs.explain.queryOptions(ref, { enabled: enabled && run !== undefined }));
}

/** Not `enabled`: returns known data without a request. */
export function useMetrics(run: Run | undefined, enabled = true) {
  const ref = { namespace: run?.metadata.namespace ?? '', name: run?.metadata.name ?? '' };
  return useQuery(api.runs.metrics.queryOptions(ref, { enabled: enabled && run !== undefined && !isTemplate(run) }));
}
