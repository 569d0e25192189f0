// Unschedulable runs, by missing capability: the server records it on each of them. Pure.
import type { Resource } from '@svc/shared/resource';
import { formatNumber } from '../../../ui/format.ts';

export interface UnschedulableGroup {
  /** In the server's words. */
  readonly reason: string;
  /** The one that has waited longest first. */
  readonly runs: readonly Resource[];
}

/** A template is never run, so it does not wait. */
export function isWaiting({ spec, status }: Resource): boolean {
  return status['phase'] === 'Pending' && spec['mode'] !== 'template';
}

const blockedOn = ({ status }: Resource) => (status['blockedOn'] ?? {}) as { readonly kind?: unknown; readonly reason?: unknown };

export const isUntakeable = (run: Resource): boolean => blockedOn(run).kind === 'Worker' && isWaiting(run);

/** The most runs first. */
export function unschedulableGroups(waiting: readonly Resource[]): UnschedulableGroup[] {
  const groups = new Map<string, Resource[]>();
  for (const run of waiting) {
    if (!isUntakeable(run)) continue;
    const { reason } = blockedOn(run);
    const words = typeof reason === 'string' && reason !== '' ? reason : 'no worker can take it';
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
  return more ? `At least ${number} of those that wait can be taken by no worker.` : `No worker can take ${number} of those that wait.`;
}
