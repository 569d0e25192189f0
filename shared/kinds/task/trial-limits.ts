// Limits of trials, without the schemas: pages read them too.

export const BREAKPOINT_WAIT_DEFAULT = '1h';
/** A breakpoint that nobody continues ends its run at the latest after this. */
export const BREAKPOINT_WAIT_MAX = '168h';
export const TRIAL_LIST_MAX = 100;
/** Kinds whose earlier versions a trial may run. Never a kind that gives rights, holds Secrets or says where calls go: those are always current. */
export const PINNED_KINDS = ['AgentSystem', 'Agent'] as const;
