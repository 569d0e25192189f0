// Rows of a kind's list, and their count on the server.
import type { Resource } from '@svc/shared/resource';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { api } from '../../../live/api.ts';
import { useListPages, type ListPages } from '../../../live/list-pages.ts';
import { listInput, selectionOf, selectsByPhase, type ListState } from './list-state.ts';

export function useObjects(kind: KindSummary, state: ListState, namespace: string | undefined): ListPages<Resource> {
  return useListPages({ input: listInput(kind, state, namespace), rowsOf: all });
}

const all = (read: readonly Resource[]): readonly Resource[] => read;

export interface ObjectCount {
  readonly count: number;
  /** Counting stopped: at least this many exist. */
  readonly more: boolean;
}

export interface ListCounts {
  readonly total: ObjectCount | undefined;
  /** By phase, under the other filters. */
  readonly phases: ReadonlyMap<string, ObjectCount>;
}

const NO_PHASES: readonly string[] = [];
const UNCOUNTED: ReadonlyMap<string, ObjectCount> = new Map();

/** Count on the server, in total and of each phase. */
export function useCounts(kind: KindSummary, state: ListState, namespace: string | undefined): ListCounts {
  const phases = selectsByPhase(kind) ? kind.phases : NO_PHASES;
  const selections = [
    selectionOf(kind, state, namespace),
    ...phases.map((phase) => selectionOf(kind, { ...state, phase: [phase] }, namespace)),
  ];
  const { data } = useQuery(api.resources.counts.queryOptions({ selections }, { placeholderData: keepPreviousData }));
  return useMemo(() => {
    if (!data) return { total: undefined, phases: UNCOUNTED };
    const [total, ...rest] = data;
    return { total, phases: new Map(phases.flatMap((phase, index) => (rest[index] ? [[phase, rest[index]] as const] : []))) };
  }, [data, phases]);
}
