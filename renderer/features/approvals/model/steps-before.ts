// Steps of a trace before the requesting one. Pure.
import type { TraceEntry } from '@svc/shared/kinds/task/records';

/** How many are shown. */
export const STEPS = 5;

/** Transport of messages, which explains nothing about the request. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['agent_message_received', 'agent_message_processed', 'agent_message_join_wait']);

export interface StepsBefore {
  readonly steps: TraceEntry[];
  /** Whether the requesting entry is among those given. */
  readonly found: boolean;
  /** Entries to keep for the next page. */
  readonly rest: TraceEntry[];
}

/** `asks` is the name of the approval. Without its entry the last steps are used. */
export function stepsBefore(entries: readonly TraceEntry[], asks: string): StepsBefore {
  const at = entries.findIndex(({ approval, type }) => approval === asks && type.endsWith('_approval_pending'));
  const before = at < 0 ? entries : entries.slice(0, at);
  const steps = before.filter(({ type }) => !BOOKKEEPING.has(type)).slice(-STEPS);
  return { steps, found: at >= 0, rest: steps };
}
