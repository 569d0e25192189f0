// Limits that ToolApproval, TaskApproval and what makes them share. Source: SPEC "Limits".

/** How long a decision may take when nothing else is said; a duration as stored in specs. */
export const APPROVAL_TTL_DEFAULT = '10m';
