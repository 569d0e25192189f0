// Objects that need a person's attention, selected from the loaded ones. Pure.
import { phaseOf, type Resource } from '@svc/shared/resource';
import { kindTable } from '../../kinds/kind-table.ts';
import { statusOf } from '../../kinds/read.ts';

const DAY_MS = 86_400_000;

/** Kinds that can be in phase Error. */
export const ERROR_KINDS: readonly string[] = kindTable.filter(({ phases }) => phases.includes('Error')).map(({ kind }) => kind);

/** End of a run, in ms; NaN for an open one. */
export function endOf(run: Resource): number {
  return Date.parse(statusOf('Task', run).completedAt ?? '');
}

/** Keeps failed runs of the last 24 hours, the newest end first. */
export function recentlyEnded(runs: readonly Resource[], now: number): Resource[] {
  return runs.filter((run) => endOf(run) > now - DAY_MS).sort((a, b) => endOf(b) - endOf(a));
}

/** Longest running first, then longest waiting. */
export function longestFirst(runs: readonly Resource[]): Resource[] {
  const rank = (run: Resource) => (phaseOf(run) === 'Running' ? 0 : 1);
  const since = (run: Resource) => Date.parse(statusOf('Task', run).startedAt ?? run.metadata.createdAt);
  return [...runs].sort((a, b) => rank(a) - rank(b) || since(a) - since(b));
}

/** Error text of an object. */
export function troubleText({ status: { lastError, message, reason } }: Resource): string {
  return [lastError, message, reason].find((text): text is string => typeof text === 'string' && text !== '') ?? '';
}

export interface NeedCount {
  readonly count: number | undefined;
  /** More exist than were counted. */
  readonly more: boolean;
}

/**
 * Number of objects in error: the loaded ones when they are all, so that the number never differs from the list; the server's counts
 * otherwise.
 */
export function brokenCount(
  read: number,
  { all, counts }: { readonly all: boolean; readonly counts: readonly { readonly count: number; readonly more: boolean }[] | undefined },
): NeedCount {
  if (all) return { count: read, more: false };
  if (counts === undefined) return { count: undefined, more: false };
  return { count: counts.reduce((sum, { count }) => sum + count, 0), more: counts.some(({ more }) => more) };
}
