// Open work for a person: approvals by expiry, failures of the last day, objects in phase Error. Lists follow the live stream; counts are
// the server's.
import type { Resource } from '@svc/shared/resource';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../live/api.ts';
import { useNow } from '../../ui/status/clock.ts';
import type { Approval } from '../approvals/model/approval.ts';
import { usePending } from '../approvals/model/use-approvals.ts';
import { outcomeSelector } from '../runs/model/run-outcomes.ts';
import { brokenCount, ERROR_KINDS, recentlyEnded } from './needs.ts';

const SHOWN_MAX = 5;
const FAILED_READ = 50;
const ERROR_READ = 20;
const MINUTE_MS = 60_000;

export interface Need<Item> {
  readonly items: readonly Item[];
  /** Count of all, not only of those shown; undefined while it is unknown. */
  readonly count: number | undefined;
  /** More exist than were counted. */
  readonly more: boolean;
  readonly loading: boolean;
  readonly error: unknown;
  readonly retry: () => void;
}

const home = (namespace: string | undefined) => (namespace === undefined ? {} : { namespace });

export function useDecisions(namespace: string | undefined): Need<Approval> {
  const { approvals, loading, failed, error, cut, retry } = usePending(namespace);
  const end = (at: number) => (Number.isFinite(at) ? at : Number.MAX_SAFE_INTEGER);
  const items = useMemo(() => [...approvals].sort((a, b) => end(a.expiresAt) - end(b.expiresAt)).slice(0, SHOWN_MAX), [approvals]);
  const unknown = loading || (failed.length > 0 && approvals.length === 0);
  return { items, count: unknown ? undefined : approvals.length, more: cut || failed.length > 0, loading, error, retry };
}

export function useFailures(namespace: string | undefined): Need<Resource> {
  const list = (phase: string) => ({
    kind: 'Task',
    ...home(namespace),
    fieldSelector: outcomeSelector([phase]) ?? '',
    order: '-createdAt' as const,
    limit: FAILED_READ,
  });
  const failed = useQuery(api.resources.list.queryOptions(list('Failed'), { placeholderData: keepPreviousData }));
  const dead = useQuery(api.resources.list.queryOptions(list('DeadLetter'), { placeholderData: keepPreviousData }));
  const now = useNow(MINUTE_MS);
  const recent = useMemo(
    () => recentlyEnded([...(failed.data?.items ?? []), ...(dead.data?.items ?? [])], now),
    [failed.data, dead.data, now],
  );
  const loading = failed.isPending || dead.isPending;
  return {
    items: recent.slice(0, SHOWN_MAX),
    count: failed.data && dead.data ? recent.length : undefined,
    more: failed.data?.continue !== undefined || dead.data?.continue !== undefined,
    loading,
    error: failed.data && dead.data ? null : (failed.error ?? dead.error),
    retry: () => void Promise.all([failed.refetch(), dead.refetch()]),
  };
}

export function useFailingObjects(namespace: string | undefined): Need<Resource> {
  const inError = ERROR_KINDS.map((kind) => ({ kind, ...home(namespace), fieldSelector: 'status.phase=Error' }));
  const lists = useQueries({
    queries: inError.map((selection) => api.resources.list.queryOptions({ ...selection, limit: ERROR_READ })),
  });
  const counted = useQuery(api.resources.counts.queryOptions({ selections: inError }, { placeholderData: keepPreviousData }));
  const broken = lists.flatMap(({ data }) => data?.items ?? []);
  const all = lists.every(({ data }) => data !== undefined && data.continue === undefined);
  const loading = lists.some(({ isPending }) => isPending);
  return {
    items: broken.slice(0, SHOWN_MAX),
    ...brokenCount(broken.length, { all, counts: counted.data }),
    loading,
    error: lists.find(({ data, error }) => data === undefined && error !== null)?.error,
    retry: () => void Promise.all([counted.refetch(), ...lists.map(({ refetch }) => refetch())]),
  };
}
