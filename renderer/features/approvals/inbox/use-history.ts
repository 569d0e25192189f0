// Approvals that are decided or expired, both kinds as one list, the last one closed first, page by page.
import { useCallback, useMemo } from 'react';
import { loadNext } from '../../../live/list-pages.ts';
import { readApproval, type Approval, type ApprovalKind } from '../model/approval.ts';
import { failedKinds, useApprovalList } from '../model/use-approvals.ts';

const PAGE_SIZE = 50;

export interface HistoryFilter {
  readonly namespace: string | undefined;
  readonly kinds: readonly string[];
  /** One phase, or empty for all closed ones. */
  readonly phase: string;
  readonly text: string;
}

export interface History {
  readonly items: readonly Approval[];
  /** Number of approvals searched for them. */
  readonly read: number;
  readonly loading: boolean;
  /** Lists that could not be read to their end, and the error of the first of them. */
  readonly failed: readonly ApprovalKind[];
  readonly error: unknown;
  readonly more: boolean;
  readonly loadingMore: boolean;
  readonly onMore: () => void;
  readonly retry: () => void;
}

const inputOf = (kind: ApprovalKind, { namespace, phase }: HistoryFilter) => ({
  kind,
  ...(namespace !== undefined && { namespace }),
  fieldSelector: phase === '' ? 'status.phase!=Pending' : `status.phase=${phase}`,
  order: '-status.closed_at' as const,
  limit: PAGE_SIZE,
});

/** Those without a time are the last ones. */
const placeOf = ({ closedAt }: Approval): number => closedAt || 0;

/** The last one closed first; of two lists only as far back as both were read. */
function merged(lists: readonly { readonly items: readonly Approval[]; readonly more: boolean }[]): Approval[] {
  const lasts = lists.filter(({ more }) => more).flatMap(({ items }) => items.slice(-1));
  const oldest = Math.max(...lasts.map(placeOf), 0);
  return lists
    .flatMap(({ items }) => items)
    .filter((approval) => placeOf(approval) >= oldest)
    .sort((a, b) => placeOf(b) - placeOf(a) || (a.key < b.key ? -1 : 1));
}

function fits({ agent, task, decision, kind, name, ...rest }: Approval, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  const subject = kind === 'ToolApproval' && 'tool' in rest ? rest.tool.name : '';
  return wanted === '' || [agent, task.name, decision.by ?? '', name, subject].some((each) => each.toLowerCase().includes(wanted));
}

const approvalsOf = (data: ReturnType<typeof useApprovalList>['data']): Approval[] =>
  (data?.pages ?? []).flatMap((page) => page.items.map(readApproval));

export function useHistory(filter: HistoryFilter, enabled: boolean): History {
  const { namespace, kinds, phase, text } = filter;
  const wants = (kind: ApprovalKind) => enabled && (kinds.length === 0 || kinds.includes(kind));
  const toolInput = useMemo(() => inputOf('ToolApproval', { namespace, phase, kinds: [], text: '' }), [namespace, phase]);
  const taskInput = useMemo(() => inputOf('TaskApproval', { namespace, phase, kinds: [], text: '' }), [namespace, phase]);
  // A call is never sent back.
  const asksTools = wants('ToolApproval') && phase !== 'ChangesRequested';
  const withTasks = wants('TaskApproval');
  const tools = useApprovalList(toolInput, asksTools);
  const tasks = useApprovalList(taskInput, withTasks);
  const lists = [...(asksTools ? [tools] : []), ...(withTasks ? [tasks] : [])];
  const { data: toolData, hasNextPage: moreTools } = tools;
  const { data: taskData, hasNextPage: moreTasks } = tasks;
  const items = useMemo(() => {
    const toolPages = asksTools ? [{ items: approvalsOf(toolData), more: moreTools }] : [];
    const taskPages = withTasks ? [{ items: approvalsOf(taskData), more: moreTasks }] : [];
    return merged([...toolPages, ...taskPages]).filter((approval) => fits(approval, text));
  }, [asksTools, toolData, moreTools, withTasks, taskData, moreTasks, text]);
  const onMore = useCallback(() => {
    for (const list of [tools, tasks]) if (list.hasNextPage && !list.isFetchingNextPage) void loadNext(list);
  }, [tools, tasks]);
  return {
    items,
    read: lists.reduce((sum, list) => sum + (list.data?.pages ?? []).reduce((count, page) => count + page.items.length, 0), 0),
    loading: lists.some((list) => list.isPending),
    failed: failedKinds({ isError: asksTools && tools.isError }, { isError: withTasks && tasks.isError }),
    error: lists.find((list) => list.error)?.error,
    more: lists.some((list) => list.hasNextPage),
    loadingMore: lists.some((list) => list.isFetchingNextPage),
    onMore,
    retry: () => void Promise.all(lists.map((list) => list.refetch())),
  };
}
