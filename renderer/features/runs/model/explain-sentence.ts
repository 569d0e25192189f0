// The one sentence of a chain of reasons that stands in a run's header. Pure.
import type { ExplainReason } from '@svc/shared/api/runs';

/** These only say where the run is; the next one says why. */
const OUTER: ReadonlySet<string> = new Set(['running', 'waiting_for_worker', 'lease_expired']);

/** The outermost reason that says something a person can act on. */
export function mainReason(reasons: readonly ExplainReason[]): ExplainReason | undefined {
  return reasons.find(({ code }) => !OUTER.has(code)) ?? reasons[0];
}

/** Until when the lease of the worker that has it lasts. */
export function leaseOf(reasons: readonly ExplainReason[]): string | undefined {
  return reasons.find(({ code }) => code === 'running')?.until;
}
