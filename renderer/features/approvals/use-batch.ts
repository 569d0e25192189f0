// Decisions sent one after the other; one that is refused does not hold up the others.
import { useCallback, useState } from 'react';
import { client } from '../../live/api.ts';
import { problemOf } from '../../live/problem.ts';
import { readApproval, type Approval } from './approval.ts';
import { riskOf } from './risk.ts';
import { sendDecision } from './use-decision.ts';

export interface BatchResult {
  readonly approval: Approval;
  readonly state: 'waiting' | 'sending' | 'done' | 'refused';
  readonly problem?: string;
}

/** Why this one has to be looked at by itself: its run may have a graver tool than the one of today, which the queue goes by. */
async function graverThanShown({ kind, namespace, name }: Approval): Promise<string | undefined> {
  const { call } = await client.approvals.asked.query({ kind, namespace, name });
  const risk = call ? riskOf(call.tool.spec) : 'low';
  return risk === 'low' ? undefined : `Its run has the tool with risk ${risk}. Decide it by itself.`;
}

export function useBatch(onDecided: (decided: Approval) => void) {
  const [results, setResults] = useState<readonly BatchResult[]>([]);
  const [running, setRunning] = useState(false);
  const start = useCallback(
    async (approvals: readonly Approval[], decision: 'approved' | 'denied') => {
      const mark = (at: number, result: Omit<BatchResult, 'approval'>) =>
        setResults((before) => before.map((each, index) => (index === at ? { approval: each.approval, ...result } : each)));
      setResults(approvals.map((approval) => ({ approval, state: 'waiting' })));
      setRunning(true);
      for (const [index, approval] of approvals.entries()) {
        mark(index, { state: 'sending' });
        try {
          const problem = decision === 'approved' ? await graverThanShown(approval) : undefined;
          if (problem !== undefined) {
            mark(index, { state: 'refused', problem });
            continue;
          }
          onDecided(readApproval(await sendDecision(approval, decision, { comment: '' })));
          mark(index, { state: 'done' });
        } catch (error) {
          mark(index, { state: 'refused', problem: problemOf(error).message });
        }
      }
      setRunning(false);
    },
    [onDecided],
  );
  const clear = useCallback(() => setResults([]), []);
  return {
    results,
    running,
    clear,
    start: (approvals: readonly Approval[], decision: 'approved' | 'denied') => void start(approvals, decision),
  };
}
