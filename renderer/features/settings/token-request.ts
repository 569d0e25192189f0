// Form of a new token, and its validation. Pure.
import { nameProblem } from '@svc/shared/resource';

export interface TokenRequest {
  readonly name: string;
  readonly role: string;
  /** For the role a2a: systems, separated by spaces or commas. */
  readonly systems: string;
  /** Confirmed that the first token enables sign-in. */
  readonly understood: boolean;
}

const ROLES = [
  { value: 'reader', label: 'Reader', hint: 'Sees everything but secret values. Changes nothing.' },
  { value: 'approver', label: 'Approver', hint: 'Sees what a reader sees, and decides on approvals. Changes nothing else.' },
  { value: 'writer', label: 'Writer', hint: 'Changes objects, starts runs, decides on approvals.' },
  { value: 'admin', label: 'Admin', hint: 'Also creates tokens and declares tools that run as worker processes.' },
  { value: 'a2a', label: 'Agent to agent', hint: 'Only calls the systems named here; no console, no other API.' },
] as const;

/** The first token must be an admin's. */
export function roleOptions(first: boolean) {
  return ROLES.filter(({ value }) => !first || value === 'admin');
}

export function tokenProblem(
  { name, role, systems, understood }: TokenRequest,
  first: boolean,
): { readonly field: 'name' | 'systems' | 'understood'; readonly message: string } | undefined {
  const problem = nameProblem(name);
  if (name === '') return { field: 'name', message: 'Give it a name.' };
  if (problem !== undefined) return { field: 'name', message: `It ${problem}.` };
  if (role === 'a2a' && systems.trim() === '') return { field: 'systems', message: 'Name at least one system.' };
  return first && !understood ? { field: 'understood', message: 'Confirm this first.' } : undefined;
}
