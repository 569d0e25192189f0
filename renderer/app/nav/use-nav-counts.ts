// Counts of what needs attention: waiting approvals, running runs. One request, repeated after changes.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { kindTable } from '../../kinds/kind-table.ts';
import { api } from '../../live/api.ts';
import { useWaitingAnnouncement } from './use-waiting-announcement.ts';

export interface NavCount {
  readonly count: number;
  /** There are more than were counted. */
  readonly more: boolean;
}

export interface NavCounts {
  /** Waiting approvals for a decision. */
  readonly waiting: NavCount | undefined;
  readonly running: NavCount | undefined;
}

/** Enough for a badge, and cheap however many there are. */
const COUNT_MAX = 999;
const approvals = kindTable.filter(({ area }) => area === 'inbox').map(({ kind }) => kind);

export function useNavCounts(namespace: string | undefined): NavCounts {
  const where = namespace === undefined ? {} : { namespace };
  const selections = [
    { kind: 'Task', ...where, fieldSelector: 'status.phase=Running' },
    ...approvals.map((kind) => ({ kind, ...where, fieldSelector: 'status.phase=Pending' })),
  ];
  const { data, isPlaceholderData } = useQuery({
    ...api.resources.counts.queryOptions({ selections, max: COUNT_MAX }),
    placeholderData: keepPreviousData,
  });
  const counts = useMemo(() => {
    const [running, ...parts] = data ?? [];
    const waiting = running && { count: parts.reduce((sum, part) => sum + part.count, 0), more: parts.some((part) => part.more) };
    return { waiting, running };
  }, [data]);
  // Those of the namespace before are shown while the counts load.
  useWaitingAnnouncement(isPlaceholderData ? undefined : counts.waiting?.count, namespace);
  return counts;
}

/** `12`, or `999+` where counting stopped. */
export function countText({ count, more }: NavCount): string {
  return `${count}${more ? '+' : ''}`;
}
