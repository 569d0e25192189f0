// The steps of a trace before the one that asked. Pure.
import type { TraceEntry } from '@svc/shared/kinds/task/records';

/** How many are shown. */
export const STEPS = 5;

export interface StepsBefore {
  readonly steps: TraceEntry[];
  /** Whether the entry that asks is among those given. */
  readonly found: boolean;
  /** What has to be kept for the next page. */
  readonly rest: TraceEntry[];
}

/** `asks` is the name of the approval. Without its entry the last steps stand for those before it. */
export function stepsBefore(entries: readonly TraceEntry[], asks: string): StepsBefore {
  const at = entries.findIndex(({ approval, type }) => approval === asks && type.endsWith('_approval_pending'));
  const before = at < 0 ? entries : entries.slice(0, at);
  const steps = before.slice(-STEPS);
  return { steps, found: at >= 0, rest: steps };
}
