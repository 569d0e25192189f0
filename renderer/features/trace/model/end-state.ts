// How a part of a run ended that has an error: an end that a person chose is not a failure. Pure.
export function endState(code: string | undefined): 'failed' | 'denied' | 'cancelled' {
  if (code === 'cancelled') return 'cancelled';
  return code === 'approval_denied' ? 'denied' : 'failed';
}
