// Whether the person may change something now, and if not, why: the disabledReason of every writing button.
import { useConnection, type ConnectionPhase } from '../live/connection.ts';
import { useHello } from './use-hello.ts';

export interface CanWrite {
  readonly allowed: boolean;
  /** One sentence; undefined when allowed. */
  readonly reason: string | undefined;
}

const NOT_NOW: Readonly<Partial<Record<ConnectionPhase, string>>> = {
  reconnecting: 'The server is not reachable. Your text stays here; try again when it answers.',
  offline: 'This machine is offline. Your text stays here; try again when it is online.',
  unauthorized: 'Your sign-in has ended. Sign in to continue.',
};

type NeededRole = 'reader' | 'approver' | 'writer' | 'admin';

const ROLE_RANK: Readonly<Record<string, number>> = { reader: 0, approver: 1, writer: 2, admin: 3 };

/** The rule itself. Pure. `connecting` allows writing: writes do not need the live stream. */
export function mayWrite(phase: ConnectionPhase, role: string | undefined, needed: NeededRole = 'writer'): CanWrite {
  const lost = NOT_NOW[phase];
  if (lost !== undefined) return { allowed: false, reason: lost };
  if (role === undefined) return { allowed: false, reason: 'Your identity is still loading.' };
  if ((ROLE_RANK[role] ?? 0) >= (ROLE_RANK[needed] ?? 3)) return { allowed: true, reason: undefined };
  return { allowed: false, reason: `This requires the role ${needed}; you have the role ${role}.` };
}

export function useCanWrite(needed: NeededRole = 'writer'): CanWrite {
  const { phase } = useConnection();
  const hello = useHello();
  return mayWrite(phase, hello?.identity.role, needed);
}

/** Whether the person's role allows editing for a write now or later: a lost server blocks the write, not the editing. */
export function useCanEdit(): CanWrite {
  return mayWrite('live', useHello()?.identity.role);
}
