// Runs that no worker can take, by what they miss: the server notes it on each of them. Pure.
import type { Resource } from '@svc/shared/resource';

export interface UntakeableGroup {
  /** In the server's words. */
  readonly reason: string;
  /** The one that has waited longest first. */
  readonly runs: readonly Resource[];
}

/** A template waits for nobody: it is never run. */
export function isWaiting({ spec, status }: Resource): boolean {
  return status['phase'] === 'Pending' && spec['mode'] !== 'template';
}

/** The most runs first. */
export function untakeableGroups(waiting: readonly Resource[]): UntakeableGroup[] {
  const groups = new Map<string, Resource[]>();
  for (const run of waiting) {
    const { kind, reason } = (run.status['blockedOn'] ?? {}) as { readonly kind?: unknown; readonly reason?: unknown };
    if (kind !== 'Worker' || !isWaiting(run)) continue;
    const words = typeof reason === 'string' && reason !== '' ? reason : 'no worker can take it';
    groups.set(words, [...(groups.get(words) ?? []), run]);
  }
  const since = ({ metadata }: Resource) => metadata.createdAt;
  return [...groups]
    .map(([reason, runs]) => ({ reason, runs: runs.sort((a, b) => (since(a) < since(b) ? -1 : 1)) }))
    .sort((a, b) => b.runs.length - a.runs.length);
}
