// Which phases an object does not leave on its own or by any action.

const END_PHASES: ReadonlySet<string> = new Set([
  'Succeeded',
  'Failed',
  'DeadLetter',
  'Cancelled',
  'Completed',
  'Expired',
  'Approved',
  'Denied',
  'ChangesRequested',
]);

/** A failed Session takes another turn, so only there `Failed` is no end (DECISIONS section 4). */
export function isEndPhase(kind: string, phase: string): boolean {
  return END_PHASES.has(phase) && !(kind === 'Session' && phase === 'Failed');
}
