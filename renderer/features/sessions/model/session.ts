// A Session as its screens read it. Pure.
import { parseRef } from '@svc/shared/resource';
import type { TypedResource } from '../../../kinds/read.ts';

export const SESSION = 'Session';
export type Session = TypedResource<typeof SESSION>;

export interface SessionRef {
  readonly namespace: string;
  readonly name: string;
}

/** Where the objects of a conversation are, and the scope of links to them. A conversation from a file has none: this server may not know them. */
export interface Place {
  readonly namespace: string;
  readonly scope: string;
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
