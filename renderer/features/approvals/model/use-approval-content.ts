// Content of a pending approval, as recorded by its run, and the current Tool beside it.
import type { ApprovalRequest } from '@svc/shared/api/approvals';
import { jsonEquals } from '@svc/shared/json';
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { api, client } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import type { Approval, ToolApproval } from './approval.ts';
import { graver, riskOf, type Risk } from './risk.ts';

type Spec = Readonly<Record<string, unknown>>;

export interface ApprovalContent {
  /** Undefined while it is read, and for decided ones. */
  readonly answer: ApprovalRequest | undefined;
  readonly error: unknown;
  readonly retry: () => void;
}

/** Requested again when another approval has taken the name. */
const contentQuery = ({ kind, namespace, name, uid, phase }: Approval) =>
  queryOptions({
    queryKey: ['approvals', 'asked', kind, namespace, name, uid],
    queryFn: ({ signal }): Promise<ApprovalRequest> => client.approvals.request.query({ kind, namespace, name }, { signal }),
    enabled: phase === 'Pending',
    staleTime: Infinity,
    retry: 1,
  });

/** Reason why one of these requires another person than the caller; undefined when none does, as far as is known. */
export function useRefused(approvals: readonly Approval[]): string | undefined {
  const answers = useQueries({ queries: approvals.map(contentQuery) });
  return answers.find(({ data }) => data?.refused !== undefined)?.data?.refused;
}

export function useApprovalContent(approval: Approval): ApprovalContent {
  const { uid } = approval;
  const { data, error, refetch } = useQuery(contentQuery(approval));
  return { answer: data?.uid === uid ? data : undefined, error: data ? undefined : error, retry: () => void refetch() };
}

export interface RecordedTool {
  /** Spec of the tool that would run; undefined while it is loading, or when it cannot be read. */
  readonly spec: Spec | undefined;
  readonly ofRun: boolean;
  readonly drift: 'changed' | 'deleted' | undefined;
  /** Nothing can be shown: the Tool does not exist, and no run has recorded it. */
  readonly missing: boolean;
  readonly risk: Risk;
}

/** The graver of the two risks counts: neither an old nor a new Tool makes a decision lighter. */
export function useRecordedTool({ tool, phase }: ToolApproval, { answer }: ApprovalContent): RecordedTool {
  const { data, error, isError } = useQuery(api.resources.get.queryOptions({ kind: 'Tool', ...tool }, { retry: false }));
  const deleted = isError && problemOf(error).code === 'not_found';
  const now = deleted ? undefined : data?.spec;
  const own = answer?.call?.tool.spec;
  const drift = deleted ? 'deleted' : own !== undefined && now !== undefined && !jsonEquals(own, now) ? 'changed' : undefined;
  const risk = own === undefined ? riskOf(now) : now === undefined ? riskOf(own) : graver(riskOf(own), riskOf(now));
  // The current Tool is shown once it is known that the run has recorded none: it might differ from the one that runs.
  const spec = answer === undefined && phase === 'Pending' ? undefined : (own ?? now);
  return { spec, ofRun: own !== undefined, drift, missing: deleted && spec === undefined && answer !== undefined, risk };
}
