// The server's plan of a call: for the requested input, or for the edited one.
import type { CallPlan } from '@svc/shared/api/approvals';
import type { JsonObject } from '@svc/shared/json';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client } from '../../../live/api.ts';
import type { ToolApproval } from '../model/approval.ts';
import type { ApprovalContent } from '../model/use-approval-content.ts';

/** Typing has paused: the server plans the current input. */
const PAUSE_MS = 250;

export interface ShownPlan {
  /** Undefined while it is read, and where nothing can be planned. */
  readonly plan: CallPlan | undefined;
  /** The plan is for an earlier input; the current one is loading. */
  readonly updating: boolean;
  readonly error: unknown;
}

export function useCallPlan(
  { namespace, name, uid }: ToolApproval,
  { answer }: ApprovalContent,
  edited: JsonObject | undefined,
): ShownPlan {
  const [planned, setPlanned] = useState(edited);
  useEffect(() => {
    const timer = setTimeout(() => setPlanned(edited), edited === undefined ? 0 : PAUSE_MS);
    return () => clearTimeout(timer);
  }, [edited]);
  const wanted = edited === undefined ? undefined : planned;
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['approvals', 'plan', uid, wanted],
    queryFn: async ({ signal }) => (await client.approvals.plan.mutate({ namespace, name, input: wanted ?? {} }, { signal })) ?? null,
    enabled: wanted !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 60_000,
    retry: 1,
  });
  if (edited === undefined) return { plan: answer?.plan, updating: false, error: undefined };
  return { plan: data ?? answer?.plan, updating: planned !== edited || data === undefined || isPlaceholderData, error };
}
