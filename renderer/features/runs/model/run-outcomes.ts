// Outcomes as filters: the phases, and Cancelled and Denied, which the server keeps as reasons. Pure.
import { DECIDED_REASONS } from '@svc/shared/kinds/task/outcome';
import { RUN_PHASES } from './run.ts';

const DECIDED = Object.entries(DECIDED_REASONS).map(([reason, outcome]) => ({ reason, outcome: outcome }));

/** In the order of the list's filters. */
export const RUN_OUTCOMES: readonly string[] = [...RUN_PHASES, ...DECIDED.map(({ outcome }) => outcome)];

const FAILURES: readonly string[] = ['Failed', 'DeadLetter'];
const not = (path: string) => (value: string) => `${path}!=${value}`;

/**
 * Field selector of runs with one of these outcomes; undefined for all. Selectors can only be joined by "and": several are selected by
 * excluding the others; see `isExact`.
 */
export function outcomeSelector(wanted: readonly string[]): string | undefined {
  const known = RUN_OUTCOMES.filter((outcome) => wanted.includes(outcome));
  if (known.length === 0 || known.length === RUN_OUTCOMES.length) return undefined;
  const decided = DECIDED.filter(({ outcome }) => known.includes(outcome));
  const reasonsOut = DECIDED.filter(({ outcome }) => !known.includes(outcome)).map(({ reason }) => not('status.reason')(reason));
  const [only] = known;
  if (known.length === 1) {
    if (decided[0]) return `status.reason=${decided[0].reason}`;
    return [`status.phase=${only}`, ...(FAILURES.includes(only ?? '') ? reasonsOut : [])].join(',');
  }
  // A decided end is in one of the phases of failures, which therefore cannot be excluded.
  const phasesOut = RUN_PHASES.filter((phase) => !known.includes(phase) && !(decided.length > 0 && FAILURES.includes(phase)));
  const failing = known.some((outcome) => FAILURES.includes(outcome)) || decided.length > 0;
  return [...phasesOut.map(not('status.phase')), ...(failing ? reasonsOut : [])].join(',');
}

/** False when the server returns others as well, which the browser hides. */
export function isExact(wanted: readonly string[]): boolean {
  const decided = DECIDED.filter(({ outcome }) => wanted.includes(outcome));
  if (decided.length === 0 || wanted.length === 1) return true;
  return FAILURES.every((phase) => wanted.includes(phase));
}
