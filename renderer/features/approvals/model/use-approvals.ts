// The approvals of a namespace as live lists, with what the queue shows beside each: the tool's risk and the run's system.
import type { Resource } from '@svc/shared/resource';
import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { specOf } from '../../../kinds/read.ts';
import { api, client } from '../../../live/api.ts';
import type { ListInput } from '../../../live/list-selectors.ts';
import { problemOf } from '../../../live/problem.ts';
import { readApproval, type Approval, type ApprovalKind, type Place } from './approval.ts';
import { riskOf, type Risk } from './risk.ts';

const PAGE_SIZE = 200;
/** Approvals read of each kind; past it the queue reports that it is incomplete. */
const READ_MAX = 2_000;
/** Number of different tools whose risk is read for one queue; beyond it the risk is unknown. */
const TOOLS_MAX = 500;
/** Number of runs that are read one by one. */
const RUNS_MAX = 200;

/** The key matches the one that live data invalidates. */
export function useApprovalList(input: ListInput, enabled = true) {
  return useInfiniteQuery({
    queryKey: [['resources', 'list'], { input, type: 'infinite' }] as const,
    queryFn: ({ pageParam, signal }) =>
      client.resources.list.query({ ...input, ...(pageParam !== undefined && { after: pageParam }) }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.continue,
    enabled,
  });
}

type ApprovalList = ReturnType<typeof useApprovalList>;

const itemsOf = (data: ApprovalList['data']): readonly Resource[] => data?.pages.flatMap(({ items }) => items) ?? [];

/** Reads on by itself: the queue is sorted by expiry, which needs all of it. */
function useWhole(list: ApprovalList, count: number): void {
  const { hasNextPage, isFetching, isError, fetchNextPage } = list;
  const more = hasNextPage && !isFetching && !isError && count < READ_MAX;
  useEffect(() => {
    if (more) void fetchNextPage();
  }, [more, fetchNextPage]);
}

export interface Pending {
  readonly approvals: readonly Approval[];
  readonly loading: boolean;
  /** Lists that could not be read to their end: some of their approvals are missing. */
  readonly failed: readonly ApprovalKind[];
  /** Error of the first of them. */
  readonly error: unknown;
  /** More exist than are shown. */
  readonly cut: boolean;
  readonly retry: () => void;
}

const pendingInput = (kind: ApprovalKind, namespace: string | undefined): ListInput => ({
  kind,
  ...(namespace !== undefined && { namespace }),
  fieldSelector: 'status.phase=Pending',
  order: 'createdAt',
  limit: PAGE_SIZE,
});

export const failedKinds = (tools: Pick<ApprovalList, 'isError'>, tasks: Pick<ApprovalList, 'isError'>): readonly ApprovalKind[] => [
  ...(tools.isError ? (['ToolApproval'] as const) : []),
  ...(tasks.isError ? (['TaskApproval'] as const) : []),
];

/** All pending approvals, tool calls and reviews together, unsorted. */
export function usePending(namespace: string | undefined): Pending {
  const tools = useApprovalList(useMemo(() => pendingInput('ToolApproval', namespace), [namespace]));
  const tasks = useApprovalList(useMemo(() => pendingInput('TaskApproval', namespace), [namespace]));
  const toolItems = useMemo(() => itemsOf(tools.data), [tools.data]);
  const taskItems = useMemo(() => itemsOf(tasks.data), [tasks.data]);
  useWhole(tools, toolItems.length);
  useWhole(tasks, taskItems.length);
  const approvals = useMemo(() => [...toolItems, ...taskItems].map(readApproval), [toolItems, taskItems]);
  return {
    approvals,
    loading: tools.isPending || tasks.isPending,
    failed: failedKinds(tools, tasks),
    error: tools.error ?? tasks.error,
    cut: [tools, tasks].some((list) => list.hasNextPage && itemsOf(list.data).length >= READ_MAX),
    retry: () => void Promise.all([tools.refetch(), tasks.refetch()]),
  };
}

/** The risk of each tool by `namespace/name`; `unknown` for one that cannot be read, absent while it is read. */
export function useToolRisks(approvals: readonly Approval[]): ReadonlyMap<string, Risk> {
  const tools = useMemo(() => {
    const places = approvals.flatMap((approval): [string, Place][] =>
      approval.kind === 'ToolApproval' ? [[`${approval.tool.namespace}/${approval.tool.name}`, approval.tool]] : [],
    );
    return [...new Map(places)];
  }, [approvals]);
  const read = tools.slice(0, TOOLS_MAX);
  return useQueries({
    queries: read.map(([, { namespace, name }]) => api.resources.get.queryOptions({ kind: 'Tool', namespace, name }, { retry: false })),
    combine: (results) =>
      new Map(
        tools.flatMap(([key], index): [string, Risk][] => {
          const result = results[index];
          if (result && !result.data && !result.error) return [];
          return [[key, result?.data ? riskOf(result.data.spec) : 'unknown']];
        }),
      ),
  });
}

const runKey = ({ namespace, name }: Place): string => `${namespace}/${name}`;

const systemsOf = (tasks: readonly Resource[]): [string, string][] =>
  tasks.map((task) => [runKey(task.metadata), specOf('Task', task).system]);

/** The system of each requesting run, by `namespace/name`. Best effort: of very many runs some have none. */
export function useRunSystems(namespace: string | undefined, approvals: readonly Approval[]): ReadonlyMap<string, string> {
  const input = { kind: 'Task', ...(namespace !== undefined && { namespace }), fieldSelector: 'status.phase=WaitingApproval', limit: 500 };
  const { data } = useQuery(api.resources.list.queryOptions(input));
  // A run may wait with one branch while the others still work: then it is not among the waiting runs.
  const others = useMemo(() => {
    if (!data) return [];
    const listed = new Set(data.items.map(({ metadata }) => runKey(metadata)));
    const asking = new Map(approvals.map(({ task }): [string, Place] => [runKey(task), task]));
    return [...asking].flatMap(([key, task]) => (listed.has(key) ? [] : [task])).slice(0, RUNS_MAX);
  }, [data, approvals]);
  const found = useQueries({
    queries: others.map(({ namespace: home, name }) =>
      api.resources.get.queryOptions({ kind: 'Task', namespace: home, name, brief: true }, { retry: false }),
    ),
    combine: tasksOf,
  });
  return useMemo(() => new Map(systemsOf([...(data?.items ?? []), ...found])), [data, found]);
}

/** Existing ones. */
const tasksOf = (results: readonly { readonly data?: Resource | undefined }[]): readonly Resource[] =>
  results.flatMap(({ data }) => (data ? [data] : []));

/** One approval, live. `missing`: it does not exist, or no longer. */
export function useApproval(place: (Place & { readonly kind: ApprovalKind }) | undefined) {
  const { kind = 'ToolApproval', namespace = '', name = '' } = place ?? {};
  const query = useQuery({ ...api.resources.get.queryOptions({ kind, namespace, name }), enabled: place !== undefined });
  const approval = useMemo(() => (query.data ? readApproval(query.data) : undefined), [query.data]);
  const missing = query.isError && problemOf(query.error).code === 'not_found';
  return { ...query, approval: missing ? undefined : approval, missing };
}
