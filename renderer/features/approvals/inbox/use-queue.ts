// The queue as shown: pending approvals, with risk and system, filtered, sorted and grouped.
import { useMemo } from 'react';
import type { InboxState } from './inbox-params.ts';
import { byExpiry, countsOf, grouped, matches, type QueueItem } from './queue.ts';
import { usePending, useRunSystems, useToolRisks } from '../model/use-approvals.ts';

export function useQueue(namespace: string | undefined, { kind, risk, q, group }: InboxState) {
  const pending = usePending(namespace);
  const { approvals } = pending;
  const risks = useToolRisks(approvals);
  const systems = useRunSystems(namespace, approvals);
  const all = useMemo(
    () =>
      approvals
        .map((approval): QueueItem => ({
          approval,
          risk: approval.kind === 'ToolApproval' ? risks.get(`${approval.tool.namespace}/${approval.tool.name}`) : undefined,
          system: systems.get(`${approval.task.namespace}/${approval.task.name}`),
        }))
        .sort(byExpiry),
    [approvals, risks, systems],
  );
  const filter = useMemo(() => ({ kinds: kind, risks: risk, text: q }), [kind, risk, q]);
  const groups = useMemo(
    () =>
      grouped(
        all.filter((item) => matches(item, filter)),
        group,
      ),
    [all, filter, group],
  );
  const items = useMemo(() => groups.flatMap((each) => each.items), [groups]);
  const keys = useMemo(() => items.map(({ approval }) => approval.key), [items]);
  const counts = useMemo(() => countsOf(all, filter), [all, filter]);
  return { pending, all, groups, items, keys, counts };
}

export type Queue = ReturnType<typeof useQueue>;
