// Sentence in a run's header, chosen from its chain of reasons. Pure.
import type { ExplainReason } from '@svc/shared/api/runs';

/** These only locate the run; the next one gives the reason. */
const OUTER: ReadonlySet<string> = new Set(['running', 'waiting_for_worker', 'lease_expired']);

/** The outermost reason that a person can act on. */
export function mainReason(reasons: readonly ExplainReason[]): ExplainReason | undefined {
  return reasons.find(({ code }) => !OUTER.has(code)) ?? reasons[0];
}

/** End of its worker's lease. */
export function leaseOf(reasons: readonly ExplainReason[]): string | undefined {
  return reasons.find(({ code }) => code === 'running')?.until;
}
