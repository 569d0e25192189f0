// Word from outside that reaches a run: a cancel, a decision on an approval.
import type { Signal } from '../store/store.ts';
import { APPROVAL_SIGNAL } from './approvals/approval-signal.ts';
import { resolveApproval } from './core/approvals.ts';
import type { ApprovalVerdict, Entry } from './core/entries.ts';
import { reduce } from './core/reduce.ts';
import type { RunState } from './core/state.ts';

export const CANCEL_SIGNAL = 'cancel';

/** Folds signals in the order they came; answers with the entries that record them. One that means nothing (any more) gives none. */
export function foldSignals(state: RunState, signals: readonly Signal[], at: number): Entry[] {
  return signals.flatMap((signal) => {
    const entry = signalEntry(state, signal, at);
    if (!entry) return [];
    reduce(state, entry);
    return [entry];
  });
}

function signalEntry(state: RunState, signal: Signal, at: number): Entry | undefined {
  if (state.status === 'finished') return undefined;
  if (signal.type === APPROVAL_SIGNAL) return resolveApproval(state, signal.data as unknown as ApprovalVerdict, at);
  if (signal.type !== CANCEL_SIGNAL) return undefined;
  const { by, reason } = signal.data as { by?: string; reason?: string };
  return { type: 'cancel.requested', at, data: { by: by ?? '', reason: reason ?? 'cancelled on request' } };
}
