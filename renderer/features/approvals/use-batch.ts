// Decisions sent one after the other; one that is refused does not hold up the others.
import { useCallback, useState } from 'react';
import { problemOf } from '../../live/problem.ts';
import { readApproval, type Approval } from './approval.ts';
import { sendDecision } from './use-decision.ts';

export interface BatchResult {
  readonly approval: Approval;
  readonly state: 'waiting' | 'sending' | 'done' | 'refused';
  readonly problem?: string;
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
