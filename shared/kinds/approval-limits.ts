// Limits that ToolApproval, TaskApproval and what makes them share. Source: SPEC "Limits".

/** How long a decision may take when nothing else is said; a duration as stored in specs. */
export const APPROVAL_TTL_DEFAULT = '10m';

/** The review cycle from which work can no longer be sent back. */
export const MAX_REVIEW_CYCLES_DEFAULT = 3;
