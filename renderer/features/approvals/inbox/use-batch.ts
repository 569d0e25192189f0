// Decisions sent one after the other. A refused one does not stop the others; a missing answer ends the batch, since nothing may be sent
// unseen.
import { useCallback, useState } from 'react';
import { client } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import { readApproval, type Approval } from '../model/approval.ts';
import { riskOf } from '../model/risk.ts';
import { sendDecision, type DecisionWord } from '../decision/use-decision.ts';

export interface BatchResult {
  readonly approval: Approval;
  /** `unknown`: sent, and no answer came. `unsent`: left out because the server could not be reached. */
  readonly state: 'waiting' | 'sending' | 'done' | 'refused' | 'unknown' | 'unsent';
  readonly problem?: string;
}

type Outcome = Omit<BatchResult, 'approval'>;

const UNSENT: Outcome = { state: 'unsent', problem: 'Not sent: the server could not be reached.' };
const UNKNOWN: Outcome = {
  state: 'unknown',
  problem: 'No answer arrived, so the result is unknown. The queue shows it when the server answers.',
};

/** Reason for an individual review: its run may have frozen a graver tool than the current one, which the queue shows. */
async function graverThanShown({ kind, namespace, name }: Approval): Promise<string | undefined> {
  const { call } = await client.approvals.request.query({ kind, namespace, name });
  const risk = call ? riskOf(call.tool.spec) : 'low';
  return risk === 'low' ? undefined : `Its tool has risk ${risk}. Decide it separately.`;
}

function outcomeOf(error: unknown, unreachable: Outcome): Outcome {
  const { code, message } = problemOf(error);
  return code === 'unreachable' ? unreachable : { state: 'refused', problem: message };
}

/** Reason why it is not sent; undefined when it may be. */
async function outcomeBefore(approval: Approval, decision: DecisionWord): Promise<Outcome | undefined> {
  try {
    const problem = decision === 'approved' ? await graverThanShown(approval) : undefined;
    return problem === undefined ? undefined : { state: 'refused', problem };
  } catch (error) {
    return outcomeOf(error, UNSENT);
  }
}

export function useBatch(onDecided: (decided: Approval) => void) {
  const [results, setResults] = useState<readonly BatchResult[]>([]);
  const [running, setRunning] = useState(false);
  const start = useCallback(
    async (approvals: readonly Approval[], decision: 'approved' | 'denied') => {
      const mark = (at: number, result: Outcome) =>
        setResults((before) => before.map((each, index) => (index === at ? { approval: each.approval, ...result } : each)));
      const sendOne = async (approval: Approval): Promise<Outcome> => {
        const before = await outcomeBefore(approval, decision);
        if (before) return before;
        try {
          onDecided(readApproval(await sendDecision(approval, decision, { comment: '' })));
          return { state: 'done' };
        } catch (error) {
          return outcomeOf(error, UNKNOWN);
        }
      };
      setResults(approvals.map((approval) => ({ approval, state: 'waiting' })));
      setRunning(true);
      for (const [index, approval] of approvals.entries()) {
        mark(index, { state: 'sending' });
        const outcome = await sendOne(approval);
        mark(index, outcome);
        if (outcome.state !== 'unknown' && outcome.state !== 'unsent') continue;
        setResults((before) => before.map((each) => (each.state === 'waiting' ? { approval: each.approval, ...UNSENT } : each)));
        break;
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
