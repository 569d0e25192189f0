// Outcomes that a decision on a call may state. Without schemas: the console loads this with its inbox.

/** Outcomes of a lost call that a person may report. */
export const CALL_OUTCOMES = ['done', 'not_done', 'run_again'] as const;
/** Outcome of a call that a person answers in place of its tool: it is not made. */
export const ANSWERED = 'answered';
export type CallOutcome = (typeof CALL_OUTCOMES)[number] | typeof ANSWERED;
