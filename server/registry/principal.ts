// Principals of a write, by name: the caller's identity, or a part of the service. No token can take the name of a part: names hold no colon.
import type { StoredObject } from '../store/store.ts';
import type { Identity } from './registry.ts';

export type ServicePart = 'engine' | 'worker' | 'controllers' | 'sessions' | 'triggers' | 'experiments';

/** `system:engine`. */
export const partName = (part: ServicePart): string => `system:${part}`;

/** Identity of a part of the service, which may do everything. */
export function partIdentity(part: ServicePart): Identity {
  return { method: 'system', name: partName(part), role: 'admin' };
}

/** Everybody who had a hand in what an object says: its creator, the last writer of its spec, and the creators of what it repeats. */
export function creatorsOf({ createdBy, specBy, alsoBy = [] }: Pick<StoredObject, 'createdBy' | 'specBy' | 'alsoBy'>): string[] {
  return [...new Set([createdBy, specBy, ...alsoBy].filter((name) => name !== undefined))];
}
