// Verdicts of the server on this call and on the last calls of the tool that waited for a person: now, and with a rule.
import type { AccessCheckAnswer } from '@svc/shared/api/access';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../../live/api.ts';
import { readApproval, type Approval, type ToolApproval } from '../model/approval.ts';
import type { AlwaysRule } from './always-rules.ts';
import { callsOf } from './precedents.ts';

const READ = 100;
const CALLS_MAX = 8;

export interface CallEffect {
  readonly call: ToolApproval;
  readonly now: AccessCheckAnswer;
  readonly then: AccessCheckAnswer;
}

/** The call itself, then the newest ones of other runs or agents. */
export function similarCalls(approval: ToolApproval, all: readonly Approval[]): ToolApproval[] {
  const seen = new Set<string>();
  const different = [approval, ...callsOf(all, approval.tool)].filter(({ agent, task }) => {
    const id = `${agent} ${task.namespace}/${task.name}`;
    return !seen.has(id) && seen.add(id);
  });
  return different.slice(0, CALLS_MAX);
}

const questionOf = ({ agent, tool, task }: ToolApproval) => ({
  agent,
  tool: `${tool.namespace}/${tool.name}`,
  task: `${task.namespace}/${task.name}`,
});

export function useAlwaysEffects(approval: ToolApproval, rule: AlwaysRule | undefined) {
  const { namespace, uid } = approval;
  return useQuery({
    queryKey: ['always-effects', uid, rule?.documents],
    enabled: rule !== undefined,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    queryFn: async ({ signal }): Promise<readonly CallEffect[]> => {
      const { items } = await client.resources.list.query(
        { kind: 'ToolApproval', namespace, order: '-createdAt', limit: READ },
        { signal },
      );
      const calls = similarCalls(approval, items.map(readApproval));
      const questions = calls.map(questionOf);
      const ask = (documents: readonly unknown[]) =>
        client.access.whatIf.mutate({ namespace, documents: [...documents], questions }, { signal });
      const [now, then] = await Promise.all([ask([]), ask(rule?.documents ?? [])]);
      return calls.flatMap((call, at) => {
        const [before, after] = [now[at], then[at]];
        return before && after ? [{ call, now: before, then: after }] : [];
      });
    },
  });
}
