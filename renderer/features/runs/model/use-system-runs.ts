// Newest runs of some systems, and how their runs ended: counted by the server, live with the change stream.
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { api } from '../../../live/api.ts';
import type { ObjectRef } from '../../../navigation/addresses.ts';
import { outcomeSelector } from './run-outcomes.ts';
import { asRun, TASK, type Run } from './run.ts';

export type SystemName = Pick<ObjectRef, 'namespace' | 'name'>;

export interface Use {
  readonly total: number;
  readonly succeeded: number;
  /** Failures without cancelled and denied runs. */
  readonly failed: number;
  /** Counting stopped: at least these exist. */
  readonly more: boolean;
}

export interface SystemRuns {
  /** Newest first, without trials. */
  readonly runs: readonly Run[];
  /** Undefined while it is unknown. */
  readonly use: Use | undefined;
  readonly loading: boolean;
  readonly error: unknown;
  readonly retry: () => void;
}

const OUTCOMES = [undefined, 'Succeeded', 'Failed', 'DeadLetter'];

/** Trials and templates do not count as runs of a system: the server's statistics leave them out as well. */
const selection = ({ namespace, name }: SystemName, outcome?: string) => {
  const outcomes = outcome === undefined ? undefined : outcomeSelector([outcome]);
  const fields = [`spec.system=${name}`, outcomes ?? 'spec.mode=run', 'status.trial!=true'];
  return { kind: TASK, namespace, fieldSelector: fields.join(',') };
};

/** At most `limit` runs. `systems` must not be empty. */
export function useSystemRuns(systems: readonly SystemName[], limit: number): SystemRuns {
  const lists = useQueries({
    queries: systems.map((system) =>
      api.resources.list.queryOptions({ ...selection(system), order: '-createdAt' as const, limit }, { placeholderData: keepPreviousData }),
    ),
  });
  const selections = systems.flatMap((system) => OUTCOMES.map((outcome) => selection(system, outcome)));
  const counts = useQuery(api.resources.counts.queryOptions({ selections }, { placeholderData: keepPreviousData }));
  const read = lists.flatMap(({ data }) => data?.items ?? []).map(asRun);
  const runs = read.sort((a, b) => (a.metadata.createdAt < b.metadata.createdAt ? 1 : -1)).slice(0, limit);
  const failed = lists.find(({ data, error }) => data === undefined && error !== null);
  return {
    runs,
    use: counts.data && usageOf(counts.data),
    loading: lists.some(({ isPending }) => isPending),
    error: failed?.error ?? null,
    retry: () => void Promise.all([counts.refetch(), ...lists.map(({ refetch }) => refetch())]),
  };
}

/** Adds up counts in the order of `OUTCOMES`, system by system. Pure. */
export function usageOf(counts: readonly { readonly count: number; readonly more: boolean }[]): Use {
  const sum = (wanted: readonly number[]) =>
    counts.reduce((all, { count }, index) => all + (wanted.includes(index % OUTCOMES.length) ? count : 0), 0);
  return { total: sum([0]), succeeded: sum([1]), failed: sum([2, 3]), more: counts.some(({ more }) => more) };
}
