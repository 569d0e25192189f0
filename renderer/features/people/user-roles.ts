// Roles that a user can have, with their explanations.

export const USER_ROLES = [
  { value: 'reader', label: 'Reader', hint: 'Sees everything but secret values. Changes nothing.' },
  { value: 'approver', label: 'Approver', hint: 'Sees what a reader sees, and decides on approvals. Changes nothing else.' },
  { value: 'writer', label: 'Writer', hint: 'Changes objects, starts runs, decides on approvals.' },
  { value: 'admin', label: 'Admin', hint: 'Also manages users and tokens, and declares tools that run as worker processes.' },
] as const;
