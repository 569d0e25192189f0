// Calls in flight at the end of a turn or an attempt. The next one makes its calls again, under other request ids, so that no tool recognises them.
import { cutOffCall, needsOutcomeReport } from './approvals.ts';
import { callTagOf } from './clearance.ts';
import type { DecideContext, Decision, Effect } from './decision.ts';
import type { Entry } from './entries.ts';
import { callsInFlight } from './pause-state.ts';
import type { AttemptState, CallState, RunState, TurnState } from './state.ts';
import { authOf } from './tool-auth.ts';
import { decideCall } from './tool-calls.ts';
import { toolOf, type PendingCall } from './verdicts.ts';

type Waiting = Extract<Decision, { kind: 'record' | 'judge' | 'perform' }>;

/** Lets calls end that need a person's report before a repeat, or requests it, and starts nothing else; undefined when there are none. */
export function awaitSentCalls(state: RunState, attempt: AttemptState, context: DecideContext): Waiting | undefined {
  const effects: Effect[] = [];
  const pendingCalls: PendingCall[] = [];
  let waits = false;
  for (const turn of attempt.turns.values()) {
    const { step } = turn;
    if (!step) continue;
    const scope = { state, attempt, turn };
    const cutOff = cutOffCall(scope, step, context);
    if (cutOff) return { kind: 'record', entry: cutOff };
    for (const call of step.calls.filter((each) => isAwaited(attempt, each))) {
      waits = true;
      const next = decideCall(scope, { step, call, context });
      if (next?.kind === 'record') return next;
      if (next) pendingCalls.push(...next.pendingCalls);
    }
    effects.push(...callsInFlight(turn).filter((effect) => effect.kind === 'tool' && needsOutcomeReport(attempt, effect.call)));
  }
  if (pendingCalls.length > 0) return { kind: 'judge', pendingCalls };
  return waits ? { kind: 'perform', effects, wakeAt: undefined } : undefined;
}

/** Sent without a result; or denied by a person, which ends the Task. */
function isAwaited(attempt: AttemptState, call: CallState): boolean {
  if (call.phase === 'decided' && call.verdict?.decision !== 'approved') return true;
  return call.phase !== 'done' && call.sentAt > 0 && needsOutcomeReport(attempt, call);
}

/** The record of a call without a result whose turn is about to end; undefined when there is none left. */
export function abortedCall(state: RunState, turns: Iterable<TurnState>, at: number): Entry | undefined {
  const { attempt } = state;
  for (const turn of turns) {
    const { step } = turn;
    const call = step?.calls.find(({ phase }) => phase === 'requested');
    if (!attempt || !step || !call) continue;
    const tag = callTagOf({ state, attempt, turn }, { step, call });
    const facts = { input: call.input ?? {}, ...authOf(toolOf(attempt.snapshot, tag.tool)), latency_ms: Math.max(0, at - call.sentAt) };
    const message = `the call of ${tag.tool} was sent and aborted before its result: its outcome is not known`;
    return { type: 'tool.failed', at, data: { ...tag, ...facts, code: 'canceled', reason: 'unknown_outcome', message, retryable: false } };
  }
  return undefined;
}
