// Unschedulable runs, by missing capability: the server records it on each of them. Pure.
import type { Resource } from '@svc/shared/resource';
import { specOf, statusOf } from '../../../kinds/read.ts';
import { formatNumber } from '../../../ui/status/format.ts';

export interface UnschedulableGroup {
  /** In the server's words. */
  readonly reason: string;
  /** The one that has waited longest first. */
  readonly runs: readonly Resource[];
}

/** A template is never run, so it does not wait. */
export function isWaiting(run: Resource): boolean {
  return statusOf('Task', run).phase === 'Pending' && specOf('Task', run).mode !== 'template';
}

export const isUnschedulable = (run: Resource): boolean => statusOf('Task', run).blockedOn?.kind === 'Worker' && isWaiting(run);

/** The most runs first. */
export function unschedulableGroups(waiting: readonly Resource[]): UnschedulableGroup[] {
  const groups = new Map<string, Resource[]>();
  for (const run of waiting) {
    if (!isUnschedulable(run)) continue;
    const words = statusOf('Task', run).blockedOn?.reason || 'no worker can take it';
    groups.set(words, [...(groups.get(words) ?? []), run]);
  }
  const since = ({ metadata }: Resource) => metadata.createdAt;
  return [...groups]
    .map(([reason, runs]) => ({ reason, runs: runs.sort((a, b) => (since(a) < since(b) ? -1 : 1)) }))
    .sort((a, b) => b.runs.length - a.runs.length);
}

/** `more`: some runs were not checked. */
export function stuckText(count: number, more: boolean): string {
  const number = count === 1 ? 'one' : formatNumber(count);
  return more ? `No worker can take at least ${number} of the waiting runs.` : `No worker can take ${number} of the waiting runs.`;
}
