// Results of an experiment, read again while its status changes, and ratings of them.
import type { ExperimentResult, Thumb } from '@svc/shared/api/experiments';
import type { Resource } from '@svc/shared/resource';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { client } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import { toastError } from '../../../ui/overlay/toast.ts';

/** A status changes with each run that begins or ends; a page of results may be large. */
const READ_EVERY_MS = 1_000;

interface Judgement {
  readonly thumb: Thumb | null;
  readonly note: string | null;
}

export interface Results {
  readonly results: readonly ExperimentResult[] | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
  /** Replaces thumb and note. A failure is shown; the answer is then the result as it is now, read again after a concurrent rating. */
  readonly rate: (result: ExperimentResult, judgement: Judgement) => Promise<ExperimentResult | undefined>;
}

async function readAll(experiment: { namespace: string; name: string }): Promise<ExperimentResult[]> {
  const found: ExperimentResult[] = [];
  for (let after = 0; ;) {
    const page = await client.experiments.results.query({ ...experiment, after });
    found.push(...page.items);
    if (page.continue === undefined) return found;
    after = Number(page.continue);
  }
}

export function useResults({ metadata: { uid, namespace, name, resourceVersion } }: Resource): Results {
  const queries = useQueryClient();
  const queryKey = ['experiment-results', uid];
  const { data, error, refetch } = useQuery({ queryKey, queryFn: () => readAll({ namespace, name }) });
  const timer = useRef<number>(undefined);
  useEffect(() => {
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined;
      void refetch();
    }, READ_EVERY_MS);
  }, [resourceVersion, refetch]);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const rate = async (result: ExperimentResult, { thumb, note }: Judgement) => {
    const { run, rating: before } = result;
    try {
      const rating = await client.experiments.rate.mutate({ namespace, name, run, thumb, note, version: before?.version ?? 0 });
      queries.setQueryData<ExperimentResult[]>(queryKey, (all) => all?.map((each) => (each.run === run ? { ...each, rating } : each)));
      return undefined;
    } catch (failure) {
      const { code } = problemOf(failure);
      toastError(code === 'conflict' ? `Somebody else rated run ${run} meanwhile` : `Run ${run} was not rated`, failure);
      const read = code === 'conflict' ? (await refetch()).data : undefined;
      return read?.find((each) => each.run === run) ?? result;
    }
  };
  return { results: data, error, retry: () => void refetch(), rate };
}
