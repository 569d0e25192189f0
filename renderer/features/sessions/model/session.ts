// A Session as its screens read it. Pure.
import { parseRef } from '@svc/shared/resource';
import type { TypedResource } from '../../../kinds/read.ts';
import { objectAddress } from '../../../navigation/addresses.ts';

export const SESSION = 'Session';
export type Session = TypedResource<typeof SESSION>;

export interface SessionRef {
  readonly namespace: string;
  readonly name: string;
}

/** Where the objects of a conversation are, and the scope of links to them. A conversation from a file has none: this server may not know them. */
export interface Place {
  readonly namespace: string;
  /** Name of the Session. */
  readonly session: string;
  readonly scope: string;
}

/** The page of the Session, at one of its turns. */
export function turnAddress({ namespace, session }: Place, turn: string): string {
  return objectAddress({ kind: SESSION, namespace, name: session }, undefined, { turn });
}

const ENDED: ReadonlySet<string> = new Set(['Cancelled', 'Completed', 'Expired']);

export function phaseOf(session: Session): string {
  return session.status.phase;
}

export function hasEnded(session: Session): boolean {
  return ENDED.has(phaseOf(session));
}

export function refOf({ metadata: { namespace, name } }: Pick<Session, 'metadata'>): SessionRef {
  return { namespace, name };
}

export function systemOf({ spec, metadata }: Session): { readonly kind: 'AgentSystem'; readonly namespace: string; readonly name: string } {
  return { kind: 'AgentSystem', ...parseRef(spec.system, metadata.namespace) };
}
