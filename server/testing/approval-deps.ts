// Fakes of the decision log and of the checks of inputs and tools, for tests that decide approvals.
import { systemClock, type Clock } from '../clock.ts';
import type { DecisionDraft } from '@svc/shared/decision-record';
import type { ApprovalDeps } from '../engine/approvals/conclude.ts';
import type { PlanCall, ToolCheck } from '../engine/ports.ts';
import { planCall } from '../tools/call-plan.ts';
import { createInputChecks } from '../tools/input-check.ts';
import { toolConfig } from './tool-deps.ts';

export interface KeptDecisions extends ApprovalDeps {
  /** Recorded decisions, in order; drafts[n] has the number n + 1. */
  readonly drafts: readonly DecisionDraft[];
  /** Every tool can run. */
  readonly canRun: ToolCheck;
  readonly planCall: PlanCall;
}

export function keptDecisions(clock: Clock = systemClock, inputs = createInputChecks()): KeptDecisions {
  const drafts: DecisionDraft[] = [];
  return {
    clock,
    drafts,
    recordDecision: (_tx, draft) => {
      // An approval is decided once: a second time is that of a transaction that lost a race and ran again.
      const before = drafts.findIndex(({ approval }) => approval.uid === draft.approval.uid);
      const place = before < 0 ? drafts.length : before;
      drafts[place] = draft;
      return Promise.resolve({ seq: place + 1 });
    },
    inputs,
    needOther: false,
    canRun: () => Promise.resolve(undefined),
    planCall: (tool, input) => planCall(tool, input, toolConfig()),
  };
}
