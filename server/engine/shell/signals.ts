// Word from outside that reaches a run: a cancel, a decision on an approval, the reply to a tool call.
import type { Signal } from '../../store/store.ts';
import { APPROVAL_SIGNAL, REVIEW_SIGNAL } from '../approvals/approval-signal.ts';
import { resolveApproval, unknownOutcomes } from '../core/approvals.ts';
import { resolveBreakpoint, type ContinueRequest } from '../core/breakpoints.ts';
import type { ApprovalVerdict, Entry, ReviewVerdict } from '../core/entries.ts';
import { applyEntry } from '../core/apply-entry.ts';
import { resolveReview } from '../core/reviews.ts';
import type { RunState } from '../core/state.ts';
import { replyEntry } from '../core/tool-replies.ts';
import { TOOL_REPLY_SIGNAL, type ToolReplySignal } from '../ports.ts';

export const CANCEL_SIGNAL = 'cancel';
export const PAUSE_SIGNAL = 'pause';
/** Continues or ends a turn at a breakpoint; its data is a ContinueRequest. */
export const CONTINUE_SIGNAL = 'continue';
export const RESUME_SIGNAL = 'resume';

/** Folds signals in their order; returns the entries that record them. A signal without an effect has none. */
export function foldSignals(state: RunState, signals: readonly Signal[], at: number): Entry[] {
  return signals.flatMap((signal) => {
    const entry = signalEntry(state, signal, at);
    if (!entry) return [];
    applyEntry(state, entry);
    return [entry];
  });
}

/** Folds signals of a run that no worker held: sent calls without a result need an approval before any decision is folded. */
export function foldGiven(state: RunState, signals: readonly Signal[], at: number): Entry[] {
  // A call that was answered while nobody had the run is not lost: it needs no approval and is not sent again.
  const replies = foldReplies(state, signals, at);
  const asked = unknownOutcomes(state, { now: at });
  for (const entry of asked) applyEntry(state, entry);
  return [...replies, ...asked, ...foldSignals(state, signals, at)];
}

/** Replies alone. */
function foldReplies(state: RunState, signals: readonly Signal[], at: number): Entry[] {
  return foldSignals(
    state,
    signals.filter(({ type }) => type === TOOL_REPLY_SIGNAL),
    at,
  );
}

function signalEntry(state: RunState, signal: Signal, at: number): Entry | undefined {
  if (state.status === 'finished') return undefined;
  switch (signal.type) {
    case APPROVAL_SIGNAL:
      return resolveApproval(state, signal.data as unknown as ApprovalVerdict, at);
    case REVIEW_SIGNAL:
      return resolveReview(state, signal.data as unknown as ReviewVerdict, at);
    case TOOL_REPLY_SIGNAL: {
      const { request_id: requestId, reply } = signal.data as Partial<ToolReplySignal>;
      return replyEntry(state, { requestId, reply }, at);
    }
    case CANCEL_SIGNAL: {
      const { by, reason } = signal.data as { by?: string; reason?: string };
      return { type: 'cancel.requested', at, data: { by: by ?? '', reason: reason ?? 'cancelled on request' } };
    }
    case PAUSE_SIGNAL: {
      const { by, reason } = signal.data as { by?: string; reason?: string };
      return state.paused ? undefined : { type: 'run.paused', at, data: { by: by ?? '', reason: reason ?? '' } };
    }
    case CONTINUE_SIGNAL:
      return resolveBreakpoint(state, signal.data as unknown as ContinueRequest, at);
    case RESUME_SIGNAL: {
      const { by } = signal.data as { by?: string };
      return state.paused && { type: 'run.resumed', at, data: { by: by ?? '' } };
    }
    default:
      return undefined;
  }
}
