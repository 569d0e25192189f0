// How the calls of a step change as they are sent, lost with their worker, and sent again.
import { canonicalJson } from '@svc/shared/json';
import { invariant } from '@svc/shared/errors';
import type { EntryOf } from './entries.ts';
import type { CallState, RunState, StepState, TurnState } from './state.ts';

/** Key of a call for the duplicate policy: the tool and its arguments, key order aside. */
export function callKey(tool: string, input: unknown): string {
  return `${tool}\u0000${canonicalJson(input)}`;
}

export function sendCall(call: CallState, { at, data }: EntryOf<'tool.requested'>): void {
  if (data.approved?.edited === true) call.proposed ??= call.input;
  call.phase = 'requested';
  call.input = data.input;
  call.requestId = data.request_id;
  call.sentAt = at;
  call.lost = false;
  call.approved = data.approved ?? call.approved;
}

/** Sent again unchanged: its permission and its input remain valid. */
export function resend({ id, step }: TurnState, { at, data }: EntryOf<'call.resent'>): void {
  invariant(step, `a call is sent again without a step in turn ${id}`);
  if (data.index === undefined) {
    step.lost = false;
    step.requestedAt = at;
    step.tokenLimit = data.token_limit;
    return;
  }
  const call = step.calls[data.index];
  invariant(call, `no call ${data.index} in the step of turn ${id}`);
  call.phase = 'requested';
  call.sentAt = at;
  call.lost = false;
}

/** A new owner of the run: what the one before it sent has no result that this one will see. */
export function loseCalls({ attempt }: RunState): void {
  for (const { step } of attempt?.turns.values() ?? []) if (step) loseStep(step);
}

export function loseStep(step: StepState): void {
  step.lost = step.phase === 'model_requested';
  for (const call of step.calls) {
    // Journals of the first format do not record whether a call was sent again after a decision: it may have been.
    if (call.phase === 'decided' && call.verdict?.outcome === 'run_again') call.phase = 'requested';
    call.lost = call.phase === 'requested';
  }
}
