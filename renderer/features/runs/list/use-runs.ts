// Rows of the run list, and the count of each phase on the server.
import type { Resource } from '@svc/shared/resource';
import { searchProblem } from '@svc/shared/search-text';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { serverNow } from '../../../live/server-clock.ts';
import { api } from '../../../live/api.ts';
import { useListPages, type ListPages } from '../../../live/list-pages.ts';
import { RUN_OUTCOMES } from '../model/run-outcomes.ts';
import { asRun, TASK, type Run } from '../model/run.ts';
import { isShown, runListInput, runSelector, type RunListState } from './run-list-input.ts';

export interface RunPages extends Omit<ListPages<Run>, 'read'> {
  /** Loaded runs, shown or not. */
  readonly read: number;
  readonly templatesApart: number;
  readonly choices: ValueChoices;
}

/** Values that loaded runs have, shown or not. */
export interface ValueChoices {
  readonly reason: readonly string[];
  readonly worker: readonly string[];
  readonly priority: readonly string[];
}

export function useRuns(state: RunListState, namespace: string | undefined): RunPages {
  const rowsOf = useCallback((read: readonly Resource[]) => shownOf(read, state), [state]);
  const enabled = state.q === '' || searchProblem(state.q) === undefined;
  const { read, ...pages } = useListPages({ input: runListInput(state, namespace), enabled, rowsOf });
  const templatesApart = useMemo(() => (state.mode === 'runs' ? shownOf(read, { ...state, mode: 'templates' }).length : 0), [read, state]);
  const choices = useMemo(() => choicesOf(read.map(asRun)), [read]);
  return { ...pages, read: read.length, templatesApart, choices };
}

function choicesOf(runs: readonly Run[]): ValueChoices {
  const distinct = (valueOf: (run: Run) => string | undefined) => [...new Set(runs.flatMap((run) => valueOf(run) ?? []))].sort();
  return {
    reason: distinct(({ status }) => status.reason),
    worker: distinct(({ status }) => status.assignedWorker),
    priority: distinct(({ spec }) => spec.priority),
  };
}

function shownOf(read: readonly Resource[], state: RunListState): readonly Run[] {
  const now = serverNow();
  return read.map(asRun).filter((run) => isShown(run, state, now));
}

export interface PhaseCount {
  readonly phase: string;
  readonly count: number;
  /** Counting stopped: at least this many exist. */
  readonly more: boolean;
}

/** Count of each outcome under the other filters of the server. */
export function usePhaseCounts(
  { mode, system, trial, labels }: RunListState,
  namespace: string | undefined,
): readonly PhaseCount[] | undefined {
  const selections = RUN_OUTCOMES.map((phase) => {
    const fieldSelector = runSelector({ phase: [phase], mode, system, trial });
    return {
      kind: TASK,
      ...(namespace !== undefined && { namespace }),
      ...(labels !== '' && { labelSelector: labels }),
      ...(fieldSelector !== undefined && { fieldSelector }),
    };
  });
  const { data } = useQuery(api.resources.counts.queryOptions({ selections }, { placeholderData: keepPreviousData }));
  return useMemo(() => data && RUN_OUTCOMES.map((phase, index) => ({ phase, count: 0, more: false, ...data[index] })), [data]);
}
