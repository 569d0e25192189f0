// Approvals of a run, live.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { asKind } from '../../../kinds/read.ts';
import { api } from '../../../live/api.ts';
import { sortApprovals, type RunApproval } from './run-approvals.ts';
import type { Run } from './run.ts';

const READ_MAX = 500;

export interface RunApprovals {
  readonly approvals: readonly RunApproval[];
  readonly loading: boolean;
  /** More exist than were loaded. */
  readonly cut: boolean;
  readonly error: unknown;
  readonly retry: () => void;
}

function useKind(kind: RunApproval['kind'], run: Run) {
  const { namespace, name } = run.metadata;
  return useQuery(
    api.resources.list.queryOptions({ kind, namespace, fieldSelector: `spec.task_ref=${name}`, order: '-createdAt', limit: READ_MAX }),
  );
}

export function useRunApprovals(run: Run): RunApprovals {
  const calls = useKind('ToolApproval', run);
  const outputs = useKind('TaskApproval', run);
  const items = useMemo(() => {
    const ofCalls = calls.data?.items.map((item) => asKind('ToolApproval', item)) ?? [];
    const ofOutputs = outputs.data?.items.map((item) => asKind('TaskApproval', item)) ?? [];
    return sortApprovals([...ofCalls, ...ofOutputs]);
  }, [calls.data, outputs.data]);
  return {
    approvals: items,
    loading: calls.isPending || outputs.isPending,
    cut: calls.data?.continue !== undefined || outputs.data?.continue !== undefined,
    error: calls.error ?? outputs.error,
    retry: () => {
      void calls.refetch();
      void outputs.refetch();
    },
  };
}
