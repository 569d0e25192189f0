// Stands in for the log of decisions and the check of inputs where a test decides approvals.
import { systemClock, type Clock } from '../clock.ts';
import type { DecisionDraft } from '@svc/shared/decision-record';
import type { ApprovalDeps } from '../engine/approvals/conclude.ts';
import { createInputCheck } from '../tools/input-check.ts';

export interface KeptDecisions extends ApprovalDeps {
  /** What was recorded, in order; drafts[n] has the number n + 1. Of transactions that were rolled back, too. */
  readonly drafts: readonly DecisionDraft[];
}

export function keptDecisions(clock: Clock = systemClock): KeptDecisions {
  const drafts: DecisionDraft[] = [];
  return {
    clock,
    drafts,
    recordDecision: (_tx, draft) => Promise.resolve({ seq: drafts.push(draft) }),
    checkInput: createInputCheck(),
  };
}
