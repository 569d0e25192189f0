// How many objects each entry of the navigation leads to, and how many approvals wait: one question to the server, asked again after changes.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { kindTable } from '../../kinds/kind-table.ts';
import { api } from '../../live/api.ts';

export interface NavCount {
  readonly count: number;
  /** There are more than were counted. */
  readonly more: boolean;
}

export interface NavCounts {
  /** By kind. */
  readonly kinds: ReadonlyMap<string, NavCount>;
  /** Approvals that wait for a decision. */
  readonly waiting: NavCount | undefined;
}

/** Enough for a badge, and cheap however many there are. */
const COUNT_MAX = 999;
const isApproval = (plural: string) => plural.endsWith('-approvals');

const counted = kindTable.filter((kind) => !isApproval(kind.plural)).map((kind) => kind.kind);
const approvals = kindTable.filter((kind) => isApproval(kind.plural)).map((kind) => kind.kind);

export function useNavCounts(namespace: string | undefined): NavCounts {
  const where = namespace === undefined ? {} : { namespace };
  const selections = [
    ...counted.map((kind) => ({ kind, ...where })),
    ...approvals.map((kind) => ({ kind, ...where, fieldSelector: 'status.phase=Pending' })),
  ];
  const { data } = useQuery({ ...api.resources.counts.queryOptions({ selections, max: COUNT_MAX }), placeholderData: keepPreviousData });
  return useMemo(() => {
    const kinds = new Map(counted.flatMap((kind, index) => (data?.[index] ? [[kind, data[index]] as const] : [])));
    const parts = data?.slice(counted.length);
    const waiting = parts && { count: parts.reduce((sum, part) => sum + part.count, 0), more: parts.some((part) => part.more) };
    return { kinds, waiting };
  }, [data]);
}

/** `12`, or `999+` where counting stopped. */
export function countText({ count, more }: NavCount): string {
  return `${count}${more ? '+' : ''}`;
}
