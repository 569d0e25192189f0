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

/** `Failed` ends every kind but Session: a failed Session takes another turn. */
export function isEndPhase(kind: string, phase: string): boolean {
  return END_PHASES.has(phase) && !(kind === 'Session' && phase === 'Failed');
}
